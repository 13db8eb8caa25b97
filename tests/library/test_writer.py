"""What is written stays together: item, index, transcript's state."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from jezero_hooks.errors import LibraryError
from jezero_hooks.library import sql
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.match import match_query
from jezero_hooks.library.reader import open_library
from jezero_hooks.library.writer import FileState, Writer, content_hash
from jezero_hooks.model import Atom

from .conftest import NOW, item

MakeLibrary = Callable[..., str]


def found(path: str, query: str) -> list[int]:
    match = match_query(query, min_chars=3)
    return [hit.id for hit in open_library(path).search(match, now_s=1.8e9, limit=10)]


def test_put_inserts_updates_and_leaves_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "library.db")
    with Writer(path) as writer:
        for new, outcome in (
            (item("1", "first wording"), "inserted"),
            (item("1", "first wording"), "unchanged"),
            (item("1", "second wording"), "updated"),
            (item("1", "second wording", source="other"), "inserted"),
        ):
            with writer.transaction():
                assert writer.put(new, ingested_at=NOW) == outcome
    assert found(path, "first") == []
    assert found(path, "second") == [2, 1]
    assert library_faults(path) == []


def test_every_field_counts_for_the_hash() -> None:
    one = item("1", "title", "summary")._replace(questions=("q",), atoms=(Atom("fix", "f"),))
    for name, other in (
        ("title", "x"),
        ("summary", "x"),
        ("questions", ("x",)),
        ("atoms", (Atom("fix", "x"),)),
        ("project", "x"),
        ("occurred_at", "x"),
        ("original", "x"),
        ("original_ref", "x"),
        ("account", "x"),
        ("trust", "external"),
    ):
        assert content_hash(one) != content_hash(one._replace(**{name: other}))
    assert content_hash(one) == content_hash(one._replace(source="elsewhere"))


def test_nothing_half_written_stays(tmp_path: Path) -> None:
    path = str(tmp_path / "library.db")
    with Writer(path) as writer:
        with contextlib.suppress(RuntimeError), writer.transaction():
            writer.put(item("1", "lost title"), ingested_at=NOW)
            raise RuntimeError
        with writer.transaction():
            writer.put(item("2", "kept title"), ingested_at=NOW)
    assert found(path, "title") == [1]
    assert library_faults(path) == []


def test_files_are_private(tmp_path: Path) -> None:
    path = tmp_path / "home" / "library.db"
    with Writer(str(path)) as writer:
        with writer.transaction():
            writer.put(item("1", "title"), ingested_at=NOW)
        for file in path.parent.iterdir():
            assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_another_tokenizer_is_refused_with_the_repair(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "migrations"))
    with pytest.raises(LibraryError, match=r"trigram.*porter unicode61.*jezero-hook rebuild"):
        Writer(path, "porter unicode61")
    assert found(path, "migration") == [1]


def test_the_check_sees_an_item_that_is_not_indexed(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "consent"), item("2", "banner"))
    with apsw.Connection(path) as db:
        db.execute("DELETE FROM items_fts WHERE rowid = 1")
    assert "1 of 2 items are indexed" in library_faults(path)[0]


def test_segments_that_are_gone_are_dropped(tmp_path: Path) -> None:
    path = str(tmp_path / "library.db")
    with Writer(path) as writer, writer.transaction():
        for external_id in ("s", "s#40", "s#99", "s2", "sx#1"):
            writer.put(item(external_id, f"title {external_id}"), ingested_at=NOW)
        writer.drop_segments("claude-code", "s", {"s", "s#99"})
    left = [listed.external_id for listed in open_library(path).timeline(limit=10)]
    assert sorted(left) == ["s", "s#99", "s2", "sx#1"]
    assert library_faults(path) == []


def test_a_prompt_belongs_to_the_first_session_that_claims_it(tmp_path: Path) -> None:
    with Writer(str(tmp_path / "library.db")) as writer, writer.transaction():
        assert writer.foreign_prompts("one", ["u1", "u2"]) == set()
        assert writer.foreign_prompts("two", ["u2", "u3"]) == {"u2"}
        assert writer.foreign_prompts("one", ["u1", "u2", "u3"]) == {"u3"}


def test_the_state_of_a_transcript(tmp_path: Path) -> None:
    with Writer(str(tmp_path / "library.db")) as writer, writer.transaction():
        assert writer.transcript("/t.jsonl") is None
        for state in (FileState(10, 1), FileState(20, 2)):
            writer.set_transcript("/t.jsonl", state)
            assert writer.transcript("/t.jsonl") == state


def test_a_session_of_dialogue_is_told_from_a_thin_one(tmp_path: Path) -> None:
    with Writer(str(tmp_path / "library.db")) as writer, writer.transaction():
        writer.put(item("thin", "title"), ingested_at=NOW)
        writer.put(item("whole#7", "title", original="User: hi"), ingested_at=NOW)
        assert not writer.has_dialogue("claude-code", "thin")
        assert writer.has_dialogue("claude-code", "whole")


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    os.mkdir(tmp_path / "library.db")
    with pytest.raises(LibraryError, match="is a folder"):
        Writer(str(tmp_path / "library.db"))


def test_what_an_import_asks_of_each_file_is_looked_up_by_its_session(tmp_path: Path) -> None:
    """A walk over all items of the source would make an import slower with every session."""
    path = str(tmp_path / "library.db")
    Writer(path).close()
    values = {"source": "s", "session": "x", "external_id": "y"}
    with contextlib.closing(apsw.Connection(path)) as db:
        for statement in (sql.SEGMENTS, sql.HAS_DIALOGUE, sql.LAST_SAID, sql.STORED):
            plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}", values)]
            searches = [str(step) for step in plan if "items" in str(step)]
            assert searches
            assert all("external_id" in step for step in searches), plan
