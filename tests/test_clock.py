"""The budget: a smaller question where the full one takes too long, and never a late answer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from jezero_hooks.clock import Clock, process_age_s
from jezero_hooks.config import Config
from jezero_hooks.errors import LateError
from jezero_hooks.hook import FirstPrompt, first_prompt_block, session_start_block
from jezero_hooks.library.reader import Reader, open_library
from jezero_hooks.library.writer import Writer
from tests.commands import ROOT, Place, item

NOW_S = 1.8e9
WORDS = "consent banner checkout " + " ".join(f"subject{n}" for n in range(17))
EIGHT = "all 20 words would take too long for 400 ms (hooks.budget_ms)"
LATE = "no answer within 400 ms (hooks.budget_ms)"


class Hands:
    """The hands of a clock, moved by a test."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.clock = Clock(0.4, now=lambda: self.now_s)


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def reader(place: Place, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """A small library that looks at the clock at each step."""
    monkeypatch.setattr("jezero_hooks.library.reader.STEPS", 1)
    place.put(
        item(1, "Consent banner fails on checkout", project="orion"),
        item(2, "Weekly menu", project="orion"),
    )
    return open_library(str(place.library))


def at_questions(reader: Reader, hands: Hands, *times_s: float) -> list[int]:
    """Move the hands as each question is put; return a list of their words, yet to be filled."""
    asked: list[int] = []
    match_words, left = reader.match_words, list(times_s)

    def moved(terms: Any, bounds: Any) -> str | None:
        asked.append(len(terms))
        hands.now_s = left.pop(0)
        return match_words(terms, bounds)

    reader.match_words = moved  # type: ignore[method-assign]
    return asked


def block(reader: Reader, clock: Clock | None, prompt: str = WORDS) -> FirstPrompt:
    return first_prompt_block(reader, Config(), prompt, now_s=NOW_S, clock=clock)


# --- the first prompt ------------------------------------------------------------------------


def test_in_time_all_words_are_asked(reader: Reader, hands: Hands) -> None:
    asked = at_questions(reader, hands, 0.19)
    found = block(reader, hands.clock)
    assert (asked, found.asked) == ([20], (20, None))
    assert found == block(open_library(reader.path), None)
    assert found.shown


def test_a_question_that_takes_too_long_is_asked_smaller(reader: Reader, hands: Hands) -> None:
    asked = at_questions(reader, hands, 0.21, 0.35)
    found = block(reader, hands.clock)
    assert (asked, found.asked) == ([20, 8], (8, EIGHT))
    small = block(open_library(reader.path), None, " ".join(WORDS.split()[:8]))
    assert found.shown == small.shown != ()
    assert (found.text, found.judged) == (small.text, small.judged)
    assert len(found.terms.kept) == 20


@pytest.mark.parametrize(
    ("words", "smaller"), [(9, 4), (10, 5), (15, 7), (16, 8), (17, 8), (20, 8)]
)
def test_the_smaller_question_has_half_of_the_words_at_most(
    reader: Reader, hands: Hands, words: int, smaller: int
) -> None:
    asked = at_questions(reader, hands, 0.21, 0.35)
    assert block(reader, hands.clock, " ".join(WORDS.split()[:words])).asked.words == smaller
    assert asked == [words, smaller]


def test_the_smaller_one_too_late_is_silence(reader: Reader, hands: Hands) -> None:
    asked = at_questions(reader, hands, 0.21, 0.37)
    found = block(reader, hands.clock)
    assert (asked, found.asked) == ([20, 8], (8, LATE))
    assert (found.text, found.shown, found.judged, found.reason) == ("", (), (), LATE)


@pytest.mark.parametrize(("answered_s", "why"), [(0.35, None), (0.37, LATE)])
def test_a_short_prompt_has_the_whole_time_and_no_second_question(
    reader: Reader, hands: Hands, answered_s: float, why: str | None
) -> None:
    asked = at_questions(reader, hands, answered_s)
    found = block(reader, hands.clock, "consent banner checkout")
    assert (found.reason, found.asked, bool(found.text)) == (why, (3, why), why is None)
    assert asked == [3]


@pytest.mark.parametrize(("prompt", "words"), [(WORDS, 20), ("consent banner", 2)])
def test_an_answer_that_is_made_too_late_is_none(
    reader: Reader, hands: Hands, monkeypatch: pytest.MonkeyPatch, prompt: str, words: int
) -> None:
    def late(*_: object, **__: object) -> str:
        hands.now_s = 0.37
        return "late"

    monkeypatch.setattr("jezero_hooks.render.first_prompt_text", late)
    found = block(reader, hands.clock, prompt)
    assert (found.text, found.reason, found.asked.words) == ("", LATE, words)


def test_the_smaller_question_has_enough_words_for_the_evidence(
    reader: Reader, hands: Hands
) -> None:
    config = Config()
    rule = config.first_prompt._replace(small_words=2, evidence_words=3)
    asked = at_questions(reader, hands, 0.21, 0.3)
    first_prompt_block(
        reader, config._replace(first_prompt=rule), WORDS, now_s=NOW_S, clock=hands.clock
    )
    assert asked == [20, 3]


def test_the_reader_has_no_clock_afterwards(reader: Reader, hands: Hands) -> None:
    at_questions(reader, hands, 0.21, 0.37)
    block(reader, hands.clock)
    session_start_block(reader, Config(), None, clock=hands.clock)
    assert reader.count() == 2


# --- session start ---------------------------------------------------------------------------


@pytest.mark.parametrize(("now_s", "late"), [(0.35, None), (0.37, LATE)])
def test_session_start_is_silent_when_late(
    place: Place, reader: Reader, hands: Hands, now_s: float, late: str | None
) -> None:
    hands.now_s = now_s
    folder = str(place.user / "code" / "orion")
    found = session_start_block(reader, Config(), folder, clock=hands.clock)
    assert (found.late, bool(found.text), len(found.items)) == (late, not late, 0 if late else 2)


# --- SQLite ----------------------------------------------------------------------------------


def test_a_statement_that_never_ends_is_interrupted(place: Place) -> None:
    place.put(item(1, "Consent banner"))
    db = apsw.Connection(str(place.library))
    db.execute("DROP TABLE hooks_words")
    db.execute(
        "CREATE VIEW hooks_words(word, items) AS WITH RECURSIVE r(n) AS"
        " (SELECT 0 UNION ALL SELECT n + 1 FROM r) SELECT 'x' || n, n FROM r"
    )
    db.close()
    reader = open_library(str(place.library))
    looks = iter(range(1_000))
    reader.stop_when(lambda: next(looks) == 100)
    with pytest.raises(LateError, match="took too long"):
        endless(reader)
    assert next(looks) == 101
    reader.stop_when(None)
    assert reader.count() == 1


def endless(reader: Reader) -> None:
    with reader._faults():
        reader._db.execute("SELECT sum(items) FROM hooks_words").fetchall()


# --- one moment ------------------------------------------------------------------------------


def test_an_answer_is_of_one_moment(
    place: Place, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Reader.search

    def later(self: Reader, *asked: Any, **how: Any) -> Any:
        with Writer(str(place.library)) as writer, writer.transaction():
            writer.remove(1)
        return search(self, *asked, **how)

    monkeypatch.setattr(Reader, "search", later)
    prompt = "consent banner"
    block = first_prompt_block(reader, Config(), prompt, now_s=NOW_S)
    assert [hit.id for hit in block.shown] == [1]  # as when its words were counted
    assert not first_prompt_block(reader, Config(), prompt, now_s=NOW_S).shown


# --- the clock -------------------------------------------------------------------------------


def test_what_was_spent_before_counts(hands: Hands) -> None:
    clock = Clock(0.4, age_s=0.1, now=lambda: hands.now_s)
    assert clock.left_s() == pytest.approx(0.3)
    hands.now_s = 0.101
    assert (clock.full_is_over(), clock.is_over()) == (True, False)
    clock.allow(0.05)
    assert (clock.left_s(), clock.is_over()) == (0.0, True)


def test_it_can_be_claimed_once(hands: Hands) -> None:
    assert [hands.clock.claim() for _ in range(3)] == [True, False, False]


def test_a_wait_ends_with_a_budget_that_became_smaller() -> None:
    clock = Clock(600.0)
    looks: list[float] = []

    def left_s(share: float = 1.0) -> float:
        looks.append(share)
        if len(looks) == 1:
            clock.allow(0.0)
            assert not clock._changed.locked()  # or it would sleep on
        return 600.0 if len(looks) == 1 else 0.0

    clock.left_s = left_s  # type: ignore[method-assign]
    clock.wait()
    assert len(looks) == 2


def test_a_wait_goes_on_with_a_larger_budget_unwoken() -> None:
    clock = Clock(600.0)
    waits: list[float] = []

    def left_s(share: float = 1.0) -> float:
        waits.append(clock._waits_until_s)
        if len(waits) == 2:
            clock.allow(1200.0)
            assert clock._changed.locked()
            clock.allow(0.0)
            assert not clock._changed.locked()
        return 0.0 if len(waits) == 3 else 600.0

    clock.left_s = left_s  # type: ignore[method-assign]
    clock.wait()
    assert waits[0] > waits[1] > 0


def age_of(command: list[str]) -> float:
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}]\n"
    code += "from jezero_hooks.clock import process_age_s; print(process_age_s())"
    started_s = time.monotonic()
    done = subprocess.run([*command, code], capture_output=True, text=True, check=True)
    age_s = float(done.stdout)
    assert 0 <= age_s <= time.monotonic() - started_s + 0.02  # the system counts in 0.01 s
    return age_s


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux tells")
def test_the_launchers_time_counts() -> None:
    launcher = ["sh", "-c", 'sleep 0.3; exec "$0" -I -S -c "$1"', sys.executable]
    assert age_of(launcher) >= 0.3


