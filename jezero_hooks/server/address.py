"""Where a server listens, by what names it goes, and how it runs there until it is stopped."""

from __future__ import annotations

import ipaddress
import logging
import socket
from typing import TYPE_CHECKING

import uvicorn

from ..errors import JezeroError, UsageError
from ..model import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType

    from starlette.types import ASGIApp

# What a browser of this machine may call a loopback address.
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
# An answer under way has this long when the server is asked to end.
LAST_ANSWERS_S = 2


class Address(NamedTuple):
    """Where to listen: an IP address or localhost, and a port (0: any free one)."""

    host: str
    port: int

    def url(self) -> str:
        """Return the address as a browser writes it, without a slash at its end."""
        return f"http://{bracketed(self.host)}:{self.port}"


def address_of(text: str, option: str, names: Iterable[str]) -> Address:
    """Return the address of ``HOST:PORT``; an IPv6 host stands in brackets.

    Raises UsageError, which names the option, for other text and for an address that other
    machines reach although no name for this one is given.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
    if not colon or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise UsageError(f"{option} {text}: write it HOST:PORT, like 127.0.0.1:8765")
    if not is_loopback(host) and not names:
        raise UsageError(
            f"{option} {text}: other machines reach this address; if they may, say "
            "what they call this one: --allow-host NAME"
        )
    return Address(host, int(port))


def is_loopback(host: str) -> bool:
    """Return whether an address is reached from this machine alone."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """Return a host as it stands before a port."""
    return f"[{host}]" if ":" in host else host


def hosts_of(address: Address, names: Iterable[str]) -> frozenset[str]:
    """Return the Host headers that are ours: any other is a page's that only found its way here."""
    ours = [*names, *(LOOPBACK_NAMES if is_loopback(address.host) else ())]
    ours.append(bracketed(address.host))
    # A proxy in front passes its own name on, without our port; nobody writes port 80.
    plain = ours if address.port == 80 else names
    with_port = (f"{name}:{address.port}" for name in ours)
    return frozenset(name.lower() for name in (*plain, *with_port))


def listen(address: Address, option: str) -> tuple[socket.socket, Address]:
    """Return a socket that listens, and the address with its real port.

    Raises JezeroError, which names the option, where the address cannot be had.
    """
    try:
        family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
        listening = socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        shown = f"{address.host}:{address.port}"
        reason = str(error.strerror).partition(" (while ")[0]
        raise JezeroError(f"{option} {shown}: cannot listen there: {reason}") from error
    # What it accepts inherits this: head and body are two writes, and the second would wait
    # 40 ms for the client to confirm the first.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening, Address(address.host, listening.getsockname()[1])


async def run(app: ASGIApp, listening: socket.socket) -> None:
    """Answer what comes in until the process is interrupted or asked to end."""
    config = uvicorn.Config(
        app,
        lifespan="off",
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=LAST_ANSWERS_S,
    )
    await _Server(config).serve(sockets=[listening])


class _Server(uvicorn.Server):
    """A server that is quiet once it is to end: what is cut off then is no fault."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)
