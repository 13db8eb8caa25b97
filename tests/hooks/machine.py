"""A user's machine for the hooks' tests: a home, a project, a library, and how a hook is run.

The hooks run as the launcher runs them, in an environment of nothing but what is named here.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from jezero_hooks.config import load_config
from jezero_hooks.library.writer import Writer
from jezero_hooks.model import NewItem

ROOT = Path(__file__).resolve().parents[2]
SITE = sysconfig.get_path("platlib")
EVENTS = {
    "session-start": "SessionStart",
    "first-prompt": "UserPromptSubmit",
    "session-end": "SessionEnd",
}
PROMPT = "why does the consent banner fail on checkout again"
ANSWER = "[1] 2026-09-01 Consent banner fails on checkout"
BLOCK_CHARS = 9_000
# The hook's own end (0.8 s) and a Python's start; one that hangs is cut off at PATIENCE_S.
LIMIT_S, PATIENCE_S = 1.0, 20.0
DROP_FROM_BOUNDING_SET, DAC_OVERRIDE, DAC_READ_SEARCH = 24, 1, 2

# Notes that it was started, and stays while there is a gate that nobody opens.
STUB_LAUNCHER = """#!/bin/sh
home=${JEZERO_HOOKS_HOME:-$HOME/.jezero-hooks}
call=$$
for word; do call="$call|$word"; done
echo "$call" >>"$home/started"
[ ! -p "$home/gate" ] || read -r _ <"$home/gate"
"""


class Said(NamedTuple):
    """What a hook did; wall_s is the time from its start to the end of its output."""

    code: int
    out: bytes
    err: bytes
    wall_s: float

    @property
    def text(self) -> str:
        """The context given to the client, "" when nothing is said."""
        return str(
            json.loads(self.out)["hookSpecificOutput"]["additionalContext"] if self.out else ""
        )

    @property
    def lines(self) -> list[str]:
        """The lines that show items."""
        return [line for line in self.text.split("\n") if line.startswith("[")]


def new_item(external_id: str, title: str, summary: str = "", **more: Any) -> NewItem:
    """Return an item of the project orion, from 1 September."""
    given = {"occurred_at": "2026-09-01T10:00:00+00:00", "project": "orion", **more}
    return NewItem("claude-code", external_id, title=title, summary=summary, **given)


BANNER = new_item("A", "Consent banner fails on checkout", "test:consent broke after a rename")
MENU = new_item("B", "Weekly menu", "Soup and bread", occurred_at="2026-08-02T10:00:00+00:00")


def write_library(path: Path, *items: NewItem) -> None:
    """Make a library of these items, closed as cleanly as an import leaves it."""
    with Writer(str(path)) as writer, writer.transaction():
        for item in items:
            writer.put(item, ingested_at="2026-10-01T00:00:00+00:00")


def copy_plugin(to: Path) -> None:
    """Copy what a hook runs of the plugin; no real import starts from it."""
    for name in ("hooks", "jezero_hooks", "stoplists"):
        shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    to.joinpath("hooks/jezero-hook").write_text(STUB_LAUNCHER)
    to.joinpath("hooks/jezero-hook").chmod(0o755)


class Machine:
    """One user's machine below ``folder``; a test bends it before it runs a hook.

    ``stdin`` None is the payload of the hook's own event; ``wrapped`` are the words put before
    the command; ``before_exec`` runs in the new process, as the system's limits need it.
    """

    def __init__(self, folder: Path, plugin: Path) -> None:
        self.folder = folder
        self.home = folder / "año & home"
        self.library = self.home / "library.db"
        self.config = self.home / "config.yaml"
        self.compiled = self.home / "config.compiled.json"
        self.log = self.home / "hooks.log"
        self.user = folder / "user"
        self.project = self.user / "code/orion"
        self.plugin = plugin
        self.site = SITE
        self.cwd = self.project
        self.env = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.user),
            "JEZERO_HOOKS_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.user / ".claude"),
        }
        self.payload: dict[str, Any] = {
            "session_id": "s-0001",
            "transcript_path": str(folder / "t.jsonl"),
            "cwd": str(self.project),
            "source": "startup",
            "prompt": PROMPT,
        }
        self.stdin: bytes | None = None
        self.stdin_stays_open = False
        self.stdout: int = subprocess.PIPE
        self.wrapped: list[str] = []
        self.before_exec: list[Callable[[], object]] = []
        self.at_end = contextlib.ExitStack()
        self.home.mkdir(parents=True)
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git/HEAD").write_text("ref: refs/heads/main\n")
        self.set_config("import:\n  automatic: false\n")

    def set_config(self, text: str) -> None:
        self.config.write_text(text)
        load_config(str(self.home))  # which compiles it, as the first hook does

    def set_library(self, *items: NewItem) -> None:
        self.library.unlink(missing_ok=True)
        write_library(self.library, *items)

    def outside(self) -> set[str]:
        """Return what stands on the machine outside the hooks' home."""
        found = self.folder.rglob("*")
        return {str(path) for path in found if self.home != path and self.home not in path.parents}

    def inside(self) -> set[str]:
        """Return the names in the hooks' home."""
        return set(os.listdir(self.home)) if self.home.is_dir() else set()

    def command(self, hook: str) -> list[str]:
        script = self.plugin / "hooks" / f"{hook.replace('-', '_')}.py"
        python = [sys.executable, "-I", "-S", "-X", "utf8"]
        cache = ["-X", f"pycache_prefix={self.plugin}/pycache"]
        return [*self.wrapped, *python, *cache, str(script), self.site]

    def start(self, hook: str, stdin: int) -> subprocess.Popen[bytes]:
        def prepare() -> None:
            for step in self.before_exec:
                step()

        return subprocess.Popen(
            self.command(hook),
            stdin=stdin,
            stdout=self.stdout,
            stderr=subprocess.PIPE,
            env=self.env,
            cwd=self.cwd,
            preexec_fn=prepare if self.before_exec else None,
        )

    def run(self, hook: str, **payload: Any) -> Said:
        """Run a hook on the machine's stdin, or on its payload with these fields set."""
        stdin = self.stdin
        if stdin is None:
            whole = {**self.payload, "hook_event_name": EVENTS[hook], **payload}
            stdin = json.dumps(whole).encode() + b"\n"
        started_s = time.perf_counter()
        process = self.start(hook, subprocess.PIPE)
        assert process.stdin is not None
        try:
            if self.stdin_stays_open:
                process.stdin.write(stdin)
                process.stdin.flush()
                kept, process.stdin = process.stdin, None
                self.at_end.callback(kept.close)
                stdin = None
            out, err = process.communicate(stdin, PATIENCE_S)
        except BaseException:  # one that hangs must not outlive its test
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
            raise
        return Said(process.returncode, out or b"", err, time.perf_counter() - started_s)


