"""A request to an ASGI application, in this process."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import anyio


class Reply(NamedTuple):
    """Status, headers and body of an answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        assert self.headers["content-type"] == "application/json"
        return json.loads(self.body)


def asked(app: Any, target: str, method: str = "GET", **headers: str) -> Reply:
    """Return the answer to a request; the Host is localhost unless told."""
    path, _, query = target.partition("?")
    given = {"host": "localhost", **{n.replace("_", "-"): v for n, v in headers.items()}}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "scheme": "http",
        "server": ("localhost", 80),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    anyio.run(app, scope, receive, send)
    start, *bodies = sent
    found = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
    return Reply(start["status"], found, b"".join(part.get("body", b"") for part in bodies))
