"""The import that a hook starts: rarely, detached, and never in the hook's way."""

from __future__ import annotations

import os
import sys
import time

import pytest

from tests.hooks.conftest import NewMachine
from tests.hooks.machine import (
    ANSWER,
    PATIENCE_S,
    PROMPT,
    Machine,
    assert_manners,
    give_up_root,
    prompt,
    start,
    steps,
)

LINUX = sys.platform == "linux"
STARTING = ("session-start", "session-end")
# A busy machine can be late once.
TRIALS = 5


class Launches:
    """The calls of the plugin's launcher, which a stub stands in for."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.started = machine.home / "started"
        self.gate = machine.home / "gate"
        machine.set_config("import:\n  automatic: true\n")

    def calls(self) -> list[list[str]]:
        """Return the words of each call, the process's id first."""
        if not self.started.exists():
            return []
        return [line.split("|") for line in self.started.read_text().splitlines()]

    def wait_for(self, calls: int) -> list[list[str]]:
        give_up_s = time.monotonic() + PATIENCE_S
        while len(self.calls()) < calls and time.monotonic() < give_up_s:
            time.sleep(0.01)
        return [call[1:] for call in self.calls()]

    def process(self) -> int:
        """Return the id of the first call's process, once it runs."""
        self.wait_for(1)
        return int(self.calls()[0][0])

    def hold(self) -> None:
        """Let the next call stay until `release`."""
        os.mkfifo(self.gate)
        self.machine.at_end.callback(self.release)

    def release(self) -> None:
        gate = os.open(self.gate, os.O_RDWR | os.O_NONBLOCK)  # lets in whoever waits for it
        self.gate.unlink()  # and those who come later
        os.close(gate)


@pytest.fixture
def launches(patient: Machine) -> Launches:
    return Launches(patient)


def is_due_again(machine: Machine, age_s: float) -> None:
    then_s = time.time() - age_s
    os.utime(machine.home / "import.stamp", (then_s, then_s))


def test_session_start_imports_at_most_once_in_ten_minutes(
    patient: Machine, launches: Launches
) -> None:
    given = steps(patient, start("startup", "s-1"), start("clear", "s-2"))
    is_due_again(patient, 599)
    given += steps(patient, start("startup", "s-3"))
    is_due_again(patient, 601)
    given += steps(patient, start("compact", "s-4"), start("startup", "s-5"))
    is_due_again(patient, -3_600)  # a clock that was set back
    given += steps(patient, start("startup", "s-6"), start("startup", "s-7"))
    assert launches.wait_for(3) == [
        ["import", "--background", f"--skip-session={session}"] for session in ("s-1", "s-4", "s-6")
    ]
    assert all(lines[0] == ANSWER for lines in given)


def test_without_a_library_the_first_import_starts(patient: Machine, launches: Launches) -> None:
    patient.library.unlink()
    assert patient.run("session-start", session_id="s-1").out == b""
    assert launches.wait_for(1) == [["import", "--background", "--skip-session=s-1"]]


def test_a_broken_library_does_not_keep_the_import_back(
    patient: Machine, launches: Launches
) -> None:
    patient.library.write_text("no database")
    assert patient.run("session-start", session_id="s-1").out == b""
    assert len(launches.wait_for(1)) == 1


def test_the_first_prompt_imports_nothing(patient: Machine, launches: Launches) -> None:
    patient.run("first-prompt")
    patient.run("session-end", session_id="s-2")
    assert launches.wait_for(1) == [
        ["import", "--background", "--", str(patient.folder / "t.jsonl")]
    ]


def test_an_import_can_be_turned_off(patient: Machine, launches: Launches) -> None:
    patient.set_config("import:\n  automatic: false\n")
    patient.run("session-start", session_id="s-1")
    patient.run("session-end", session_id="s-1")
    patient.set_config("import:\n  automatic: true\n")
    patient.run("session-start", session_id="s-2")
    assert launches.wait_for(1) == [["import", "--background", "--skip-session=s-2"]]


@pytest.mark.parametrize("hook", STARTING)
def test_the_import_outlives_the_hook_and_holds_no_pipe(patient: Machine, hook: str) -> None:
    """The client waits for the ends of a hook's pipes, and kills the session that it started."""
    launches = Launches(patient)
    launches.hold()
    assert_manners(patient.run(hook), hook)  # would hang here
    import_ = launches.process()
    assert os.getsid(import_) == os.getpgid(import_) == import_
    pipes = [os.readlink(f"/proc/{import_}/fd/{fd}") for fd in range(3)] if LINUX else []
    assert set(pipes) <= {os.devnull}
    os.kill(import_, 0)  # it still runs


@pytest.mark.parametrize("hook", STARTING)
def test_starting_it_takes_no_time(new_machine: NewMachine, hook: str, bare_start_s: float) -> None:
    """At its end the client kills what is not done at once."""
    took_s = []
    for _ in range(TRIALS):
        with new_machine() as machine:
            Launches(machine).hold()
            took_s.append(machine.run(hook).wall_s - bare_start_s)
        if took_s[-1] < 0.2:
            return
    pytest.fail(f"{min(took_s):.2f} s")


@pytest.mark.parametrize("hook", STARTING)
@pytest.mark.parametrize("fault", ["missing", "not executable", "no program"])
def test_a_launcher_that_does_not_start_is_logged(
    own_plugin: Machine, hook: str, fault: str
) -> None:
    Launches(own_plugin)
    launcher = own_plugin.plugin / "hooks/jezero-hook"
    if fault == "missing":
        launcher.unlink()
        own_plugin.env["PATH"] = "/nowhere"
    elif fault == "not executable":
        launcher.chmod(0o644)
    else:
        launcher.write_bytes(b"\0")
    said = own_plugin.run(hook)
    assert_manners(said, hook)
    assert said.lines[:1] == [ANSWER] * (hook == "session-start")
    assert f" {hook}: " in own_plugin.log.read_text()


@pytest.mark.parametrize("variant", ["stale", "empty", "folder", "unwritable"])
def test_lk01_no_hook_waits_for_a_lock(patient: Machine, variant: str) -> None:
    Launches(patient)
    lock = patient.home / "library.lock"
    stamp = patient.home / "import.stamp"
    for path in (lock, stamp):
        if variant == "folder":
            path.mkdir()
        else:
            path.write_text("999999" if variant == "stale" else "")
            os.utime(path, (0, 0))
    if variant == "unwritable":
        patient.before_exec.append(give_up_root)
        patient.home.chmod(0o555)
        patient.at_end.callback(patient.home.chmod, 0o755)
        stamp.chmod(0o444)
    assert [lines[:1] for lines in steps(patient, start("startup"), prompt(PROMPT))] == [
        [ANSWER]
    ] * 2
    assert_manners(patient.run("session-end"), "session-end")
