"""What is forgotten leaves no byte behind, and what is remembered of it tells nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from jezero_hooks.errors import DamagedLibraryError, LibraryError
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.forget import (
    Selection,
    forget_items,
    item_mark,
    part_mark,
    selected_items,
    session_mark,
)
from jezero_hooks.library.match import ITEMS_TOKENIZER
from jezero_hooks.library.rebuild import rebuild_library
from jezero_hooks.library.writer import Writer
from jezero_hooks.model import Atom

from .conftest import NOW, item

MakeLibrary = Callable[..., str]

# In every field, whole and in its trigrams, this word stands nowhere else.
SECRET = "qzxwvkj"
TRIGRAMS = [SECRET[at : at + 3] for at in range(len(SECRET) - 2)]
CONTROL = "lighthouse"


def secret_item(external_id: str = "s", **more: str) -> object:
    made = item(external_id, f"{SECRET} title", f"{SECRET} summary", **more)
    return made._replace(
        questions=(f"why {SECRET}?",),
        atoms=(Atom("fact", f"{SECRET}.py"),),
        # Longer than a page, so that it lies in pages of its own.
        original=f"{SECRET} said {SECRET}\n" * 2_000,
        account=f"{SECRET}@example.org",
        original_ref=f"/{SECRET}",
    )


def bytes_beside(path: str) -> bytes:
    """Return what the library's file and the files beside it hold."""
    folder = Path(path).parent
    return b"".join(one.read_bytes() for one in sorted(folder.iterdir()) if one.is_file())


def indexed_terms(path: str) -> set[str]:
    """Return the terms that the index still holds, also those of no item."""
    with apsw.Connection(path) as db:
        db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, items_fts, row)")
        return {term for (term,) in db.execute("SELECT term FROM temp.terms")}


def counted_words(path: str) -> dict[str, int]:
    with apsw.Connection(path) as db:
        return dict(db.execute("SELECT word, items FROM hooks_words"))


def forget(path: str, **narrowed: object) -> list[str]:
    selection = Selection(**narrowed)
    gone = forget_items(path, selection, selected_items(path, selection))
    return [item.external_id for item in gone]


def count(path: str, table: str) -> int:
    with apsw.Connection(path) as db:
        return int(db.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])


def assert_no_byte_is_left(path: str) -> None:
    left = bytes_beside(path)
    assert CONTROL.encode() in left, "the search itself finds what is there"
    assert SECRET.encode() not in left.lower()
    # FTS5 leaves out what a term shares with the one before it: two of three letters tell.
    assert not [t for t in TRIGRAMS if t.encode() in left.lower()]
    assert not indexed_terms(path) & set(TRIGRAMS)
    # Not even as a word that no item holds any more.
    assert not [w for w, items in counted_words(path).items() if items < 1 or SECRET in w]
    assert library_faults(path) == []


def test_no_byte_is_left(make_library: MakeLibrary) -> None:
    path = make_library(item("1", CONTROL), secret_item(), item("2", "other"))
    assert SECRET.encode() in bytes_beside(path)
    assert set(TRIGRAMS) <= indexed_terms(path)
    assert counted_words(path)[SECRET] == 1
    assert forget(path, ids=(2,)) == ["s"]
    assert_no_byte_is_left(path)
    assert os.path.getsize(path + "-wal") == 0 if os.path.exists(path + "-wal") else True


def test_no_byte_is_left_of_earlier_versions(make_library: MakeLibrary) -> None:
    path = make_library(item("1", CONTROL), secret_item())
    with Writer(path) as writer:
        for _ in range(3):
            with writer.transaction():
                writer.put(item("s", "harmless by now"), ingested_at=NOW)
    assert SECRET.encode() in bytes_beside(path), "its old pages are free, and not empty"
    assert forget(path, ids=(2,)) == ["s"]
    assert_no_byte_is_left(path)


def test_no_byte_is_left_while_others_have_the_library_open(make_library: MakeLibrary) -> None:
    path = make_library(item("1", CONTROL), secret_item())
    reader = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    assert reader.execute("SELECT count(*) FROM items").fetchall() == [(2,)]
    forget(path, ids=(2,))
    left = Path(path).read_bytes() + Path(path + "-wal").read_bytes()
    assert SECRET.encode() not in left
    assert reader.execute("SELECT count(*) FROM items").fetchall() == [(1,)]
    reader.close()


