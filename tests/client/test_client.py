"""The bundle in the real Claude Code client: installed from a clone, seen in what it sends.

CLAUDE_BIN names the clients, separated by ":" (else: claude, if it is on the PATH). Each runs in
a home of its own against a stand-in for the model's API, which keeps every request.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.client.drive import Lab, Result
from tests.client.fake_api import text_of

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = os.environ.get("CLAUDE_BIN", "").split(":") if os.environ.get("CLAUDE_BIN") else []
CLIENTS = CLIENTS or [path for path in [shutil.which("claude")] if path]
NO_CLIENT = pytest.param(
    "",
    id="no client",
    marks=pytest.mark.skip("no Claude Code client: name one (or several) in CLAUDE_BIN"),
)
LOCK = re.findall(r"^lock=(.*)$", (ROOT / "hooks/jezero-hook").read_text(), re.M)[0]
PATIENCE_S = 60
START = "SessionStart hook additional context: "
PROMPT = "UserPromptSubmit hook additional context: "

ITEMS = [
    {
        "external_id": f"past-{n}",
        "occurred_at": f"2026-09-0{n}T10:00:00Z",
        "title": title,
        "summary": summary,
        "questions": [],
        "atoms": [],
        "project": "orion",
    }
    for n, (title, summary) in enumerate(
        [
            ("The oldest of six", "Left out: five are listed"),
            ("Consent banner fails on checkout", "A cookie was renamed"),
            ("Weekly menu", "Soup and bread"),
            ("Queue worker restarts", "It ran out of memory"),
            ("Invoice rounding", "Half cents go to even"),
            ("Search page is slow", "An index was missing"),
        ],
        start=1,
    )
]


def eventually(holds: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """True once ``holds()`` is true, False if that takes too long."""
    end_s = time.monotonic() + patience_s
    while not holds():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.2)
    return True


def seen(result: Result) -> str:
    """All that the model was given with the last request of a turn, whoever's message it is in."""
    last = result.of_kind("main")[-1]["body"]["messages"]
    return "\n".join(text_of(message["content"]) for message in last)


