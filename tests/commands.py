"""What the tests of the commands share: a place of one's own, and both ways to run a command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from jezero_hooks.cli import main
from jezero_hooks.library.writer import Writer
from jezero_hooks.model import NewItem

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = Path(__file__).parent / "golden"
TRANSCRIPTS = Path(__file__).parent / "importers" / "transcripts"
SITE = sysconfig.get_path("purelib")
# The program, as the console script starts it.
PROGRAM = (sys.executable, "-c", "import sys; from jezero_hooks.cli import main; sys.exit(main())")
AT = "2026-10-01T00:00:00+00:00"
# Of the environment of whoever runs the tests only what finds programs may matter.
KEPT = ("PATH", "LANG", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class Done(NamedTuple):
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on stdout; anything else there, or none, is an error."""
        return json.loads(self.out)


PATIENT_HOOK = """
import sys
script, *sys.path[:0] = sys.argv[1:]
from jezero_hooks import clock, hook
clock.Clock.allow = lambda self, limit_s: setattr(self, "limit_s", 30.0)
getattr(hook, script)()
"""


class Place:
    """A home of the user, of ours and of the client's, all below one folder."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.user = folder / "user"
        self.home = folder / "hooks"
        self.client = folder / "client"
        self.projects = self.client / "projects"
        self.folder = self.user / "code" / "orion"
        self.folder.mkdir(parents=True)
        self.library = self.home / "library.db"
        self.config = self.home / "config.yaml"
        self._capsys = capsys
        self.environment = {
            "HOME": str(self.user),
            "JEZERO_HOOKS_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.client),
        }
        for name in os.environ:
            if name.startswith(("CLAUDE", "JEZERO", "PYTHON", "LC_", "COLUMNS", "FORCE_COLOR")):
                monkeypatch.delenv(name)
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(self.folder)
        # The program reports its own faults there; pytest's stays as it was.
        monkeypatch.setattr(sys, "excepthook", sys.excepthook)

    def run(self, *argv: object) -> Done:
        """Run a command in this process."""
        self._capsys.readouterr()
        try:
            code = main(list(map(str, argv)))
        except SystemExit as ended:
            code = int(ended.code or 0)
        return Done(code, *self._capsys.readouterr())

    def json(self, *argv: object) -> Any:
        """Run a command that must succeed; return its one JSON value."""
        done = self.run("--json", *argv)
        assert (done.code, done.err) == (0, ""), done
        return done.json

    def variables(self, **more: str) -> dict[str, str]:
        """Return the environment that a process gets."""
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return {**kept, **self.environment, "PYTHONPATH": f"{ROOT}{os.pathsep}{SITE}", **more}

    def start(self, *argv: object, **more: str) -> subprocess.Popen[bytes]:
        """Start a command as a process of its own."""
        return subprocess.Popen(
            [*PROGRAM, *map(str, argv)],
            env=self.variables(**more),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def process(self, *argv: object, **more: str) -> Done:
        """Run a command as a process of its own, to its end."""
        with self.start(*argv, **more) as started:
            out, err = started.communicate(timeout=60)
        return Done(started.returncode, out.decode("utf-8", "replace"), err.decode())

    def hook(
        self, script: str, payload: dict[str, Any], before: tuple[str, ...] = (), **more: str
    ) -> str:
        """Run a hook in a process of its own; return its context. It must exit 0, stderr empty.

        Its clock is one that a busy machine does not outrun: time is no matter here.

        The import that a session's start begins is not due: it would outlive the test.
        """
        stamp = self.home / "import.stamp"
        if not stamp.exists():
            stamp.touch(0o600)
        ended = subprocess.run(
            [
                *before,
                *(sys.executable, "-I", "-S", "-X", "utf8"),
                *("-c", PATIENT_HOOK, script, ROOT, SITE),
            ],
            input=json.dumps(payload).encode() + b"\n",
            env=self.variables(**more),
            cwd=self.folder,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, b"")
        if not ended.stdout:
            return ""
        return str(json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"])

    def write_config(self, text: str | bytes) -> None:
        self.home.mkdir(mode=0o700, exist_ok=True)
        self.config.write_bytes(text if isinstance(text, bytes) else text.encode())

    def put(self, *items: NewItem) -> None:
        """Put items into the library."""
        self.home.mkdir(mode=0o700, exist_ok=True)
        with Writer(str(self.library)) as writer, writer.transaction():
            for item in items:
                writer.put(item, ingested_at=AT)

    def put_golden(self) -> None:
        """Put the items of golden/library.json into the library, under their own ids."""
        self.put(*golden_items())

    def take(self, scene: str, version: str = "2.1.332") -> list[Path]:
        """Copy a scene's transcripts into the client's folder; return the new paths."""
        before = set(self.projects.rglob("*.jsonl"))
        shutil.copytree(TRANSCRIPTS / version / scene, self.projects, dirs_exist_ok=True)
        return sorted(set(self.projects.rglob("*.jsonl")) - before)

    def session(
        self, number: int, *prompts: str, folder: str = "/w/orion", day: int = 1
    ) -> tuple[str, Path]:
        """Write a small transcript; return its session's id and its path."""
        session = f"{number:08d}-0000-4000-8000-{number:012d}"
        slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in folder)
        path = self.projects / slug / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "".join(_exchange(session, n, p, folder, day, number) for n, p in enumerate(prompts))
        )
        os.utime(path, (1_788_000_000 + number, 1_788_000_000 + number))
        return session, path


def _exchange(session: str, n: int, prompt: str, folder: str, day: int, number: int) -> str:
    """Return a prompt and its answer as two lines of a transcript."""
    common = {"isSidechain": False, "sessionId": session, "cwd": folder}
    time = f"2026-09-{day:02d}T10:{n:02d}"
    asked = {"role": "user", "content": prompt}
    answer = {"id": f"m{n}", "role": "assistant", "content": [{"type": "text", "text": "done"}]}
    records = (
        {"type": "user", "uuid": f"u{number}-{n}", "timestamp": f"{time}:00Z", "message": asked},
        {
            "type": "assistant",
            "uuid": f"a{number}-{n}",
            "timestamp": f"{time}:05Z",
            "message": answer,
        },
    )
    return "".join(json.dumps({**common, **record}) + "\n" for record in records)


def golden_items() -> list[NewItem]:
    """Return the items of golden/library.json."""
    from jezero_hooks.importers.items import read_items

    made: list[NewItem] = []
    for value in json.loads((GOLDEN / "library.json").read_text())["items"]:
        (item,) = read_items("library.json", [json.dumps(value).encode()], value["source"])
        assert isinstance(item, NewItem), item
        made.append(item)
    return made


def item(number: int, title: str = "", **fields: Any) -> NewItem:
    """Return an item with what a test does not care for filled in."""
    return NewItem(
        **{
            "source": "test",
            "external_id": f"t{number}",
            "occurred_at": f"2026-09-{number:02d}T10:00:00+00:00",
            "title": title or f"Title {number}",
            "summary": "",
            **fields,
        }
    )


def without_root() -> tuple[str, ...]:
    """Return the words to put before a command so that rights of files hold for root too."""
    if os.geteuid() != 0:
        return ()
    if not shutil.which("setpriv"):
        pytest.skip("root may read and write everything, and there is no setpriv")
    return ("setpriv", "--bounding-set", "-dac_override,-dac_read_search")
