"""The server over HTTP: a key, our own name, and nothing for anyone else."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from jezero_hooks.config import config_of
from jezero_hooks.errors import JezeroError, UsageError
from jezero_hooks.server.address import Address, address_of, hosts_of, is_loopback
from jezero_hooks.server.address import listen as listen_at
from jezero_hooks.server.keys import KEY_FILE, key_shown, keys_of, read_key
from tests.commands import Place
from tests.server.conftest import HELLO, Server, request


class Listening(NamedTuple):
    """A server that listens: its port and its home's key."""

    server: Server
    port: int
    key: str

    def ask(self, body: str | None = None, method: str = "POST", **headers: str) -> Any:
        """Return status and text of a request, sent with a key and our name unless told."""
        given = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        path = given.pop("Path", "/mcp")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in given.items():
                if value:
                    connection.putheader(name, value)
            text = (body or "").encode()
            connection.putheader("Content-Length", str(len(text)))
            connection.endheaders(text)
            reply = connection.getresponse()
            return reply.status, reply.read().decode()
        finally:
            connection.close()

    def call(self, key: str, tool: str, **arguments: Any) -> Any:
        call = request("tools/call", 1, name=tool, arguments=arguments)
        status, text = self.ask(call, Authorization=f"Bearer {key}")
        assert status == 200, text
        return json.loads(json.loads(text)["result"]["content"][0]["text"])

    def titles(self, key: str) -> list[str]:
        return [item["title"] for item in self.call(key, "timeline")["items"]]


@pytest.fixture
def listen(stocked: Place) -> Iterator[Callable[..., Listening]]:
    started: list[Server] = []

    def listen(*argv: object, address: str = "127.0.0.1:0") -> Listening:
        server = Server(stocked, "--http", address, *argv)
        started.append(server)
        assert server.process.stderr is not None
        first, second = (server.process.stderr.readline().decode() for _ in range(2))
        port = re.findall(r":(\d+)/mcp$", first.strip())
        assert port, first + second + server.process.stderr.read().decode()
        key = second.partition("stands in ")[2].strip()
        return Listening(server, int(port[0]), Path(key).read_text().strip())

    yield listen
    for server in started:
        server.process.kill()
        server.process.communicate()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_over_http(
    listen: Callable[..., Listening], stocked: Place, mode: str
) -> None:
    listening = listen()

    async def main() -> None:
        headers = {"Authorization": f"Bearer {listening.key}"}
        async with (
            httpx2.AsyncClient(headers=headers) as plain,
            Client(
                streamable_http_client(f"http://127.0.0.1:{listening.port}/mcp", http_client=plain),
                mode=mode,
            ) as client,
        ):
            assert len((await client.list_tools()).tools) == 6
            for name, arguments in (
                ("search", {"query": "consent"}),
                ("get_item", {"id": 1}),
                ("later", {"id": 1}),
                ("timeline", {}),
                ("list_sources", {}),
                ("search_documents", {"query": "grid"}),
            ):
                assert not (await client.call_tool(name, arguments)).is_error
            assert (await client.call_tool("get_item", {"id": 99})).is_error

    anyio.run(main)
    assert stat.S_IMODE((stocked.home / KEY_FILE).stat().st_mode) == 0o600
    assert not list(stocked.home.glob("*.tmp"))


PING = request("ping", 1)


