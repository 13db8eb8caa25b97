"""The library when something is wrong with it: other writers, rights, damage, a full disk, locks.

A fault is one LibraryError that names the file, and nothing is lost by it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from jezero_hooks.errors import JezeroError, LibraryError
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.connection import WRITE_WAIT_MS
from jezero_hooks.library.match import ITEMS_TOKENIZER, match_query
from jezero_hooks.library.reader import open_library
from jezero_hooks.library.rebuild import rebuild_library
from jezero_hooks.library.writer import Writer
from jezero_hooks.lock import AlreadyLockedError, writing

from .conftest import NOW, item

MakeLibrary = Callable[..., str]
BANNER = item("A", "Consent banner fails on checkout", "test:consent broke after a rename")
MENU = item("B", "Weekly menu", "Soup and bread")


@pytest.fixture
def library(make_library: MakeLibrary) -> str:
    return make_library(BANNER, MENU)


def found(path: str, query: str = "consent banner") -> list[str]:
    """Return the ids that a search finds in a library file."""
    reader = open_library(path)
    try:
        match = match_query(query, min_chars=3)
        return [hit.external_id for hit in reader.search(match, now_s=1.8e9, limit=10)]
    finally:
        reader.close()


def put(path: str, *external_ids: str) -> None:
    with Writer(path) as writer, writer.transaction():
        for external_id in external_ids:
            writer.put(item(external_id, f"stored {external_id}", "x" * 2_000), ingested_at=NOW)


def run_bound_by_rights(code: str, *arguments: str) -> str:
    """Run Python code that file permissions bind, also where root runs the tests; its stdout."""
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {root!r})\n{code}", *arguments],
        capture_output=True,
        text=True,
        preexec_fn=give_up_root if os.geteuid() == 0 else None,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def give_up_root() -> None:
    for right in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH out of the bounding set
        if ctypes.CDLL(None).prctl(24, right, 0, 0, 0):
            raise PermissionError("the tests' root may not give up its rights")


# --- FT-06: another process writes ---------------------------------------------------------------


def test_ft06_readers_do_not_wait_and_a_writer_does(library: str) -> None:
    other = Writer(library)
    began = threading.Event()
    stored: list[list[str]] = []

    def write() -> None:
        began.set()
        put(library, "C")
        stored.append(found(library, "stored"))

    thread = threading.Thread(target=write)
    try:
        with other.transaction():
            other.put(item("D", "another stored"), ingested_at=NOW)
            thread.start()
            assert began.wait(10)
            start_s = time.monotonic()
            assert found(library) == ["A"]
            assert found(library, "another stored") == []
            assert time.monotonic() - start_s < 1
            thread.join(0.3)
            assert thread.is_alive()
            assert stored == []
        thread.join(WRITE_WAIT_MS / 1000)
    finally:
        other.close()
        thread.join()
    assert sorted(stored[0]) == ["C", "D"]
    assert library_faults(library) == []


def test_ft06_a_reader_gives_up_soon_and_says_why(library: str) -> None:
    other = apsw.Connection(library)
    other.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").fetchall()
    try:
        start_s = time.monotonic()
        with pytest.raises(LibraryError, match="another program holds the library locked") as fault:
            open_library(library)
        assert time.monotonic() - start_s < 0.5
        assert str(fault.value).startswith(library)
    finally:
        other.close()
    assert found(library) == ["A"]


# --- FT-07: it may not be written ----------------------------------------------------------------

READ = """
from jezero_hooks.library.reader import open_library
print(open_library(sys.argv[1]).search('"consent"', now_s=0, limit=5)[0].external_id)
"""
WRITE = """
from jezero_hooks.errors import LibraryError
from jezero_hooks.library.writer import Writer
try:
    Writer(sys.argv[1])
except LibraryError as fault:
    print(fault)
