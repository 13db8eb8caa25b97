"""jezero-hook mcp --http: the same tools over streamable HTTP, for who shows a key."""

from __future__ import annotations

import os
import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from ..answers import settings
from .address import address_of, hosts_of, listen, run
from .desk import Client
from .gate import Refusal, headers_of, key_of, refuse, stranger
from .keys import KEY_FILE, Key, keys_of
from .mcp import server_of

if TYPE_CHECKING:
    import socket

    from starlette.types import Receive, Scope, Send

    from ..cli import Call

OPTION = "--http"
PATH = "/mcp"
# A question of 64 terms is a few kilobytes.
BODY_BYTES = 256 * 1024


def serve(client: Client, call: Call) -> int:
    """Serve until interrupted; the address and the key's file are told on stderr.

    Raises JezeroError for an address that cannot be had, UsageError for one that other
    machines reach although no name for them is given.
    """
    names = call.options.allow_host
    wanted = address_of(call.options.http, OPTION, names)
    key_file = call.options.key_file or os.path.join(call.home, KEY_FILE)
    keys = keys_of(settings(call), call.home, key_file)
    listening, address = listen(wanted, OPTION)
    for line in (f"listening at {address.url()}{PATH}", f"the key stands in {key_file}"):
        print(f"jezero-hook: {line}", file=sys.stderr, flush=True)
    anyio.run(_serve, client, keys, hosts_of(address, names), listening)
    return 0


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
        await run(Gate(hosts, keys, managers), listening)


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
        headers = headers_of(scope)
        key = stranger(headers, self._hosts) or _misplaced(scope) or key_of(headers, self._keys)
        if isinstance(key, Refusal):
            await refuse(send, key, allow="POST")
            return
        await self._managers[key.secret].handle_request(scope, receive, send)


def _misplaced(scope: Scope) -> Refusal | None:
    if scope["path"] != PATH:
        return Refusal(404, f"there is only {PATH}")
    if scope["method"] != "POST":
        return Refusal(405, "there is only POST: this server sends nothing unasked")
    return None