def test_what_is_let_in_and_what_is_not(listen: Callable[..., Listening]) -> None:
    listening = listen()
    port, key = listening.port, listening.key
    assert listening.ask(request("initialize", 1, **HELLO))[0] == 200
    assert listening.ask(PING)[0] == 200
    for status, headers in (
        (200, {"Host": f"localhost:{port}"}),
        (200, {"Host": f"[::1]:{port}"}),
        (200, {"Origin": f"http://localhost:{port}"}),
        (200, {"Authorization": f"bearer  {key} "}),
        (401, {"Authorization": ""}),
        (401, {"Authorization": f"Basic {key}"}),
        (401, {"Authorization": f"Bearer {key[:-1]}"}),
        (401, {"Authorization": f"Bearer {key}x"}),
        (401, {"Authorization": f"Bearer {key} {key}"}),
        (401, {"Authorization": "Bearer \xe9"}),
        (421, {"Host": "evil.example"}),
        (421, {"Host": f"evil.example:{port}"}),
        (421, {"Host": "127.0.0.1:1"}),
        (421, {"Host": f"127.0.0.1:{port}.evil.example"}),
        (403, {"Origin": "https://evil.example"}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "http://localhost:1"}),
        (404, {"Path": "/"}),
        (404, {"Path": "/mcp/../mcp2"}),
    ):
        assert listening.ask(PING, **headers)[0] == status, headers
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        assert listening.ask(method=method)[0] == 405
    # Without a key nobody learns what there is, nor whether a name would do.
    assert listening.ask(PING, Authorization="", Host="evil.example")[0] == 421
    assert listening.ask("x" * 300_000)[0] == 413
    assert listening.ask("no json")[0] == 400
    assert listening.ask(PING, Content_Type="text/plain")[0] == 400
    assert listening.ask(PING)[0] == 200


def test_a_header_that_stands_twice_is_none(listen: Callable[..., Listening]) -> None:
    listening = listen()
    for first, second in ((listening.key, "other"), ("other", listening.key)):
        with socket.create_connection(("127.0.0.1", listening.port), timeout=20) as raw:
            raw.sendall(
                f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{listening.port}\r\n"
                f"Authorization: Bearer {first}\r\nAuthorization: Bearer {second}\r\n"
                "Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
            )
            assert raw.recv(100).startswith(b"HTTP/1.1 401")


def test_each_key_reads_its_own(listen: Callable[..., Listening], stocked: Place) -> None:
    stocked.write_config(
        "mcp:\n  keys:\n"
        "    letters: {file: letters.key, allowed: mail}\n"
        "    nothing: {file: ~/nothing.key, allowed: []}\n"
    )
    listening = listen()
    letters = (stocked.home / "letters.key").read_text().strip()
    nothing = (stocked.user / "nothing.key").read_text().strip()
    assert len({letters, nothing, listening.key}) == 3
    assert len(listening.titles(listening.key)) == 5
    assert listening.titles(letters) == ["Consent from a letter", "Weekly menu"]
    assert listening.titles(nothing) == []


@pytest.mark.parametrize("globs", ["['*']", "[doc*, mail]", "[mail]"])
def test_a_key_reads_documents_where_it_and_the_config_say_so(
    listen: Callable[..., Listening], documented: Place, globs: str
) -> None:
    documented.write_config(
        f"sources:\n  allowed: {globs}\n"
        "mcp:\n  keys:\n"
        "    notes: {file: notes.key, allowed: [d*s]}\n"
        "    letters: {file: letters.key, allowed: mail}\n"
    )
    listening = listen()
    notes, letters = (
        (documented.home / f"{name}.key").read_text().strip() for name in ("notes", "letters")
    )
    allowed = globs != "[mail]"
    for key, wanted in ((listening.key, allowed), (notes, allowed), (letters, False)):
        found = listening.call(key, "search_documents", query="grid")
        assert found["count"] == (2 if wanted else 0)
        assert ("documents index DIR" in found.get("note", "")) is not wanted
    assert listening.titles(notes) == []


def test_the_key_stays_the_same_and_may_lie_elsewhere(
    listen: Callable[..., Listening], stocked: Place
) -> None:
    elsewhere = stocked.user / "keys" / "mine"
    first = listen("--key-file", elsewhere)
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o600
    assert listen("--key-file", elsewhere).key == first.key
    assert not (stocked.home / KEY_FILE).exists()


