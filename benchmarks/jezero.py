"""Jezero beside us, on the same library file: it is of its format.

Needs a Python that has it: in an environment of its own, of Python 3.12 or newer, `pip install
jezero`, and where that Python's SQLite is older than 3.45, `pip install pysqlite3-binary` too.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from timing import Timed, in_turns  # noqa: E402

import hooks  # noqa: E402

START_S = 60
NEW_SQLITE = """
import sqlite3, sys
if sqlite3.sqlite_version_info < (3, 45):
    import pysqlite3, pysqlite3.dbapi2
    sys.modules.update({"sqlite3": pysqlite3, "sqlite3.dbapi2": pysqlite3.dbapi2})
"""
SERVE = NEW_SQLITE + "from jezero.cli import main\nsys.exit(main())"
# Searches within one process, as the server does them; milliseconds of each as JSON.
SEARCH = (
    NEW_SQLITE
    + """
import json, pathlib, time
from jezero.store import Store
store = Store(pathlib.Path(sys.argv[1]))
taken = []
for query in json.load(sys.stdin):
    start = time.perf_counter()
    store.search(query, limit=8)
    taken.append((time.perf_counter() - start) * 1000)
print(json.dumps(taken))
"""
)
CLIENT = "import importlib.util as u; print(u.find_spec('jezero.client_core').origin)"


def fault(python: str) -> str | None:
    """Return why this Python's Jezero cannot be measured, None where it can."""
    command = [python, "-c", SERVE, "--version"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=START_S)
    except OSError as error:
        return f"{python}: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{python}: does not answer"
    said = done.stderr.strip().splitlines() or ["no reason given"]
    return None if done.returncode == 0 else f"{python}: {said[-1]}"


def search_ms(python: str, path: str, queries: list[str]) -> list[float]:
    """Return what each query takes in a process that has Jezero loaded already."""
    done = subprocess.run(
        [python, "-c", SEARCH, path],
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        check=True,
    )
    return [float(taken) for taken in json.loads(done.stdout)]


def time_hooks(python: str, path: str, prompt: str, rounds: int) -> list[Timed]:
    """Return what its first-prompt and session-start hooks take while its server is warm.

    Whole processes of its Python with `-I` (they need no packages), beside that Python alone.
    """
    client = subprocess.run([python, "-c", CLIENT], capture_output=True, text=True, check=True)
    hook = [python, "-I", client.stdout.strip(), "hook"]
    with tempfile.TemporaryDirectory() as folder, _server(python, path, folder) as url:
        home = Path(folder, "client")
        home.mkdir()
        config = {"url": url, "device": "bench", "upload": False}
        (home / "client.json").write_text(json.dumps(config), encoding="utf-8")
        (home / "token").write_text("none-is-needed", encoding="utf-8")
        env = {"PATH": os.environ["PATH"], "HOME": folder, "JEZERO_CLIENT_HOME": str(home)}
        env["JEZERO_HOOK_TIMEOUT"] = "30"

        def job(command: list[str], answers: bool, **payload: str) -> hooks.Job:
            def stdin(n: int) -> str:
                return json.dumps({"session_id": f"s{n}", "cwd": "/code/project-3", **payload})

            return hooks.Job(" ".join(command[-1:]), command, stdin, answers)

        agent = ["--agent", "claude-code"]
        jobs = {
            "its Python -I -S -c pass": job([python, "-I", "-S", "-c", "pass"], False),
            "Jezero, server warm: session start": job(
                [*hook, "session-start", *agent], True, source="startup"
            ),
            "Jezero, server warm: an answer": job(
                [*hook, "user-prompt", *agent], True, prompt=prompt
            ),
        }
        for one in jobs.values():
            hooks.measure(one, -1, env)
        return in_turns(
            {name: lambda n, j=j: hooks.measure(j, n, env) for name, j in jobs.items()},  # type: ignore[misc]
            rounds,
        )


@contextlib.contextmanager
def _server(python: str, path: str, folder: str) -> Iterator[str]:
    """Serve a library on loopback; yield the address of its server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = Path(folder, "jezero.toml")
    config.write_text(
        f"[storage]\npath = {json.dumps(path)}\n\n[server]\nport = {port}\nrequire_auth = false\n",
        encoding="utf-8",
    )
    with open(Path(folder, "server.log"), "wb") as log:
        server = subprocess.Popen(
            [python, "-c", SERVE, "-c", str(config), "serve"], stdout=log, stderr=log
        )
    try:
        _wait_for(port, server, Path(folder, "server.log"))
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    end_s = time.monotonic() + START_S
    while time.monotonic() < end_s and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    sys.exit(f"jezero: its server did not start: {log.read_text(errors='replace')[-500:]}")