@pytest.fixture(scope="session")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The work tree as a clone of it would be, at a path that tries the quoting."""
    clone = tmp_path_factory.mktemp("clones") / "mis cosas (ñ) & co/jezero-hooks"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clone / name)
    return clone


class Desk:
    """A user's machine: a client with the plugin, a home with the environment, a project."""

    def __init__(self, lab: Lab, clone: Path) -> None:
        self.lab, self.clone = lab, clone

    def install(self) -> None:
        for args in (
            ["plugin", "marketplace", "add", str(self.clone)],
            ["plugin", "install", "jezero-hooks@jezero-hooks"],
        ):
            done = self.lab.run(args)
            assert done.returncode == 0, done.stdout + done.stderr

    def hook(self, *args: str) -> str:
        """What ``hooks/jezero-hook ARGS`` prints, called by the user."""
        done = subprocess.run(
            [self.clone / "hooks/jezero-hook", *args],
            env=self.lab.env(),
            cwd=self.lab.cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def items(self, source: str) -> list[dict]:
        found = json.loads(self.hook("timeline", "--json"))["items"]
        return [item for item in found if item["source"] == source]


@pytest.fixture(params=CLIENTS or [NO_CLIENT], ids=lambda path: f"client {CLIENTS.index(path) + 1}")
def desk(request: pytest.FixtureRequest, tmp_path: Path, clone: Path) -> Iterator[Desk]:
    home = tmp_path / "home"
    project = home / "code/orion"
    project.mkdir(parents=True)
    ours = home / ".jezero-hooks"
    # An index may need these (a proxy, certificates, a mirror); the lab starts from nothing.
    kept = ("PIP_", "UV_", "SSL_", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    env = {k: v for k, v in os.environ.items() if k.startswith(kept)}
    env["JEZERO_HOOKS_HOME"] = str(ours)
    with Lab(tmp_path, cwd=project, claude=request.param, env=env) as lab:
        yield Desk(lab, clone)


@pytest.fixture
def ready(desk: Desk) -> Desk:
    """A desk whose environment is there already: this interpreter and its packages."""
    env = Path(desk.lab.env()["JEZERO_HOOKS_HOME"]) / f"env-{LOCK}"
    (env / "bin").mkdir(parents=True)
    (env / "bin/python").symlink_to(os.path.realpath(sys.executable))
    (env / "site").symlink_to(sysconfig.get_path("purelib"))
    return desk


def test_the_manifests_are_valid(desk: Desk):
    done = desk.lab.run(["plugin", "validate", "--strict", str(desk.clone)])
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_sessions_from_the_past_to_the_past(ready: Desk, tmp_path: Path):
    lab = ready.lab
    past = tmp_path / "past.jsonl"
    past.write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    ready.hook("import", "--items", str(past), "--source", "notes")
    ready.install()

    # The first prompt: the five newest items, and the one that shares words with it.
    question = "Zephyr gasket: why does the consent banner fail on checkout again?"
    first = lab.prompt(question)
    assert first.returncode == 0, first.stderr
    text = seen(first)
    assert (text.count(START), text.count(PROMPT)) == (1, 1)
    block = text.partition(START)[2].partition(PROMPT)[0]
    listed = re.findall(r"^\[\d+\] (\S+ .*)$", block, re.M)
    assert listed[:5] == [f"{i['occurred_at'][:10]} {i['title']}" for i in ITEMS[:0:-1]]
    related = re.findall(r"^\[\d+\] (\S+ .*)$", text.partition(PROMPT)[2], re.M)
    assert related == ["2026-09-02 Consent banner fails on checkout"]

    # The second prompt of the session: nothing is added to what it holds already.
    second = lab.prompt("and the consent banner on the weekly menu?", extra=resume(first))
    text = seen(second)
    assert "weekly menu?" in text
    assert (text.count(START), text.count(PROMPT)) == (1, 1)

    # The client's own transcript, imported behind its back once the session had ended.
    assert eventually(lambda: len(ready.items("claude-code")) == 1)
    [session] = ready.items("claude-code")
    assert session["title"].startswith("Zephyr gasket")
    assert session["project"] == "orion"

    # A session afterwards is given the first one, in both blocks.
    later = lab.prompt("The zephyr gasket is loose.")
    text = seen(later)
    block, related = text.partition(START)[2].split(PROMPT)
    line = f"[{session['id']}] {session['occurred_at'][:10]} Zephyr gasket"
    assert line in block
    assert line in related

    for result in (first, second, later):
        faults = [e for e in result.hook_events if e.get("outcome", "success") != "success"]
        assert not faults
    assert not list(ready.clone.rglob("__pycache__"))


def resume(result: Result) -> list[str]:
    return ["--resume", result.session_id]


@pytest.mark.needs_registry
def test_the_first_session_after_an_install_sets_the_plugin_up(desk: Desk):
    desk.install()
    first = desk.lab.prompt("hello")
    assert first.returncode == 0, first.stderr
    assert START not in seen(first)
    said = [e["stdout"] for e in first.hook_events if e.get("stdout")]
    # The server's launcher may have begun before the hook; then it is for the server to wait.
    for text in said:
        assert json.loads(text).keys() == {"systemMessage"}
        assert "setting up" in text
    # The client has gone; what it started goes on.
    ours = Path(desk.lab.env()["JEZERO_HOOKS_HOME"])
    python = ours / f"env-{LOCK}/bin/python"
    failed = ours / f"env-{LOCK}.failed"
    assert eventually(lambda: python.exists() or failed.exists(), patience_s=300)
    if failed.exists():
        pytest.skip(f"no package index, or a wrong lock: {failed.read_text()}")
    desk.hook("import")
    [session] = desk.items("claude-code")
    assert session["title"] == "hello"
