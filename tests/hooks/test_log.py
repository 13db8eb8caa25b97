"""The log, and where things are kept: no word of a prompt, no file in a repository."""

from __future__ import annotations

import os
import pwd
import time

import pytest

from jezero_hooks.home import jezero_home
from tests.hooks.machine import (
    ANSWER,
    EVENTS,
    PATIENCE_S,
    PROMPT,
    Machine,
    assert_manners,
    prompt,
    start,
    steps,
)

# --- the log -----------------------------------------------------------------------------


def test_the_log_names_the_fault_and_no_word_of_the_prompt(patient: Machine) -> None:
    secret = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    asked = f"deploy banner with {secret}"
    patient.run("first-prompt", prompt=asked)
    patient.stdin = b'{"prompt":"' + secret.encode()
    patient.run("first-prompt")
    patient.stdin = None
    patient.site, site = "/nowhere", patient.site
    patient.run("first-prompt", session_id="s-2", prompt=asked)
    patient.site = site
    patient.library.write_text("no database")
    patient.run("first-prompt", session_id="s-3", prompt=asked)
    patient.run("session-start", session_id="s-4")
    log = patient.log.read_text().splitlines()
    assert [line[25:].split(" ")[1] for line in log] == [
        "first-prompt:",
        "first-prompt:",
        "session-start:",
    ]
    assert "ModuleNotFoundError at " in log[0]
    assert f"{patient.library}: is not a library" in log[1]
    for path in patient.folder.rglob("*"):
        if path.is_file():
            assert secret[4:].encode() not in path.read_bytes(), path
    for path in patient.home.rglob("*"):
        assert "s-2" not in path.name
    assert "deploy" not in patient.log.read_text()


def test_a_sound_hook_logs_nothing(patient: Machine) -> None:
    for hook in EVENTS:
        patient.run(hook)
    assert not patient.log.exists()


def test_the_log_does_not_grow_for_ever(patient: Machine) -> None:
    patient.library.write_text("no database")
    patient.log.write_bytes(b"x" * 200_000)
    patient.run("session-start")
    assert patient.log.stat().st_size > 200_000
    patient.run("session-start")
    assert patient.log.read_text().count("\n") == 1
    assert patient.home.joinpath("hooks.log.1").stat().st_size > 200_000


# --- what the clock ended ----------------------------------------------------------------


def bend(machine: Machine, *changes: tuple[str, str]) -> None:
    """Change the clock of a machine's own plugin."""
    clock = machine.plugin / "jezero_hooks/clock.py"
    text = clock.read_text()
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    clock.write_text(text)


SHARES = "FULL_SHARE, ANSWER_SHARE, END_SHARE = "
# A hook that hangs is ended soon, and has long to write its line.
SOON = ((f"{SHARES}0.5, 0.9, 0.92", f"{SHARES}0.0, 0.9, 0.07"),)


@pytest.mark.parametrize("hook", ["session-start", "first-prompt"])
def test_a_hook_that_its_clock_ends_leaves_one_line(own_plugin: Machine, hook: str) -> None:
    bend(own_plugin, *SOON)
    own_plugin.library.unlink()
    os.mkfifo(own_plugin.library)
    said = own_plugin.run(hook)
    assert_manners(said, hook)
    (line,) = own_plugin.log.read_text().splitlines()
    assert line[25:].startswith(f" {hook}: silent: no answer within ")
    assert line.endswith("(hooks.budget_ms); ended at its library")


@pytest.mark.parametrize("hook", EVENTS)
def test_a_stdin_that_stays_open_leaves_one_line(own_plugin: Machine, hook: str) -> None:
    bend(own_plugin, *SOON)
    own_plugin.stdin, own_plugin.stdin_stays_open = b'{"prompt":"half', True
    said = own_plugin.run(hook)
    assert (said.code, said.out, said.err) == (0, b"", b"")
    (line,) = own_plugin.log.read_text().splitlines()
    assert line[25:].startswith(f" {hook}: silent: ")
    assert line.endswith("ended at its stdin")


def test_a_library_that_hangs_gets_its_import(own_plugin: Machine) -> None:
    bend(own_plugin, *SOON)
    own_plugin.set_config("import: {automatic: yes}\n")
    own_plugin.library.unlink()
    os.mkfifo(own_plugin.library)
    assert_manners(own_plugin.run("session-start"), "session-start")
    started = own_plugin.home / "started"
    for _ in range(200):  # it was started; when it runs is for the system to say
        if started.exists() and "|import|" in started.read_text():
            return
        time.sleep(0.05)
    pytest.fail("no import")


def test_a_log_that_hangs_does_not_keep_the_hook(own_plugin: Machine) -> None:
    limit = "self.limit_s = "
    bend(own_plugin, *SOON, (f"{limit}{PATIENCE_S}", f"{limit}2.0"))
    for path in (own_plugin.library, own_plugin.log):
        path.unlink(missing_ok=True)
        os.mkfifo(path)
    said = own_plugin.run("first-prompt")
    assert (said.code, said.out, said.err) == (0, b"", b"")


def test_a_smaller_question_answers_and_is_noted(own_plugin: Machine) -> None:
    bend(own_plugin, (f"{SHARES}0.5", f"{SHARES}0.0"))
    reader = own_plugin.plugin / "jezero_hooks/library/reader.py"
    text = reader.read_text()
    assert text.count("STEPS = 500") == 1
    reader.write_text(text.replace("STEPS = 500", "STEPS = 1"))
    asked = "consent banner checkout " + " ".join(f"subject{n}" for n in range(9))
    said = own_plugin.run("first-prompt", prompt=asked)
    assert_manners(said, "first-prompt")
    assert said.lines == [ANSWER]
    (line,) = own_plugin.log.read_text().splitlines()
    assert " first-prompt: asked 6 of its 12 words: all 12 words would take too long" in line
    assert "subject" not in line
    short = own_plugin.run("first-prompt", session_id="s-2", prompt="consent banner checkout")
    assert short.lines == [ANSWER]
    assert own_plugin.log.read_text().count("\n") == 1


# --- where things are --------------------------------------------------------------------


@pytest.mark.parametrize("empty", [True, False], ids=["empty", "unset"])
def test_without_a_name_the_home_is_in_the_users(patient: Machine, empty: bool) -> None:
    patient.env.pop("JEZERO_HOOKS_HOME")
    if empty:
        patient.env["JEZERO_HOOKS_HOME"] = ""
    patient.home.rename(patient.user / ".jezero-hooks")
    assert steps(patient, start("startup"), prompt(PROMPT))[1] == [ANSWER]


def test_nothing_is_written_where_the_agent_works(patient: Machine) -> None:
    """A relative home would be made anew in each repository."""
    patient.env["JEZERO_HOOKS_HOME"] = "~/.jezero-hooks"
    before = patient.outside()
    for hook in EVENTS:
        assert_manners(patient.run(hook), hook)
    assert {p for p in patient.outside() - before if p.startswith(str(patient.project))} == set()


@pytest.mark.parametrize("variable", ["HOME", "JEZERO_HOOKS_HOME"])
def test_an_empty_variable_is_none(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "JEZERO_HOOKS_HOME"):
        monkeypatch.delenv(name, raising=False)
    without = jezero_home()
    monkeypatch.setenv(variable, "")
    assert jezero_home() == without


def test_a_user_without_name_or_home_has_an_absolute_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(uid: int) -> None:
        raise KeyError(uid)

    monkeypatch.setattr(pwd, "getpwuid", nobody)
    for name in ("HOME", "JEZERO_HOOKS_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert os.path.isabs(jezero_home())
