"""A library with two sources, and ways to ask the server."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jezero_hooks.config import Storage
from jezero_hooks.library.documents_writer import DocumentsWriter, Page
from jezero_hooks.model import Atom
from jezero_hooks.server.desk import Client
from jezero_hooks.server.tools import TOOLS, answer
from tests.commands import PROGRAM, Place, item

TOKENIZER = Storage().tokenizer

DIALOGUE = "user: why?\n\n\tassistant: <b>because</b>\x1b[2J " + "long story " * 3_000

ITEMS = (
    item(
        1,
        "Consent\nbanner",
        summary="The consent cookie\nwas renamed",
        questions=("why does consent fail?",),
        atoms=(Atom("fix", "read the new cookie <x>"),),
        project="orion",
        original=DIALOGUE,
        original_ref="/t/1.jsonl",
    ),
    item(2, "Weekly menu", summary="Soup and bread", project="home", source="mail"),
    item(3, "Consent banner again", summary="On mobile, too", project="orion"),
    item(4, "Consent from a letter", summary="Secret quasar", project="orion", source="mail"),
    item(5, "Queue worker restarts", summary="Out of memory", project="orion"),
)


@pytest.fixture
def stocked(place: Place) -> Place:
    place.put(*ITEMS)
    return place


@pytest.fixture
def client(stocked: Place) -> Client:
    return Client(str(stocked.library), str(stocked.config))


@pytest.fixture
def ask(client: Client) -> Callable[..., Any]:
    """Return a function that calls a tool in this process, on behalf of this client or another."""

    def ask(tool: str, as_client: Client = client, **arguments: Any) -> Any:
        return answer(as_client, TOOLS[tool], arguments)

    return ask


class Server:
    """A server as a process, spoken to line by line."""

    def __init__(self, place: Place, *argv: object, **variables: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "mcp", *map(str, argv)],
            env=place.variables(**variables),
            cwd=place.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._id = 0

    def write(self, line: str | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write((line if isinstance(line, bytes) else line.encode()) + b"\n")
        self.process.stdin.flush()

    def read(self) -> Any:
        """Return the next message; a line that is none is an error."""
        assert self.process.stdout is not None
        message = json.loads(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request, return its result; an error of the protocol fails."""
        self._id += 1
        self.write(request(method, self._id, **params))
        message = self.read()
        assert message["id"] == self._id
        return message["result"]

    def call(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Return whether a call was refused, and its text."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        (content,) = result["content"]
        return result["isError"], content["text"]

    def end(self) -> tuple[bytes, bytes]:
        """Close stdin; return what else it says. It must end by itself."""
        out, err = self.process.communicate(timeout=10)
        assert self.process.returncode == 0, err
        return out, err


def request(method: str, id_: object = None, **params: Any) -> str:
    """Return a request as a line; without an id it is a notification."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
    if id_ is not None:
        message["id"] = id_
    return json.dumps(message | ({"params": params} if params else {}))


HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture
def start(stocked: Place) -> Iterator[Callable[..., Server]]:
    """Return a function that starts a server, greeted; what still runs is ended afterwards."""
    started: list[Server] = []

    def start(*argv: object, **variables: str) -> Server:
        server = Server(stocked, *argv, **variables)
        started.append(server)
        server.ask("initialize", **HELLO)
        server.write(request("notifications/initialized"))
        return server

    yield start
    for server in started:
        server.process.kill()
        server.process.communicate()


PAGES = tuple(
    Page(
        path=f"/notes/{name}.md",
        type=type_,
        url=f"/notes/{name}",
        title=title,
        description="",
        content=content,
        tags="notes",
        date=date,
        emoji="",
        size=1,
        mtime_ns=1,
        hash=name,
    )
    for name, type_, title, content, date in (
        ("grid", "note", "CSS grid", "Use a grid with named areas.", "2026-09-01"),
        ("odd", "blog", "<script>alert(1)</script>", "A grid \x1b[2J of \u202e<b>odd</b>", None),
    )
)


@pytest.fixture
def documented(stocked: Place) -> Place:
    """A library with documents, too."""
    with (
        DocumentsWriter(str(stocked.library), items_tokenizer=TOKENIZER) as writer,
        writer.transaction(),
    ):
        for page in PAGES:
            writer.put_page(page, "/notes", None)
    return stocked
