"""The two streams of a stdio connection: every request gets its reply, the last ones too."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Self

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

# stdin may close right after the last request; a client gives a server two seconds to end.
LAST_REPLIES_S = 1.0


class Wire:
    """A connection whose end waits for the replies that are still due.

    The package drops the calls under way when stdin closes, and a line that is no message
    without a word; then the client of a piped call, or of a text with half a surrogate pair,
    would wait for nothing.
    """

    def __init__(self, read: _Stream, write: _Stream) -> None:
        self._write = write
        self._due: set[str | int] = set()
        self._settled = anyio.Event()
        self.requests = _Requests(self, read)
        self.replies = _Replies(self, write)

    def asked(self, message: SessionMessage) -> None:
        if isinstance(message.message, JSONRPCRequest):
            self._due.add(message.message.id)

    def replied(self, message: SessionMessage) -> None:
        if isinstance(message.message, (JSONRPCResponse, JSONRPCError)):
            self._due.discard(message.message.id or "")
            if not self._due:
                self._settled.set()
                self._settled = anyio.Event()

    async def settle(self) -> None:
        with anyio.move_on_after(LAST_REPLIES_S):
            while self._due:
                await self._settled.wait()

    async def refuse(self, fault: Exception) -> None:
        await self._write.send(SessionMessage(refusal(fault)))


def refusal(fault: Exception) -> JSONRPCError:
    """Return the error for a line that is no message, under its id where it shows one."""
    if isinstance(fault, ValidationError):
        first = fault.errors()[0]
        if first["type"] == "json_invalid":
            error = ErrorData(code=PARSE_ERROR, message="this line is no JSON text")
            return JSONRPCError(jsonrpc="2.0", id=_id(str(first["input"])), error=error)
    error = ErrorData(code=INVALID_REQUEST, message="this is no JSON-RPC 2.0 message")
    return JSONRPCError(jsonrpc="2.0", id=None, error=error)


def _id(line: str) -> str | int | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, (str, int)) and not isinstance(id_, bool) else None


class _Stream:
    """A stream of the package, passed on; subclasses look at what goes through."""

    def __init__(self, wire: Wire, stream: _Stream) -> None:
        self._wire, self._stream = wire, stream

    async def receive(self) -> SessionMessage | Exception:
        return await self._stream.receive()

    async def send(self, item: SessionMessage) -> None:
        await self._stream.send(item)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Requests(_Stream):
    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def receive(self) -> SessionMessage | Exception:
        while True:
            try:
                item = await self._stream.receive()
            except anyio.EndOfStream:
                await self._wire.settle()
                raise
            if isinstance(item, SessionMessage):
                self._wire.asked(item)
                return item
            await self._wire.refuse(item)


class _Replies(_Stream):
    async def send(self, item: SessionMessage) -> None:
        await self._stream.send(item)
        self._wire.replied(item)
