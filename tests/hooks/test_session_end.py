"""HK-12: what SessionEnd starts may be killed at any moment, and nothing is lost or damaged."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import apsw
import pytest

from jezero_hooks.cli import main
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.reader import open_library
from tests.hooks.machine import ROOT, SITE, Machine

ROUNDS = 20
OUTPUT_MB = 60
# The client gives the hook 1.5 s; the case allows as much.
CLIENT_S = 1.5


def write_transcript(path: Path) -> None:
    """Two prompts, and 60 MB of what tools printed between them."""
    base = {"isSidechain": False, "sessionId": "ended", "cwd": "/w/orion"}

    def record(kind: str, uuid: str, minute: int, content: object) -> str:
        time_ = f"2026-09-01T10:{minute:02}:00.000Z"
        message = {"role": kind, "content": content}
        more = {"type": kind, "uuid": uuid, "timestamp": time_, "message": message}
        return json.dumps({**base, **more}) + "\n"

    line = "x" * 79 + "\n"
    result = {"type": "tool_result", "tool_use_id": "t", "content": line * 12_500}
    with path.open("w") as file:
        file.write(record("user", "u1", 0, "why does the consent banner fail"))
        for n in range(OUTPUT_MB):
            file.write(record("user", f"r{n}", 1, [result]))
        file.write(record("assistant", "a1", 2, "The cookie was renamed."))
        file.write(record("user", "u2", 3, "and on the phone?"))


def real_launcher(machine: Machine, pids: Path) -> None:
    """Let the hook start a real import that notes its process id."""
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {SITE!r}]; "
        "from jezero_hooks.cli import main; sys.exit(main())"
    )
    words = ["exec", sys.executable, "-c", code]
    launcher = machine.plugin / "hooks/jezero-hook"
    launcher.write_text(
        f'#!/bin/sh\necho $$ >>{shlex.quote(str(pids))}\n{shlex.join(words)} "$@"\n'
    )


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def wait_until_gone(pid: int) -> None:
    """Wait for the end of a process that is not ours to reap."""
    give_up_s = time.monotonic() + 10
    while time.monotonic() < give_up_s:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.01)


def is_made(library: Path) -> bool:
    """Return whether its first transaction was done; a kill before leaves a file without tables."""
    if not library.exists():
        return False
    with contextlib.closing(apsw.Connection(str(library))) as db:
        return db.execute("SELECT 1 FROM sqlite_schema").fetchone() is not None


def test_hk12_killed_at_any_moment(own_plugin: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = own_plugin
    for name, value in machine.env.items():
        monkeypatch.setenv(name, value)
    transcript, pids = machine.folder / "ended.jsonl", machine.folder / "pids"
    write_transcript(transcript)
    real_launcher(machine, pids)
    machine.set_config("import:\n  automatic: true\n")
    machine.library.unlink()
    payload = {**machine.payload, "transcript_path": str(transcript), "reason": "exit"}
    rng = random.Random(7)
    for _ in range(ROUNDS):
        began_s = time.monotonic()
        with subprocess.Popen(
            machine.command("session-end"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=machine.env,
            start_new_session=True,
        ) as hook:
            out, err = hook.communicate(json.dumps(payload).encode() + b"\n", CLIENT_S)
            assert (hook.returncode, out, err) == (0, b"", b"")
        time.sleep(max(0.0, began_s + rng.uniform(0.0, 1.0) - time.monotonic()))
        for pid in map(int, pids.read_text().split()):
            kill(pid)
            wait_until_gone(pid)
        pids.write_text("")
        assert not is_made(machine.library) or library_faults(str(machine.library)) == []
    assert main(["--library", str(machine.library), "import", str(transcript)]) == 0
    items = open_library(str(machine.library)).timeline(limit=10)
    assert [item.external_id for item in items] == ["ended"]
    assert library_faults(str(machine.library)) == []