def test_a_figure_that_cannot_be_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:

    def unknown(*_: object) -> int:
        raise OSError

    monkeypatch.setattr(os, "open", unknown)
    assert 0 <= process_age_s() <= 0.05


# --- dry run ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("full", "answer", "said"),
    [("0.5", "0.9", (3, None)), ("0.0", "0.9", (2, "all")), ("0.0", "0.0", (2, "no answer"))],
)
def test_dry_run_says_what_was_asked(
    place: Place,
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
    full: str,
    answer: str,
    said: tuple[int, str | None],
) -> None:
    """The shares are set so that no machine's pace decides."""
    monkeypatch.setattr("jezero_hooks.clock.FULL_SHARE", float(full))
    monkeypatch.setattr("jezero_hooks.clock.ANSWER_SHARE", float(answer))
    monkeypatch.setattr("jezero_hooks.dryrun.Clock", lambda _: Clock(30.0))
    place.write_config("first_prompt: {small_words: 2}\n")
    argv = ("--dry-run", "--prompt", "consent banner checkout again", "--cwd", place.folder)
    shown = place.json(*argv)
    first, start = shown["first_prompt"], shown["session_start"]
    words, why = said
    silent = why == "no answer"
    assert first["asked"]["words"] == words
    assert str(first["asked"]["why"]).startswith(str(why))
    assert bool(first["text"]) is bool(first["shown"]) is not silent
    assert (bool(start["late"]), bool(start["text"])) == (silent, not silent)
    out = place.run(*argv).out
    assert ("no answer within 30000 ms" in " ".join(out.split())) is silent
    assert ("Asked" in out) is (why is not None)
