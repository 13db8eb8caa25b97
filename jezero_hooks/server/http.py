"""jezero-hook mcp --http: the same tools over streamable HTTP, for who shows a key."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from ..answers import settings
from ..errors import JezeroError, UsageError
from ..model import NamedTuple
from .desk import Client
from .keys import KEY_FILE, Key, key_shown, keys_of
from .mcp import server_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import Receive, Scope, Send

    from ..cli import Call

PATH = "/mcp"
# A question of 64 terms is a few kilobytes.
BODY_BYTES = 256 * 1024
# What a browser of this machine may call a loopback address.
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
# An answer under way has this long when the server is asked to end.
LAST_ANSWERS_S = 2


class Address(NamedTuple):
    """Where to listen: an IP address or localhost, and a port (0: any free one)."""

    host: str
    port: int


def serve(client: Client, call: Call) -> int:
    """Serve until interrupted; the address and the key's file are told on stderr.

    Raises JezeroError for an address that cannot be had, UsageError for one that other
    machines reach although no name for them is given.
    """
    address, names = address_of(call.options.http), call.options.allow_host
    if not names and not is_loopback(address.host):
        raise UsageError(
            f"--http {call.options.http}: other machines reach this address; if they may, say "
            "what they call this one: --allow-host NAME"
        )
    key_file = call.options.key_file or os.path.join(call.home, KEY_FILE)
    keys = keys_of(settings(call), call.home, key_file)
    listening = _listen(address)
    port = listening.getsockname()[1]
    shown = f"[{address.host}]" if ":" in address.host else address.host
    for line in (f"listening at http://{shown}:{port}{PATH}", f"the key stands in {key_file}"):
        print(f"jezero-hook: {line}", file=sys.stderr, flush=True)
    anyio.run(_serve, client, keys, hosts_of(address.host, port, names), listening)
    return 0


def address_of(text: str) -> Address:
    """Return the address of ``HOST:PORT``; an IPv6 host stands in brackets."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"--http {text}: write it HOST:PORT, like 127.0.0.1:8765")
    return Address(host, int(port))


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def hosts_of(host: str, port: int, names: Iterable[str]) -> frozenset[str]:
    """Return the Host headers that are ours: any other is a page's that only found its way here."""
    ours = [*names, *(LOOPBACK_NAMES if is_loopback(host) else ())]
    ours.append(f"[{host}]" if ":" in host else host)
    # A proxy in front passes its own name on, without our port; nobody writes port 80.
    plain = ours if port == 80 else names
    return frozenset(name.lower() for name in (*plain, *(f"{name}:{port}" for name in ours)))


def _listen(address: Address) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        return socket.create_server(address, family=family)
    except OSError as error:
        shown = f"{address.host}:{address.port}"
        raise JezeroError(f"--http {shown}: cannot listen there: {error.strerror}") from error


async def _serve(
    client: Client, keys: list[Key], hosts: frozenset[str], listening: socket.socket
) -> None:
    async with AsyncExitStack() as stack:
        managers = {}
        for key in keys:
            # One server for each key: what a key may read is part of it, not of a request.
            server = server_of(client._replace(allowed=key.allowed))
            manager = StreamableHTTPSessionManager(
                server, json_response=True, stateless=True, max_request_body_size=BODY_BYTES
            )
            await stack.enter_async_context(manager.run())
            managers[key.secret] = manager
        config = uvicorn.Config(
            Gate(hosts, keys, managers),
            lifespan="off",
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=LAST_ANSWERS_S,
        )
        await uvicorn.Server(config).serve(sockets=[listening])


class Gate:
    """The one ASGI application: lets a request through that names us and shows a key."""

    def __init__(
        self,
        hosts: frozenset[str],
        keys: list[Key],
        managers: dict[str, StreamableHTTPSessionManager],
    ) -> None:
        self._hosts, self._keys, self._managers = hosts, keys, managers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        status, reason = self._refusal(scope, headers)
        key = key_shown(headers.get("authorization", ""), self._keys)
        if status == 200 and key is None:
            status, reason = 401, "show the key: Authorization: Bearer KEY"
        if key is None or status != 200:
            await _refuse(send, status, reason)
            return
        await self._managers[key.secret].handle_request(scope, receive, send)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str]:
        if headers.get("host", "").lower() not in self._hosts:
            return 421, "this server goes by another name; see --allow-host"
        origin = headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] not in self._hosts:
            return 403, "pages of other origins may not ask"
        if scope["path"] != PATH:
            return 404, f"there is only {PATH}"
        if scope["method"] != "POST":
            return 405, "there is only POST: this server sends nothing unasked"
        return 200, ""


def _headers(scope: Scope) -> dict[str, str]:
    """Return the headers; of one that stands twice nothing, since either could be meant."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = "" if key in found else value.decode("latin-1")
    return found


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode()
    headers: list[Any] = [(b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status == 405:
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