def test_an_interrupt_ends_it(listen: Callable[..., Listening]) -> None:
    listening = listen()
    os.kill(listening.server.process.pid, signal.SIGINT)
    assert listening.server.process.wait(timeout=10) == 130


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "box.lan:80"])
def test_other_machines_only_when_told(stocked: Place, address: str) -> None:
    done = stocked.process("mcp", "--http", address)
    assert (done.code, done.out) == (2, "")
    assert "--allow-host NAME" in done.err
    assert not (stocked.home / KEY_FILE).exists()


def test_other_machines_by_the_name_that_is_told(listen: Callable[..., Listening]) -> None:
    listening = listen("--allow-host", "Box.lan", address="0.0.0.0:0")
    for status, host in (
        (200, f"box.lan:{listening.port}"),
        (200, "box.lan"),
        (421, f"127.0.0.1:{listening.port}"),
        (421, "evil.example"),
    ):
        assert listening.ask(PING, Host=host)[0] == status, host


@pytest.mark.parametrize("text", ["", "8765", "localhost", ":1", "a:", "a:x", "a:-1", "a:65536"])
def test_an_address_is_host_and_port(text: str) -> None:
    with pytest.raises(UsageError, match="write it HOST:PORT"):
        address_of(text, "--http", ())


def test_addresses() -> None:
    assert address_of("localhost:80", "--http", ()) == ("localhost", 80)
    assert address_of("[::1]:8765", "--http", ()) == ("::1", 8765)
    loopback = {"localhost", "127.0.0.1", "127.9.9.9", "::1"}
    others = {"0.0.0.0", "::", "10.0.0.1", "localhost.evil.example", "127.0.0.1.nip.io"}
    assert {host for host in loopback | others if is_loopback(host)} == loopback
    assert hosts_of(Address("127.0.0.1", 80), ()) >= {"localhost", "localhost:80"}
    assert hosts_of(Address("127.0.0.1", 81), ()) == {
        "localhost:81",
        "127.0.0.1:81",
        "[::1]:81",
    }


def test_an_answer_does_not_wait_for_its_first_half() -> None:
    listening, address = listen_at(Address("127.0.0.1", 0), "--http")
    with listening, socket.create_connection(address):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken(stocked: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = stocked.process("mcp", "--http", f"127.0.0.1:{port}")
    assert done.code == 1
    assert f"127.0.0.1:{port}: cannot listen there" in done.err
    assert "Traceback" not in done.err


# --- keys --------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o644, 0o660])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    path.write_text("x" * 40)
    path.chmod(mode)
    with pytest.raises(JezeroError, match="chmod 600"):
        read_key(str(path))


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"two words that are long enough",
                                     "ñ".encode() * 30, b"\xff" * 30, b"x" * 1_001])  # fmt: skip
def test_what_is_no_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(JezeroError, match="holds no key"):
        read_key(str(path))


def test_a_key_is_made_once_and_private_whatever_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "new" / "key"
    before = os.umask(0)
    try:
        key = read_key(str(path))
    finally:
        os.umask(before)
    assert len(key) >= 40
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_key(str(path)) == key
    with pytest.raises(JezeroError, match="cannot be read"):
        read_key(str(tmp_path / "new"))


def test_two_files_with_one_key_are_refused(tmp_path: Path) -> None:
    config = config_of({"mcp": {"keys": [["twin", "mcp.key", ["*"]]]}})
    with pytest.raises(JezeroError, match=r"mcp\.keys\.twin.*the same key"):
        keys_of(config, str(tmp_path), str(tmp_path / KEY_FILE))


def test_only_the_whole_key_is_the_key(tmp_path: Path) -> None:
    (key,) = keys_of(config_of({}), str(tmp_path), str(tmp_path / KEY_FILE))
    assert key_shown(f"Bearer {key.secret}", [key]) is key
    for shown in ("", "Bearer", "Bearer ", key.secret, f"Bearer {key.secret[1:]}", "Bearer \ud83d"):
        assert key_shown(shown, [key]) is None
