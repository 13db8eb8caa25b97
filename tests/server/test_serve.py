"""jezero-hook serve as a process: where it listens, how it ends, and that there is one."""

from __future__ import annotations

import http.client
import json
import os
import select
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import apsw
import pytest
from filelock import FileLock

from jezero_hooks.server.running import LOCK_FILE, STATE_FILE, AlreadyServingError, only_one
from tests.commands import PROGRAM, Place


class Serving(NamedTuple):
    """A server as a process, and its port."""

    process: subprocess.Popen[bytes]
    port: int
    lines: list[str]

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, headers=headers)
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err.decode()


@pytest.fixture
def serve(documented: Place) -> Iterator[Callable[..., Serving]]:
    started: list[subprocess.Popen[bytes]] = []

    def serve(*argv: object, listen: str = "127.0.0.1:0", **variables: str) -> Serving:
        process = documented.start("serve", "--listen", listen, *argv, **variables)
        started.append(process)
        assert process.stderr is not None
        lines = [process.stderr.readline().decode()]
        assert " is served at http://" in lines[0], lines[0] + process.stderr.read().decode()
        if "--allow-host" in argv:
            lines.append(process.stderr.readline().decode())
        return Serving(process, int(lines[0].strip().rstrip("/").rpartition(":")[2]), lines)

    yield serve
    for process in started:
        process.kill()
        process.communicate()


def test_it_answers_and_only_reads(serve: Callable[..., Serving], documented: Place) -> None:
    serving = serve()
    status, page = serving.ask("/")
    assert (status, page[:15]) == (200, b"<!doctype html>")
    assert serving.ask("/", "HEAD") == (200, b"")
    status, text = serving.ask("/api/timeline?limit=2")
    assert (status, json.loads(text)["count"]) == (200, 2)
    assert serving.ask("/api/timeline", "POST")[0] == 405
    assert serving.ask("/api/timeline", Host="evil.example")[0] == 421
    assert serving.ask("/api/timeline", Origin="https://evil.example")[0] == 403
    state = documented.home / STATE_FILE
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    assert json.loads(state.read_text()) == {
        "url": f"http://127.0.0.1:{serving.port}",
        "library": str(documented.library),
    }
    assert not (documented.home / "mcp.key").exists()


def test_two_headers_where_one_belongs_are_none(serve: Callable[..., Serving]) -> None:
    serving = serve()
    with socket.create_connection(("127.0.0.1", serving.port), timeout=20) as raw:
        host = f"Host: 127.0.0.1:{serving.port}\r\n"
        raw.sendall(f"GET /api/timeline HTTP/1.1\r\n{host}{host}\r\n".encode())
        assert raw.recv(12) in (b"HTTP/1.1 421", b"HTTP/1.1 400")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_it_stops_cleanly(
    serve: Callable[..., Serving], documented: Place, number: int, code: int
) -> None:
    serving = serve()
    assert serving.ask("/api/timeline")[0] == 200
    ended, err = serving.end(number)
    assert (ended, err) == (code, "jezero-hook: interrupted\n" if code else "")
    assert not (documented.home / STATE_FILE).exists()
    serve(listen=f"127.0.0.1:{serving.port}")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
@pytest.mark.parametrize("times", [1, 2])
def test_an_answer_under_way_does_not_make_its_end_loud(
    serve: Callable[..., Serving], documented: Place, number: int, code: int, times: int
) -> None:
    holder = apsw.Connection(str(documented.library))
    holder.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE").fetchall()
    serving = serve()
    with socket.create_connection(("127.0.0.1", serving.port), timeout=20) as raw:
        host = f"Host: 127.0.0.1:{serving.port}\r\n"
        # The second one's answer tells that the first is being answered.
        raw.sendall(f"GET /api/timeline HTTP/1.1\r\n{host}\r\n".encode())
        assert serving.ask("/")[0] == 200
        for _ in range(times - 1):
            serving.process.send_signal(number)
        assert serving.end(number) == (code, "jezero-hook: interrupted\n" if code else "")
    holder.close()


def test_a_second_one_says_where_the_first_is(
    serve: Callable[..., Serving], documented: Place
) -> None:
    first = serve()
    second = documented.process("--json", "serve", "--listen", "127.0.0.1:0")
    assert second.code == 1
    assert (
        f"{documented.library} is served already, at http://127.0.0.1:{first.port}/" in second.err
    )
    assert second.json == {"error": second.err.removeprefix("jezero-hook: ").strip()}
    assert first.ask("/api/timeline")[0] == 200


def browser(place: Place, code: int = 0) -> tuple[str, Path]:
    """Return a browser that writes down what it is to open, and where."""
    opened = place.user / "opened"
    program = place.user / "browser"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >>"{opened}"\nexit {code}\n')
    program.chmod(0o755)
    return f"{program} %s", opened


def test_open_opens_the_page_of_the_first_one(
    serve: Callable[..., Serving], documented: Place
) -> None:
    program, opened = browser(documented)
    first = serve()
    done = documented.process("serve", "--open", BROWSER=program)
    assert (done.code, done.out) == (0, "")
    assert opened.read_text() == f"http://127.0.0.1:{first.port}/\n"
    other = documented.user / "other.db"
    other.write_bytes(documented.library.read_bytes())
    done = documented.process("--library", other, "serve", "--open", BROWSER=program)
    assert (done.code, opened.read_text().count("\n")) == (1, 1)
    assert str(documented.library) in done.err