def test_a_reader_in_the_way_is_told_and_the_next_call_makes_it_good(
    make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jezero_hooks.library.connection.WRITE_WAIT_MS", 20)
    path = make_library(item("1", CONTROL), secret_item())
    reader = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    reading = iter(reader.execute("SELECT id FROM items"))
    next(reading)
    with pytest.raises(LibraryError, match="run the same command again"):
        forget(path, ids=(2,))
    assert SECRET.encode() in bytes_beside(path)
    reader.close(force=True)
    assert forget(path, ids=(2,)) == []
    assert_no_byte_is_left(path)


@pytest.mark.parametrize("tokenizer", ["porter unicode61", "unicode61"])
def test_another_tokenizer(tmp_path: Path, tokenizer: str) -> None:
    path = str(tmp_path / "library.db")
    with Writer(path, tokenizer) as writer, writer.transaction():
        for new in (item("1", CONTROL), secret_item()):
            writer.put(new, ingested_at=NOW)
    assert SECRET in indexed_terms(path)
    forget(path, ids=(2,))
    assert SECRET not in indexed_terms(path)
    assert SECRET.encode() not in bytes_beside(path)


# --- which -----------------------------------------------------------------------------------


@pytest.fixture
def path(make_library: MakeLibrary) -> str:
    session = "00000001-0000-4000-8000-000000000001"
    return make_library(
        item(session, "one", occurred_at="2026-01-01T10:00:00+00:00"),
        item(f"{session}#40", "one part 2", occurred_at="2026-03-01T10:00:00+00:00"),
        item("b", "two", project="lyra", source="codex"),
        item("b", "two's namesake", project="lyra", source="notes"),
        item("c", "three", original_ref="/c", project="lyra"),
        item("c", "three's copy", original_ref="/c", project="other", source="laptop"),
        item(f"{session}0", "whose id begins alike"),
    )


@pytest.mark.parametrize(
    ("narrowed", "ids"),
    [
        ({"ids": (1, 99)}, [1]),
        ({"ids": (4,)}, [4]),
        ({"ids": (5,)}, [5, 6]),
        ({"ids": (5,), "source": "claude-code"}, [5]),
        ({"project": "lyra"}, [3, 4, 5, 6]),
        ({"project": "lyra", "source": "notes"}, [4]),
        ({"project": "Lyra"}, []),
        ({"before": "2026-03-01T10:00:00+00:00"}, [1]),
        ({"session": "00000001-0000-4000-8000-000000000001"}, [1, 2]),
        (
            {
                "session": "00000001-0000-4000-8000-000000000001",
                "before": "2026-02-01T00:00:00+00:00",
            },
            [1],
        ),
        ({"ids": (3,), "project": "orion"}, []),
        ({"ids": ()}, []),
        ({}, [1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_what_a_selection_means(path: str, narrowed: dict[str, object], ids: list[int]) -> None:
    before = Path(path).read_bytes()
    assert [item.id for item in selected_items(path, Selection(**narrowed))] == ids
    assert Path(path).read_bytes() == before


def test_what_was_not_shown_is_not_removed(path: str) -> None:
    shown = selected_items(path, Selection(project="lyra"))[:1]
    with Writer(path) as writer, writer.transaction():
        writer.put(item("new", "since then", project="lyra"), ingested_at=NOW)
    gone = forget_items(path, Selection(project="lyra"), shown)
    assert [item.id for item in gone] == [3]
    other = [shown[0]._replace(id=4)]
    assert forget_items(path, Selection(ids=(4,)), other) == []


# --- what is remembered ----------------------------------------------------------------------


def marks(path: str) -> set[str]:
    with apsw.Connection(path) as db:
        return {mark for (mark,) in db.execute("SELECT mark FROM hooks_forgotten")}


def known(*named: Iterator[str] | str) -> set[str]:
    return {str(mark) for mark in named}


SESSION = "00000001-0000-4000-8000-000000000001"
ONE = item_mark("claude-code", SESSION)
TWO = item_mark("claude-code", f"{SESSION}#40")
PART = part_mark("claude-code", SESSION)
WHOLE = session_mark("claude-code", SESSION)


@pytest.mark.parametrize(
    ("narrowed", "remembered"),
    [
        ({"ids": (1,)}, {ONE, PART}),
        ({"ids": (1, 2)}, {ONE, TWO, PART, WHOLE}),
        ({"session": SESSION}, {ONE, TWO, PART, WHOLE}),
        ({"before": "2026-04-01T00:00:00+00:00"}, {ONE, TWO, PART}),
        ({"session": "never-seen"}, {session_mark("claude-code", "never-seen")}),
        (
            {"session": "never-seen", "source": "laptop"},
            {session_mark("laptop", "never-seen")},
        ),
        ({"project": "never-seen"}, set()),
        ({"ids": (3,)}, {item_mark("codex", "b"), part_mark("codex", "b")}),
    ],
)
def test_marks(path: str, narrowed: dict[str, object], remembered: set[str]) -> None:
    forget(path, **narrowed)
    assert marks(path) == remembered


def test_marks_and_prompts_tell_nothing(path: str) -> None:
    with Writer(path) as writer, writer.transaction():
        writer.foreign_prompts(SESSION, ["uuid-1"])
        writer.foreign_prompts("other", ["uuid-2"])
        for session in (SESSION, f"{SESSION}0"):
            name = f"/p/-home-ana-{SECRET}/{session}.jsonl"
            writer._db.execute("INSERT INTO hooks_transcripts VALUES (?, 1, 1)", (name,))
    forget(path, ids=(7,))
    forget(path, session=SESSION)
    left = bytes_beside(path)
    assert SESSION.encode() not in left
    assert SECRET.encode() not in left
    with Writer(path) as writer, writer.transaction():
        assert writer.foreign_prompts("fork", ["uuid-1", "uuid-2", "uuid-3"]) == {
            "uuid-1",
            "uuid-2",
        }
        assert writer.foreign_prompts(SESSION, ["uuid-1"]) == {"uuid-1"}


def test_again_changes_nothing(path: str) -> None:
    assert forget(path, session=SESSION) == [SESSION, f"{SESSION}#40"]
    before = marks(path)
    assert forget(path, session=SESSION) == []
    assert marks(path) == before
    assert count(path, "items") == count(path, "items_fts") == 5


def test_a_rebuild_of_a_damaged_library_keeps_what_is_forgotten(make_library: MakeLibrary) -> None:
    many = [item(str(n), f"{CONTROL} {n:04}", original="words " * 500) for n in range(100)]
    path = make_library(*many, secret_item())
    forget(path, session="s")
    with Writer(path) as writer, writer.transaction():
        writer.disown_prompts("s", ["uuid-1"])
    remembered = marks(path)
    # Scribbled over from its middle on but for the last pages, where our own tables are read.
    with apsw.Connection(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(size // 2)
        file.write(b"\xff" * (size // 4))
    rebuilt = rebuild_library(path, ITEMS_TOKENIZER)
    assert rebuilt.damaged
    assert 0 < rebuilt.items < 100
    assert session_mark("claude-code", "s") in remembered == marks(path)
    with Writer(path) as writer, writer.transaction():
        assert writer.foreign_prompts("fork", ["uuid-1"]) == {"uuid-1"}


# --- faults ----------------------------------------------------------------------------------


def test_faults_are_named(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jezero_hooks.library.connection.WRITE_WAIT_MS", 20)
    with pytest.raises(LibraryError, match="is not there"):
        selected_items(str(tmp_path / "none.db"), Selection(ids=(1,)))
    with pytest.raises(LibraryError, match="is not there"):
        forget_items(str(tmp_path / "none.db"), Selection(ids=(1,)))
    assert not (tmp_path / "none.db").exists()
    shown = selected_items(path, Selection(ids=(1,)))
    db = apsw.Connection(path)
    db.execute("BEGIN IMMEDIATE")
    with pytest.raises(LibraryError, match="holds the library locked"):
        forget_items(path, Selection(ids=(1,)), shown)
    db.close(force=True)
    assert count(path, "items") == 7
    Path(path).write_bytes(Path(path).read_bytes()[:8192] + b"\xff" * 8192)
    with pytest.raises(DamagedLibraryError, match="rebuild"):
        forget(path, ids=(1,))