def assert_manners(said: Said, hook: str) -> None:
    """A hook is silent or useful: exit 0, nothing on stderr, one JSON object or nothing."""
    assert (said.code, said.err) == (0, b"")
    if not said.out:
        return
    answer = json.loads(said.out)
    text = answer["hookSpecificOutput"]["additionalContext"]
    assert answer == {
        "hookSpecificOutput": {"hookEventName": EVENTS[hook], "additionalContext": text}
    }
    assert hook != "session-end"
    assert said.out.endswith(b"}\n")
    assert said.out.count(b"\n") == 1
    assert isinstance(text, str)
    assert 0 < len(text) <= BLOCK_CHARS


def steps(machine: Machine, *calls: tuple[str, dict[str, Any]]) -> list[list[str]]:
    """Run hooks one after the other; return the items' lines that each gave."""
    given = []
    for hook, payload in calls:
        said = machine.run(hook, **payload)
        assert_manners(said, hook)
        given.append(said.lines)
    return given


def start(source: str, session: str = "s-0001", **more: Any) -> tuple[str, dict[str, Any]]:
    return "session-start", {"session_id": session, "source": source, **more}


def prompt(text: str, session: str = "s-0001", **more: Any) -> tuple[str, dict[str, Any]]:
    return "first-prompt", {"session_id": session, "prompt": text, **more}


def give_up_root() -> None:
    """Make the next program one that file permissions bind, also where root runs the tests."""
    if os.geteuid() == 0:
        for right in (DAC_OVERRIDE, DAC_READ_SEARCH):
            if ctypes.CDLL(None).prctl(DROP_FROM_BOUNDING_SET, right, 0, 0, 0):
                raise PermissionError("the tests' root may not give up its rights")
