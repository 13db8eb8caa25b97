"""The first prompt, once: marks that hide the session, are made once, and go when they are old."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.session import clear_old_marks, is_first_prompt, mark_name

DAY_S = 86_400.0
NOW_S = 1_800_000_000.0

# Source: draft-eastlake-fnv, test vectors of FNV-1a with 128 bits.
FNV = {
    "": "6c62272e07bb014262b821756295c58d",
    "a": "d228cb696f1a8caf78912b704e4a8964",
    "foobar": "343e1662793c64bf6f0d3597ba446f18",
}


@pytest.mark.parametrize(("session", "name"), FNV.items())
def test_a_marks_name_is_the_sessions_hash(session: str, name: str) -> None:
    assert mark_name(session) == name


@given(st.text(alphabet=st.characters()))
def test_any_session_has_a_file_name(session: str) -> None:
    name = mark_name(session)
    assert len(name) == 32
    assert set(name) <= set("0123456789abcdef")


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_sessions_have_two_names(one: str, other: str) -> None:
    assert (mark_name(one) == mark_name(other)) == (one == other)


def test_an_endless_session_is_hashed_in_bounded_time() -> None:
    assert mark_name("x" * 10_000_000) == mark_name("x" * 200)


def test_the_first_prompt_is_the_first(tmp_path: Path) -> None:
    home = str(tmp_path / "not there yet" / "home")
    answers = [is_first_prompt(home, session) for session in ("a", "a", "b", "a", "b", "A")]
    assert answers == [True, False, True, False, False, True]


def ask(barrier: threading.Barrier, home: str, session: str) -> bool:
    barrier.wait(10)
    return is_first_prompt(home, session)


def test_of_many_at_once_one_is_the_first(tmp_path: Path) -> None:
    at_once = 8
    with ThreadPoolExecutor(at_once) as pool:
        for round_ in range(100):
            home = str(tmp_path / str(round_ // 2))  # every other time there is no folder yet
            barrier = threading.Barrier(at_once)

            asked = [pool.submit(ask, barrier, home, str(round_)) for _ in range(at_once)]
            answers = [one.result() for one in asked]
            assert sum(answers) == 1


def test_marks_are_empty_and_private(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        is_first_prompt(str(tmp_path / "home"), "a")
    finally:
        os.umask(umask)
    modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*")}
    assert modes == {"home": 0o700, "sessions": 0o700, mark_name("a"): 0o600}
    assert (tmp_path / "home/sessions" / mark_name("a")).read_bytes() == b""


@pytest.mark.parametrize(
    "make",
    [Path.touch, os.mkfifo, lambda path: path.symlink_to(path)],
    ids=["file", "pipe", "loop"],
)
@pytest.mark.parametrize("place", ["home", "home/sessions"])
def test_where_no_mark_can_be_written_it_answers(
    tmp_path: Path, place: str, make: Callable[[Path], None]
) -> None:
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    make(path)
    assert [is_first_prompt(str(tmp_path / "home"), "a") for _ in range(2)] == [True, True]


def test_old_marks_go_young_ones_stay(tmp_path: Path) -> None:
    ages = {"new": 0.0, "young": 59.9, "old": 60.1, "older": 400.0, "future": -3.0}
    for session, age_days in ages.items():
        is_first_prompt(str(tmp_path), session)
        then_s = NOW_S - age_days * DAY_S
        os.utime(tmp_path / "sessions" / mark_name(session), (then_s, then_s))
    assert clear_old_marks(str(tmp_path), now_s=NOW_S) == 2
    left = {mark.name for mark in (tmp_path / "sessions").iterdir()}
    assert left == {mark_name(session) for session in ("new", "young", "future")}


def test_what_is_no_mark_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "sessions" / "folder"
    folder.mkdir(parents=True)
    os.utime(folder, (0, 0))
    (tmp_path / "sessions" / "link").symlink_to("nowhere")
    assert clear_old_marks(str(tmp_path), now_s=NOW_S) == 0
    assert folder.is_dir()


def test_without_marks_there_is_nothing_to_clear(tmp_path: Path) -> None:
    assert clear_old_marks(str(tmp_path / "nowhere"), now_s=NOW_S) == 0
    assert list(tmp_path.iterdir()) == []