def test_open_opens_its_own_page(serve: Callable[..., Serving], documented: Place) -> None:
    opened = documented.user / "opened"
    os.mkfifo(opened)
    # Also open for writing, so that opening it waits for nobody, and a wait for it can end.
    with open(opened, "r+b", buffering=0) as told:
        program, _ = browser(documented)
        serving = serve("--open", BROWSER=program)
        assert select.select([told], [], [], 20)[0], "no browser was started"
        assert told.read(100).decode() == f"http://127.0.0.1:{serving.port}/\n"


def test_a_browser_that_cannot_be_started_is_told(
    serve: Callable[..., Serving], documented: Place
) -> None:
    program, _ = browser(documented, code=1)
    serve()
    done = documented.process("serve", "--open", BROWSER=program, PATH="/nowhere", DISPLAY="")
    assert done.code == 0
    assert "no browser could be started; open http://127.0.0.1:" in done.err


def test_a_killed_one_stands_in_nobodys_way(
    serve: Callable[..., Serving], documented: Place
) -> None:
    first = serve()
    first.process.kill()
    first.process.wait()
    assert (documented.home / STATE_FILE).exists()
    second = serve()
    assert second.ask("/api/timeline")[0] == 200
    assert f":{second.port}" in (documented.home / STATE_FILE).read_text()


def test_a_state_that_cannot_be_read_is_no_address(
    serve: Callable[..., Serving], documented: Place
) -> None:
    serve()
    for text in ('[1]{"', '{"url": "file:///etc/passwd", "library": "x"}'):
        (documented.home / STATE_FILE).write_text(text)
        done = documented.process("serve", "--open", BROWSER=browser(documented)[0])
        assert done.code == 1
        assert "another server of this home is starting; try again" in done.err


@pytest.mark.parametrize(
    "text", ["", "{", "[1]", '{"url": 1, "library": "x"}', '{"url": "http://a"}', "[" * 9_000]
)
def test_what_is_no_state(tmp_path: Path, text: str) -> None:
    (tmp_path / STATE_FILE).write_text(text)
    with (
        FileLock(tmp_path / LOCK_FILE),
        pytest.raises(AlreadyServingError, match="is starting"),
        only_one(str(tmp_path)),
    ):
        pass


def test_other_machines_only_by_name_and_with_a_key(
    serve: Callable[..., Serving], documented: Place
) -> None:
    for address in ("0.0.0.0:0", "192.0.2.1:80", "[::]:0"):
        done = documented.process("serve", "--listen", address)
        assert (done.code, done.out) == (2, "")
        assert "--allow-host NAME" in done.err
    assert not (documented.home / LOCK_FILE).exists()
    serving = serve("--allow-host", "box.lan", listen="0.0.0.0:0")
    key = Path(serving.lines[1].partition("stands in ")[2].strip())
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    shown = {"Authorization": f"Bearer {key.read_text().strip()}", "Host": "box.lan"}
    assert f"http://box.lan:{serving.port}/" in serving.lines[0]
    assert serving.ask("/", Host="box.lan")[0] == 200
    assert serving.ask("/api/timeline", Host="box.lan")[0] == 401
    assert serving.ask("/api/timeline", **shown)[0] == 200
    assert serving.ask("/api/timeline", **shown | {"Host": "evil.example"})[0] == 421


def test_a_proxy_before_a_loopback_address_needs_a_key(serve: Callable[..., Serving]) -> None:
    serving = serve("--allow-host", "box.lan")
    assert serving.ask("/api/timeline", Host="box.lan")[0] == 401
    assert serving.ask("/api/timeline")[0] == 401


def test_a_port_that_is_taken(documented: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = documented.process("serve", "--listen", f"127.0.0.1:{port}")
    assert done.code == 1
    assert done.err == (
        f"jezero-hook: --listen 127.0.0.1:{port}: cannot listen there: Address already in use\n"
    )
    assert not (documented.home / STATE_FILE).exists()


def test_a_faulty_config_is_refused_at_once(documented: Place) -> None:
    documented.write_config('serve:\n  cors_origin: "https://a.example/x\\r\\nSet-Cookie: a"\n')
    done = documented.process("serve", "--listen", "127.0.0.1:0")
    assert done.code == 1
    assert "config.yaml:2: serve.cors_origin: must be an origin" in done.err
    done = documented.process("--config", "nowhere.yaml", "serve", "--listen", "127.0.0.1:0")
    assert (done.code, "check --config" in done.err) == (1, True)


def test_json_tells_a_script_where_it_is(documented: Place) -> None:
    with documented.start("--json", "serve", "--listen", "127.0.0.1:0") as process:
        assert process.stdout is not None
        told = "".join(process.stdout.readline().decode() for _ in range(5))
        process.terminate()
        rest, _ = process.communicate(timeout=20)
    assert (process.returncode, rest) == (0, b"")
    value = json.loads(told)
    assert (value["library"], value["key_file"]) == (str(documented.library), None)
    assert value["url"].startswith("http://127.0.0.1:")


def test_without_its_packages_it_says_what_to_install(documented: Place) -> None:
    lacking = "import sys; sys.modules['uvicorn'] = None; " + PROGRAM[2]
    done = subprocess.run(
        [sys.executable, "-c", lacking, "serve"],
        env=documented.variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "jezero-hook: this needs the package uvicorn: pip install 'jezero-hooks[serve]'\n"
    )
