"""The import of transcripts into a library: once, in order, whatever stops it half-way."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from jezero_hooks.errors import JezeroError
from jezero_hooks.importers.run import import_items, import_transcripts, transcripts
from jezero_hooks.importers.transcript import Limits
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.reader import open_library
from jezero_hooks.library.writer import Writer
from jezero_hooks.model import NewItem
from tests.commands import PROGRAM, TRANSCRIPTS, Done, Place, item, without_root

CASES = Path(__file__).parent / "cases"
EMPTY = {"inserted": 0, "updated": 0, "unchanged": 0, "redacted": 0, "left_out": 0, "failed": []}
PROMPT = "why does the consent banner fail on checkout again"
SCENES = sorted(path.name for path in (TRANSCRIPTS / "2.1.332").iterdir() if path.is_dir())


def imported(place: Place, *argv: object) -> dict[str, Any]:
    """Import; return the counts that are not zero."""
    report = place.json("import", *argv)
    assert sorted(report) == sorted(EMPTY)
    return {name: count for name, count in report.items() if count}


def rows(place: Place) -> list[dict[str, Any]]:
    """Return every item, by its external id, without what differs from one import to another."""
    connection = apsw.Connection(str(place.library), flags=apsw.SQLITE_OPEN_READONLY)
    names = "source, external_id, occurred_at, title, summary, questions, atoms, project, original"
    found = connection.execute(f"SELECT {names} FROM items ORDER BY source, external_id")
    return [dict(zip(names.split(", "), row, strict=True)) for row in found]


def ids(place: Place) -> dict[str, int]:
    connection = apsw.Connection(str(place.library), flags=apsw.SQLITE_OPEN_READONLY)
    return dict(connection.execute("SELECT external_id, id FROM items"))


def count(place: Place) -> int:
    try:
        return open_library(str(place.library)).count()
    except JezeroError:
        return 0


def assert_sound(place: Place) -> None:
    if not place.library.exists():
        return
    connection = apsw.Connection(str(place.library))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.execute("INSERT INTO items_fts (items_fts, rank) VALUES ('integrity-check', 0)")
    connection.close()
    assert library_faults(str(place.library)) == []


def sessions(place: Place, number: int) -> list[str]:
    """Write that many transcripts; return their sessions."""
    return [place.session(n, f"question no {n} about the banner")[0] for n in range(1, number + 1)]


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.002)


# --- once, and no more ------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
def test_real_sessions_are_imported_once(version: str, place: Place) -> None:
    for scene in SCENES:
        if (TRANSCRIPTS / version / scene).is_dir():
            place.take(scene, version)
    files = [p for p in place.projects.rglob("*.jsonl") if "subagents" not in p.parts]
    report = place.json("import")
    assert (report["failed"], report["updated"], report["unchanged"]) == ([], 0, 0)
    assert report["inserted"] >= len(files) - 2
    first = rows(place)
    assert len(first) == report["inserted"]
    assert {row["source"] for row in first} == {"claude-code"}
    assert imported(place) == {"unchanged": len(files)}
    for path in files:  # read again, and found to say the same
        os.utime(path, (1_700_000_000, 1_700_000_000))
    again = imported(place)
    assert set(again) <= {"unchanged", "redacted"}
    assert rows(place) == first
    assert_sound(place)


def test_an_unchanged_file_is_not_opened(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    sessions(place, 3)
    assert imported(place) == {"inserted": 3}

    def opened(*args: object) -> None:
        raise AssertionError("a file was read that had not changed")

    monkeypatch.setattr("jezero_hooks.importers.run.read_session", opened)
    assert imported(place) == {"unchanged": 3}


def test_a_grown_file_is_updated_in_place(place: Place) -> None:
    _, path = place.session(1, "why does the banner fail")
    sessions_before = sessions(place, 3)[1:]
    assert imported(place) == {"inserted": 3}
    before = ids(place)
    grown = path.read_text()
    session, path = place.session(1, "question no 1 about the banner", "and on a phone?")
    assert len(path.read_text()) > len(grown)
    assert imported(place) == {"updated": 1, "unchanged": 2}
    assert ids(place) == before
    assert [json.loads(r["questions"]) for r in rows(place) if r["external_id"] == session] == [
        ["question no 1 about the banner", "and on a phone?"]
    ]
    assert place.json("search", "phone")["count"] == 1
    assert len(sessions_before) == 2
    assert_sound(place)


@pytest.mark.parametrize("commit_after_s", [0.0, 3600.0])
def test_the_newest_come_first_and_are_kept_soon(
    commit_after_s: float, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jezero_hooks.importers.run.COMMIT_AFTER_S", commit_after_s)
    expected = sessions(place, 5)[::-1]
    found = transcripts([str(place.projects)])
    assert [Path(path).stem for path in found] == expected
    place.home.mkdir(mode=0o700)
    seen: list[tuple[str, int]] = []
    with Writer(str(place.library)) as writer:
        report = import_transcripts(
            found,
            writer,
            project_of=lambda folder: None,
            limits=Limits(),
            progress=lambda path, report: seen.append((Path(path).stem, count(place))),
        )
    kept = [0] * 5 if commit_after_s else range(1, 6)
    assert seen == list(zip(expected, kept, strict=True))
    assert count(place) == 5
    assert (report.inserted, report.failed) == (5, ())


def seen_in_a_terminal(place: Place, *argv: str) -> str:
    """Run a command with a terminal for its messages; return what it wrote there."""
    mine, its = pty.openpty()
    started = subprocess.Popen(
        [*PROGRAM, *argv],
        env=place.variables(TERM="xterm", COLUMNS="100"),
        cwd=place.folder,
        stdout=subprocess.DEVNULL,
        stderr=its,
    )
    os.close(its)
    seen = b""
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(mine, 65_536):
            seen += part
    os.close(mine)
    assert started.wait(timeout=60) == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())


def test_a_person_sees_files_items_speed_and_the_time_left(place: Place) -> None:
    sessions(place, 3)
    seen = seen_in_a_terminal(place, "import")
    assert re.search(r"importing ━+ 3 of 3 files, 3 items +[\d.]+ [kM]?B(ytes)?/s", seen), seen


def test_a_person_sees_how_ready_made_items_go(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr("jezero_hooks.importers.run.ITEMS_A_COMMIT", 2)
    path = place.folder / "items.jsonl"
    one = {"occurred_at": "2026-09-01", "title": "A title"}
    path.write_text("".join(json.dumps({**one, "external_id": n}) + "\n" for n in "abcde"))
    size = path.stat().st_size // 5
    place.home.mkdir(mode=0o700)
    with Writer(str(place.library)) as writer:
        import_items(str(path), "x", writer, lambda done, r: told.append((done, r.inserted)))
    assert told == [(2 * size, 2), (4 * size, 4)]


def test_a_fault_takes_back_what_was_not_yet_kept_and_nothing_else(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions(place, 5)
    found = transcripts([str(place.projects)])
    place.home.mkdir(mode=0o700)
    puts: list[str] = []
    now_s = [0.0]

    def fails_at_the_fourth(new: list[NewItem], writer: Writer) -> list[str]:
        puts.extend(writer.put(item, ingested_at="2026-11-30T00:00:00+00:00") for item in new)
        if len(puts) == 4:
            raise RuntimeError("a fault of ours")
        if len(puts) == 2:
            now_s[0] = 3600.0
        return ["inserted"]

    monkeypatch.setattr("jezero_hooks.library.writer.time.monotonic", lambda: now_s[0])
    monkeypatch.setattr("jezero_hooks.importers.run._put", fails_at_the_fourth)
    with (
        Writer(str(place.library)) as writer,
        pytest.raises(RuntimeError, match="a fault of ours"),
    ):
        import_transcripts(found, writer, project_of=lambda folder: None, limits=Limits())
    assert (len(puts), count(place)) == (4, 2)
    assert_sound(place)


def test_paths_are_imported_once_however_they_are_named(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = place.session(1, "why does the banner fail")
    monkeypatch.chdir(place.client)
    assert imported(place, "projects", path, path.relative_to(place.client), place.projects) == {
        "inserted": 1
    }
    assert imported(place) == {"unchanged": 1}
    monkeypatch.chdir(place.user)
    assert imported(place, "../client/projects") == {"unchanged": 1}


def test_a_path_that_is_not_there_is_refused_and_leaves_nothing(place: Place) -> None:
    done = place.run("import", place.user / "gone.jsonl")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"jezero-hook: {place.user / 'gone.jsonl'}: is not there")
    assert not place.library.exists()


def test_a_file_that_goes_meanwhile_costs_itself_alone(place: Place) -> None:
    sessions(place, 2)
    broken = place.projects / "-w-orion" / "gone.jsonl"
    broken.symlink_to(place.projects / "nowhere")
    place.home.mkdir(mode=0o700)
    found = [str(broken), *transcripts([str(place.projects)])]
    with Writer(str(place.library)) as writer:
        report = import_transcripts(found, writer, project_of=lambda folder: None, limits=Limits())
    assert report.inserted == 2
    ((path, line, reason),) = report.failed
    assert (path, line, reason) == (str(broken), None, "No such file or directory")


def test_no_sessions_at_all(place: Place) -> None:
    assert imported(place) == {}
    place.projects.mkdir(parents=True)
    assert imported(place) == {}
    done = place.run("import")
    assert (done.code, done.err) == (0, "")


def test_names_that_are_no_utf_8(place: Place) -> None:
    _, path = place.session(1, "why does the banner fail")
    odd = os.fsencode(place.projects) + b"/caf\xe9"
    try:
        os.rename(path.parent, odd)
    except OSError:
        pytest.skip("a file system that takes UTF-8 alone")
    assert imported(place) == {"inserted": 1}
    assert imported(place) == {"unchanged": 1}


def test_a_folder_of_characters_that_are_none(place: Place) -> None:
    place.session(1, "why does the banner fail", folder="/w/ori\ud800on")
    sessions(place, 2)
    assert imported(place)["inserted"] == 2
    assert_sound(place)


def test_the_library_is_private(place: Place) -> None:
    old = os.umask(0)
    try:
        sessions(place, 1)
        imported(place)
        modes = {p.name: p.stat().st_mode & 0o777 for p in [place.home, *place.home.iterdir()]}
    finally:
        os.umask(old)
    assert modes.pop(place.home.name) == 0o700
    assert set(modes.values()) == {0o600}, modes


def test_bad_lines_are_told_with_their_numbers(place: Place) -> None:
    _, path = place.session(1, "why does the banner fail")
    path.write_bytes(path.read_bytes() + b'{"type":"user"\n[1]\n')
    report = place.json("import")
    assert report["inserted"] == 1
    assert [(f["path"], f["line"]) for f in report["failed"]] == [(str(path), 3), (str(path), 4)]
    os.utime(path)
    done = place.run("import")
    assert done.code == 0
    assert f"{path}:3: " in done.out


# --- forks and resumes (IM-06) ----------------------------------------------------------------


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 2, 1), (2, 1, 3), (2, 3, 1)])
@pytest.mark.parametrize("by", ["time", "path"])
def test_im_06_a_prompt_that_a_fork_repeats_counts_once(
    order: tuple[int, ...], by: str, place: Place
) -> None:
    shutil.copytree(CASES / "IM-06", place.projects / "-w-orion")
    files = {int(path.name[0]): path for path in place.projects.rglob("*.jsonl")}
    assert sorted(files) == [1, 2, 3]
    for age, number in enumerate(order):  # the newest is taken first
        os.utime(files[number], (1_788_000_000 - age, 1_788_000_000 - age))
    if by == "time":
        assert imported(place)["inserted"] in (2, 3)
    else:
        for number in order:
            imported(place, files[number])
    first = rows(place)
    asked = [question for row in first for question in json.loads(row["questions"])]
    assert sorted(asked) == ["por que falla el banner"] * 2 + ["y en el movil?"]
    for again in (order, order[::-1]):
        for age, number in enumerate(again):
            os.utime(files[number], (1_789_000_000 - age, 1_789_000_000 - age))
        assert not {"inserted", "updated"} & imported(place).keys()
        assert rows(place) == first
    assert_sound(place)


def test_a_forks_parent_has_a_transcript_though_no_item(place: Place) -> None:
    shutil.copytree(CASES / "IM-06", place.projects / "-w-orion")
    for age, path in enumerate(sorted(place.projects.rglob("*.jsonl"), reverse=True)):
        os.utime(path, (1_788_000_000 - age, 1_788_000_000 - age))
    history(place, *(prompt(f"{n}" * 8 + f"-0000-4000-8000-00000000000{n}", "por que falla")
                     for n in (1, 2, 3)))  # fmt: skip
    imported(place)
    assert all(row["original"] for row in rows(place))


def test_the_real_forks_prompts_count_once(place: Place) -> None:
    place.take("12_forked")
    imported(place)
    asked = [question for row in rows(place) for question in json.loads(row["questions"])]
    assert len(asked) == len(set(asked)) > 1


# --- the prompt history -------------------------------------------------------------------------


def history(place: Place, *entries: dict[str, Any] | str) -> Path:
    path = place.client / "history.jsonl"
    path.parent.mkdir(exist_ok=True)
    lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def prompt(session: str, display: str, minute: int = 0) -> dict[str, Any]:
    return {
        "display": display,
        "timestamp": 1_788_220_800_000 + minute * 60_000,
        "project": "/w/orion",
        "sessionId": session,
        "pastedContents": {},
    }


GONE = "99999999-0000-4000-8000-000000000009"


def test_the_history_fills_in_sessions_without_a_transcript(place: Place) -> None:
    here, _ = place.session(1, "why does the banner fail")
    history(
        place,
        prompt(here, "why does the banner fail"),
        prompt(GONE, "where do the backups go"),
        prompt(GONE, "and the old ones?", 5),
    )
    assert imported(place) == {"inserted": 2}
    by_id = {row["external_id"]: row for row in rows(place)}
    thin = by_id[GONE]
    assert thin["source"] == "claude-code"
    assert json.loads(thin["questions"]) == ["where do the backups go", "and the old ones?"]
    assert (thin["original"], thin["project"]) == (None, "orion")
    assert thin["occurred_at"].startswith("2026-09-01T")
    assert by_id[here]["original"]
    assert imported(place) == {"unchanged": 1}
    assert_sound(place)


def test_a_transcript_takes_the_place_of_a_thin_item(place: Place) -> None:
    session = "00000001-0000-4000-8000-000000000001"
    history(place, prompt(session, "why does the banner fail"))
    assert imported(place) == {"inserted": 1}
    before = ids(place)
    assert place.session(1, "why does the banner fail")[0] == session
    assert imported(place) == {"updated": 1}
    assert ids(place) == before
    history(place, prompt(session, "why does the banner fail"), prompt(session, "and on a phone?"))
    assert imported(place) == {"unchanged": 1}
    (row,) = rows(place)
    assert row["original"]
    assert json.loads(row["questions"]) == ["why does the banner fail"]


def test_a_thin_item_grows_with_the_history(place: Place) -> None:
    history(place, prompt(GONE, "where do the backups go"))
    imported(place)
    history(place, prompt(GONE, "where do the backups go"), prompt(GONE, "and the logs?"))
    assert imported(place) == {"updated": 1}


def test_a_history_that_is_none_costs_nothing(place: Place) -> None:
    sessions(place, 1)
    (place.client / "history.jsonl").mkdir()
    report = place.json("import")
    assert report["inserted"] == 1
    assert [f["path"] for f in report["failed"]] == [str(place.client / "history.jsonl")]


def test_bad_lines_of_the_history(place: Place) -> None:
    path = history(place, "{", prompt(GONE, "where do the backups go"), "[]", "")
    report = place.json("import")
    assert report["inserted"] == 1
    assert [(f["path"], f["line"]) for f in report["failed"]] == [(str(path), 1), (str(path), 3)]


def test_named_paths_leave_the_history_alone(place: Place) -> None:
    _, path = place.session(1, "why does the banner fail")
    history(place, prompt(GONE, "where do the backups go"))
    assert imported(place, path) == {"inserted": 1}


# --- the running session ------------------------------------------------------------------------


def test_the_running_session_is_left_out(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    running, path = place.session(1, "what runs now")
    place.session(2, "what ran before")
    history(place, prompt(running, "what runs now"), prompt(GONE, "where do the backups go"))
    assert imported(place, "--skip-session", running) == {"inserted": 2}
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", running)
    assert imported(place) == {"unchanged": 1}
    assert running not in ids(place)
    assert imported(place, path) == {"inserted": 1}  # it has ended: the session-end hook says so
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    assert imported(place) == {"unchanged": 2}


# --- stopped half-way -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[dict[str, Any]]]:
    """What an import that nothing stops makes of 120 sessions."""
    with pytest.MonkeyPatch.context() as patch:
        other = Place(tmp_path_factory.mktemp("whole"), patch, None)  # type: ignore[arg-type]
        sessions(other, 120)
        assert other.process("import").code == 0
        yield rows(other)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_killed_import_is_made_good_by_the_next(
    seed: int, place: Place, whole: list[dict[str, Any]]
) -> None:
    chance = random.Random(seed)
    sessions(place, 120)
    left = []
    for least in (0, 10, 40, 80):
        started = place.start("import")
        wait_for(lambda n=least: count(place) >= n)  # type: ignore[misc]
        time.sleep(chance.random() / 50)  # somewhere in a transaction, or between two
        started.send_signal(signal.SIGKILL)
        started.communicate()
        left.append(count(place))
        assert_sound(place)
    assert any(0 < items < 120 for items in left)
    assert left == sorted(left)
    done = place.process("import", "--json")
    assert (done.code, done.json["failed"]) == (0, [])
    assert left[-1] + done.json["inserted"] == 120
    assert rows(place) == whole
    assert_sound(place)


def test_an_interrupted_import_is_130_and_loses_nothing(
    place: Place, whole: list[dict[str, Any]]
) -> None:
    sessions(place, 120)
    started = place.start("import")
    wait_for(lambda: count(place) >= 5)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, b"", b"jezero-hook: interrupted\n")
    assert 5 <= count(place) < 120
    assert_sound(place)
    assert place.process("import").code == 0
    assert rows(place) == whole


def test_two_at_once_take_turns(place: Place, whole: list[dict[str, Any]]) -> None:
    sessions(place, 120)
    started = [place.start("import", "--json") for _ in range(2)]
    reports = []
    for process in started:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        reports.append(json.loads(out))
    assert sorted(report["inserted"] for report in reports) == [0, 120]
    assert sorted(report["unchanged"] for report in reports) == [0, 120]
    assert rows(place) == whole


# --- disk full (FT-09) --------------------------------------------------------------------------


def long_sessions(place: Place, number: int) -> None:
    chance = random.Random(9)
    for n in range(1, number + 1):
        words = " ".join(f"w{chance.randrange(10**6)}" for _ in range(1_500))
        place.session(n, f"question no {n} about {words}")


@pytest.mark.parametrize("how", ["pages", "bytes"])
def test_ft_09_a_full_disk_leaves_nothing_half_written(
    how: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.put(item(1, "Consent banner fails on checkout"))
    long_sessions(place, 40)
    if how == "pages":
        prepare = Writer._prepare

        def limited(self: Writer, tokenizer: str) -> None:
            prepare(self, tokenizer)
            self._db.execute("PRAGMA max_page_count = 150").fetchall()

        monkeypatch.setattr(Writer, "_prepare", limited)
        done = place.run("import")
        monkeypatch.undo()
        for name, value in place.environment.items():
            monkeypatch.setenv(name, value)
    else:
        done = limited_process(place, 600_000)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"jezero-hook: {place.library}: the disk ")
    assert done.err.count("\n") == 1
    assert_sound(place)
    assert 1 < count(place) < 41
    assert place.json("search", "consent")["count"] == 1
    report = place.json("import")
    assert (report["failed"], count(place)) == ([], 41)
    assert len({row["external_id"] for row in rows(place)}) == 41
    assert_sound(place)


def limited_process(place: Place, size: int) -> Done:
    """Run an import in a process whose files cannot grow beyond a size."""
    code = (
        f"import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "from jezero_hooks.cli import main; sys.exit(main(['import']))"
    )
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] in (-1, resource.RLIM_INFINITY)
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=place.variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Done(ended.returncode, ended.stdout, ended.stderr)


# --- locks (FT-06, LK-01) -----------------------------------------------------------------------


def put_a(place: Place) -> None:
    place.put(
        item(
            1,
            "Consent banner fails on checkout",
            summary="test:consent broke after the cookie rename",
            project="orion",
        )
    )


def asked(number: int) -> dict[str, Any]:
    return {"session_id": f"s-{number}", "prompt": PROMPT}


def test_ft_06_a_library_that_another_program_writes_to(place: Place) -> None:
    put_a(place)
    place.session(1, "where do the backups go")
    holder = apsw.Connection(str(place.library))
    holder.execute("BEGIN IMMEDIATE")
    started = place.start("import", "--json")
    try:
        lock = place.home / "library.lock"
        wait_for(lock.exists)
        began = time.monotonic()
        assert "[1] 2026-09-01 Consent banner" in place.hook("first_prompt", asked(1))
        assert place.json("search", "consent")["count"] == 1
        assert time.monotonic() - began < 2
        assert started.poll() is None
        threading.Timer(1, holder.execute, ["COMMIT"]).start()
        out, err = started.communicate(timeout=60)
    finally:
        started.kill()
        holder.close()
    assert (started.returncode, err) == (0, b"")
    assert json.loads(out) == {**EMPTY, "inserted": 1}


def make_lock(place: Place, variant: str) -> None:
    lock = place.home / "library.lock"
    if variant == "of a dead process":
        lock.write_text("999999999\n")
        os.utime(lock, (time.time() - 3_600,) * 2)
    elif variant == "empty":
        lock.write_text("")
    elif variant == "a folder":
        lock.mkdir()


@pytest.mark.parametrize("variant", ["of a dead process", "empty", "a folder"])
def test_lk_01_a_lock_file_that_was_left(variant: str, place: Place) -> None:
    put_a(place)
    place.session(1, "where do the backups go")
    make_lock(place, variant)
    began = time.monotonic()
    done = place.process("import", "--json")
    assert "[1]" in place.hook("first_prompt", asked(1))
    assert time.monotonic() - began < 5
    if variant == "a folder":
        reason = f"{place.home / 'library.lock'}: cannot be locked: Is a directory"
        assert (done.code, done.err) == (1, f"jezero-hook: {reason}\n")
        assert done.json == {"error": reason}
    else:
        assert (done.code, done.err, done.json) == (0, "", {**EMPTY, "inserted": 1})


def test_lk_01_a_folder_that_may_not_be_written(place: Place) -> None:
    before = without_root()
    put_a(place)
    place.session(1, "where do the backups go")
    (place.home / "import.stamp").touch()
    place.home.chmod(0o500)
    try:
        assert "[1]" in place.hook("first_prompt", asked(1), before)
        ended = subprocess.run(
            [*before, *PROGRAM, "import"],
            env=place.variables(),
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    finally:
        place.home.chmod(0o700)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "cannot be locked: Permission denied" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_lk_01_a_file_system_without_locks(place: Place) -> None:
    put_a(place)
    place.session(1, "where do the backups go")
    code = (
        "import errno, fcntl, sys\n"
        "def flock(fd, how): raise OSError(errno.ENOLCK, 'No locks available')\n"
        "fcntl.flock = flock\n"
        "from jezero_hooks.cli import main; sys.exit(main(['import']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=place.variables(),
        capture_output=True,
        text=True,
        timeout=5,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "cannot be locked: No locks available" in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert "[1]" in place.hook("first_prompt", asked(1))


@contextmanager
def held(place: Place) -> Iterator[None]:
    """Hold the import's lock, as another process does."""
    place.home.mkdir(mode=0o700, exist_ok=True)
    with (place.home / "library.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def test_an_import_that_waits_in_vain_says_so(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions(place, 1)
    monkeypatch.setattr("jezero_hooks.importing.BY_HAND_WAIT_S", 0.1)
    place.put(item(1))
    with held(place):
        for command in ("import", "rebuild"):
            done = place.run(command)
            assert (done.code, done.out) == (1, "")
            assert "another import is writing to it; try again" in done.err
            assert done.err.count("\n") == 1
    assert imported(place) == {"inserted": 1}


def test_a_second_import_in_the_background_leaves_at_once(place: Place) -> None:
    sessions(place, 1)
    with held(place):
        began = time.monotonic()
        assert place.process("import", "--background") == (0, "", "")
        assert time.monotonic() - began < 5
    assert not place.library.exists()


# --- in the background --------------------------------------------------------------------------


def test_in_the_background_it_is_silent_and_clears_old_marks(place: Place) -> None:
    sessions(place, 2)
    marks = place.home / "sessions"
    marks.mkdir(parents=True)
    (marks / "old").touch()
    (marks / "new").touch()
    os.utime(marks / "old", (1_700_000_000, 1_700_000_000))
    assert place.process("import", "--background") == (0, "", "")
    assert [mark.name for mark in marks.iterdir()] == ["new"]
    assert count(place) == 2


def test_in_the_background_a_faulty_config_means_the_defaults(place: Place) -> None:
    """As in the hooks: nobody is there to be told, and the library must not stop growing."""
    sessions(place, 1)
    place.write_config("search:\n\tlimit: 5\n")
    assert place.process("import", "--background") == (0, "", "")
    assert count(place) == 1


# --- what a person reads ------------------------------------------------------------------------


def test_the_counts_are_told(place: Place) -> None:
    sessions(place, 2)
    done = place.run("import")
    assert (done.code, done.err) == (0, "")
    assert "2 inserted, 0 updated, 0 unchanged" in done.out


def test_rebuild_tells_the_items(place: Place) -> None:
    place.put(item(1), item(2))
    done = place.run("rebuild")
    assert (done.code, done.err) == (0, "")
    assert "2 items" in done.out
    assert place.json("rebuild")["items"] == 2