"""


@pytest.fixture
def read_only_library(library: str) -> Iterator[str]:
    folder = os.path.dirname(library)
    os.chmod(library, 0o444)
    os.chmod(folder, 0o555)
    yield library
    os.chmod(folder, 0o755)


def test_ft07_a_read_only_folder_can_be_read(read_only_library: str) -> None:
    folder = os.path.dirname(read_only_library)
    before = sorted(os.listdir(folder))
    assert run_bound_by_rights(READ, read_only_library) == "A\n"
    assert sorted(os.listdir(folder)) == before


def test_ft07_writing_to_it_is_refused_in_one_line(read_only_library: str) -> None:
    raw = Path(read_only_library).read_bytes()
    said = run_bound_by_rights(WRITE, read_only_library)
    assert said.startswith(f"{read_only_library}: may not be opened; check the rights")
    assert said.count("\n") == 1
    assert Path(read_only_library).read_bytes() == raw


@pytest.mark.parametrize("name", ["a?mode=rw", "a%41", "a#b", "año & co", "a b", "a;b'c\"d", ":m:"])
def test_ft07_whatever_the_folder_is_called(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    path = folder / "library.db"
    with Writer(str(path)) as writer, writer.transaction():
        writer.put(BANNER, ingested_at=NOW)
    folder.chmod(0o555)
    try:
        assert run_bound_by_rights(READ, str(path)) == "A\n"
    finally:
        folder.chmod(0o755)


# --- FT-08: damage -------------------------------------------------------------------------------


def no_database(path: str) -> None:
    Path(path).write_text("not a database")


def a_folder(path: str) -> None:
    os.unlink(path)
    os.mkdir(path)


def of_another_program(path: str) -> None:
    os.unlink(path)
    with apsw.Connection(path) as db:
        db.execute("CREATE TABLE items (id)")
    db.close()


def later_version(path: str) -> None:
    with apsw.Connection(path) as db:
        db.execute("UPDATE meta SET value = '2' WHERE key = 'schema_version'")
    db.close()


def bytes_of(path: str) -> bytes | None:
    return Path(path).read_bytes() if os.path.isfile(path) else None


@pytest.mark.parametrize("damage", [no_database, a_folder, of_another_program, later_version])
@pytest.mark.parametrize(
    "use",
    [
        lambda path: open_library(path).timeline(limit=5),
        lambda path: put(path, "C"),
        lambda path: rebuild_library(path, ITEMS_TOKENIZER),
    ],
    ids=["read", "write", "rebuild"],
)
def test_ft08_damage_is_told_in_one_line_and_its_bytes_stay(
    library: str, damage: Callable[[str], None], use: Callable[[str], object]
) -> None:
    damage(library)
    raw = bytes_of(library)
    with pytest.raises(LibraryError) as fault:
        use(library)
    assert str(fault.value).startswith(f"{library}: ")
    assert "\n" not in str(fault.value)
    if damage is of_another_program:
        with apsw.Connection(library) as db:
            assert db.execute("SELECT name FROM sqlite_schema").fetchall() == [("items",)]
        db.close()
    else:
        assert bytes_of(library) == raw


@pytest.mark.parametrize("part", [0.05, 0.2, 0.4, 0.6, 0.8, 0.95])
def test_ft08_a_file_that_was_cut_is_kept(library: str, part: float) -> None:
    put(library, *[f"s{n}" for n in range(200)])
    os.truncate(library, int(os.path.getsize(library) * part))
    raw = bytes_of(library)
    with pytest.raises(LibraryError, match=r"^\S+/library.db: [^\n]+$"):
        put(library, *[f"t{n}" for n in range(200)])
    assert bytes_of(library) == raw
    try:
        items, damaged, _ = rebuild_library(library, ITEMS_TOKENIZER)
    except LibraryError:
        assert bytes_of(library) == raw
    else:
        assert damaged is not None
        assert bytes_of(damaged) == raw
        assert open_library(library).count() == items > 0
        assert library_faults(library) == []
    assert not [name for name in os.listdir(os.path.dirname(library)) if ".new" in name]


def test_ft08_what_a_cut_left_is_saved(library: str) -> None:
    put(library, *[f"s{n}" for n in range(200)])
    os.truncate(library, int(os.path.getsize(library) * 0.9))
    items, damaged, _ = rebuild_library(library, ITEMS_TOKENIZER)
    assert 100 < items < 202
    assert damaged is not None
    assert found(library) == ["A"]
    assert library_faults(library) == []


NO_TEXT = "UPDATE items SET {column} = CAST(x'ff41' AS TEXT) WHERE external_id = 'B'"
NO_JSON = "UPDATE items SET {column} = '[\"cut off' WHERE external_id = 'B'"


@pytest.mark.parametrize("column", ["title", "summary", "questions", "atoms"])
@pytest.mark.parametrize("damage", [NO_TEXT, NO_JSON], ids=["no UTF-8", "no JSON"])
def test_ft08_a_damaged_text_is_told_or_passed_over(library: str, column: str, damage: str) -> None:
    with apsw.Connection(library) as db:
        db.execute(damage.format(column=column))
    db.close()
    for use in (
        lambda: open_library(library).timeline(limit=5),
        lambda: open_library(library).item(1),
        lambda: open_library(library).item(2),
        lambda: library_faults(library),
        lambda: rebuild_library(library, ITEMS_TOKENIZER),
    ):
        with contextlib.suppress(LibraryError):
            use()
    assert found(library) == ["A"]


def test_ft08_a_file_of_no_bytes_becomes_a_library(library: str) -> None:
    os.truncate(library, 0)
    with pytest.raises(LibraryError, match="no such table"):
        open_library(library)
    put(library, "C")
    assert found(library, "stored") == ["C"]


def test_ft08_rebuild_mends_a_damaged_index(library: str) -> None:
    with apsw.Connection(library) as db:
        db.execute("DELETE FROM items_fts_data WHERE id > 1")
    db.close()
    with pytest.raises(LibraryError, match="is damaged; `jezero-hook rebuild`"):
        found(library)
    assert library_faults(library)
    assert rebuild_library(library, ITEMS_TOKENIZER) == (2, None, 0)
    assert found(library) == ["A"]
    assert library_faults(library) == []


def test_ft08_no_library_is_no_new_one(tmp_path: Path) -> None:
    path = str(tmp_path / "library.db")
    for use in (open_library, lambda path: rebuild_library(path, ITEMS_TOKENIZER)):
        with pytest.raises(LibraryError, match="is not there; `jezero-hook import` makes it"):
            use(path)
    assert os.listdir(tmp_path) == []


# --- FT-09: the disk is full ---------------------------------------------------------------------


def test_ft09_a_full_disk_stops_at_a_whole_item(library: str) -> None:
    wanted = [f"s{n}" for n in range(400)]
    stored: list[str] = []

    def put_all(writer: Writer) -> None:
        for external_id in wanted:
            with writer.transaction():
                new = item(external_id, f"stored {external_id}", f"{external_id} word " * 300)
                writer.put(new, ingested_at=NOW)
            stored.append(external_id)

    with Writer(library) as writer:
        ((pages,),) = writer._db.execute("PRAGMA page_count").fetchall()
        writer._db.execute(f"PRAGMA max_page_count = {int(str(pages)) + 60}")
        with pytest.raises(LibraryError, match="the disk is full; free some space") as fault:
            put_all(writer)
    assert str(fault.value).startswith(library)
    assert 0 < len(stored) < len(wanted)
    assert library_faults(library) == []
    assert found(library) == ["A"]
    assert open_library(library).count() == 2 + len(stored)
    put(library, *wanted)
    assert open_library(library).count() == 2 + len(wanted)
    assert library_faults(library) == []


# --- LK-01: the lock -----------------------------------------------------------------------------


def lock_of(library: str) -> Path:
    return Path(library).with_name("library.lock")


def stale(lock: Path) -> None:
    lock.write_text("999999")
    os.utime(lock, (time.time() - 3_600,) * 2)


@pytest.mark.parametrize("leave", [stale, Path.touch])
def test_lk01_a_lock_that_was_left_behind_keeps_nobody_out(
    library: str, leave: Callable[[Path], None]
) -> None:
    leave(lock_of(library))
    start_s = time.monotonic()
    with writing(library, wait_s=5):
        put(library, "C")
    assert time.monotonic() - start_s < 5
    assert found(library, "stored") == ["C"]


def refusal(library: str, wait_s: float = 0.1) -> str:
    """Return the one line with which the lock is refused."""
    start_s = time.monotonic()
    with pytest.raises(JezeroError) as fault, writing(library, wait_s=wait_s):
        pytest.fail("the lock was given")
    assert time.monotonic() - start_s < 5
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_lk01_a_folder_in_its_place(library: str) -> None:
    lock_of(library).mkdir()
    assert str(lock_of(library)) in refusal(library)


def test_lk01_no_lock_on_this_file_system(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_lock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_lock)
    assert str(lock_of(library)) in refusal(library)


def test_lk01_a_folder_that_may_not_be_written(library: str) -> None:
    code = """
from jezero_hooks.errors import JezeroError
from jezero_hooks.lock import writing
try:
    with writing(sys.argv[1], wait_s=1): pass
except JezeroError as fault:
    print(fault)
"""
    folder = Path(library).parent
    folder.chmod(0o555)
    try:
        said = run_bound_by_rights(code, library)
    finally:
        folder.chmod(0o755)
    assert said == f"{lock_of(library)}: cannot be locked: Permission denied\n"


def test_lk01_the_lock_is_one_and_ends_with_its_holder(library: str) -> None:
    root = str(Path(__file__).resolve().parents[2])
    code = (
        f"import sys; sys.path.insert(0, {root!r})\n"
        "from jezero_hooks.lock import writing\n"
        "with writing(sys.argv[1], wait_s=5):\n"
        "    print('held', flush=True); sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, library], **pipes) as holder:  # type: ignore[call-overload]
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(AlreadyLockedError, match="another import"), writing(library, wait_s=0):
            pytest.fail("two hold the lock")
        holder.kill()
    with writing(library, wait_s=0):
        put(library, "C")
    assert found(library, "stored") == ["C"]
