"""A rebuild makes an index anew and saves a damaged library's items; nothing is thrown away."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from jezero_hooks.errors import LibraryError
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.match import ITEMS_TOKENIZER, match_query
from jezero_hooks.library.reader import open_library
from jezero_hooks.library.rebuild import Rebuilt, rebuild_library
from jezero_hooks.library.writer import Writer

from .conftest import item

MakeLibrary = Callable[..., str]
ITEMS = 400


def found(path: str, query: str) -> list[str]:
    match = match_query(query, min_chars=3)
    hits = open_library(path).search(match, now_s=1.8e9, limit=10)
    return [hit.external_id for hit in hits]


def test_another_tokenizer(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "migrations"))
    done: list[tuple[int, int]] = []
    rebuilt = rebuild_library(path, "porter unicode61", lambda *of: done.append(of))
    assert rebuilt == Rebuilt(1)
    assert done == [(1, 1)]
    with Writer(path, "porter unicode61") as writer:
        assert writer.reader().search('"migration"', now_s=0, limit=1)[0].id == 1
    assert library_faults(path) == []


@pytest.mark.parametrize("tokenizer", ["", "trigram'); DROP TABLE items; --", "nonsense"])
def test_a_tokenizer_that_is_none_changes_nothing(
    make_library: MakeLibrary, tokenizer: str
) -> None:
    path = make_library(item("1", "migrations"))
    with pytest.raises(LibraryError):
        rebuild_library(path, tokenizer)
    assert found(path, "migration") == ["1"]


def test_a_lost_index(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "consent banner"), item("2", "other"))
    with apsw.Connection(path) as db:
        db.execute("DELETE FROM items_fts_data WHERE id > 1")
    assert library_faults(path) != []
    assert rebuild_library(path, ITEMS_TOKENIZER) == Rebuilt(2)
    assert found(path, "consent") == ["1"]
    assert library_faults(path) == []


def cut(path: str, share: float) -> bytes:
    """Cut a library's file, all of it in one place; return the bytes that are left."""
    with apsw.Connection(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    os.truncate(path, int(os.path.getsize(path) * share))
    return Path(path).read_bytes()


def test_a_file_that_was_cut(make_library: MakeLibrary) -> None:
    new = [item(str(n), f"title {n:04}", original="words " * 500) for n in range(ITEMS)]
    path = make_library(*new)
    damaged = cut(path, 0.6)
    rebuilt = rebuild_library(path, ITEMS_TOKENIZER)
    assert 0 < rebuilt.items < ITEMS
    assert rebuilt.damaged is not None
    assert Path(rebuilt.damaged).read_bytes() == damaged
    assert library_faults(path) == []
    assert len(open_library(path).timeline(limit=ITEMS)) == rebuilt.items
    assert found(path, "0000") == ["0"]
    names = {name for name in os.listdir(os.path.dirname(path)) if ".new-" in name}
    assert names == set()


def test_a_damaged_file_with_another_tokenizer(make_library: MakeLibrary) -> None:
    new = [item(str(n), "migrations", original="words " * 500) for n in range(ITEMS)]
    path = make_library(*new)
    damaged = cut(path, 0.6)
    with pytest.raises(LibraryError, match="'nonsense' is no tokenizer"):
        rebuild_library(path, "nonsense")
    assert Path(path).read_bytes() == damaged
    done: list[tuple[int, int]] = []
    rebuilt = rebuild_library(path, "porter unicode61", lambda *of: done.append(of))
    assert done[-1] == (rebuilt.items, rebuilt.items)
    reader = open_library(path)
    assert reader.tokenizer == "porter unicode61"
    hits = reader.search('"migrate"', now_s=1.8e9, limit=ITEMS)
    assert len(hits) == min(rebuilt.items, 200)  # the candidate pool


@pytest.mark.parametrize("page", range(2, 9))
def test_any_damaged_page_is_mended_or_told(make_library: MakeLibrary, page: int) -> None:
    """A rebuild that succeeds leaves a library without a fault, whatever page was hit."""
    new = [item(str(n), f"title {n:04}", original="words " * 100) for n in range(100)]
    path = make_library(*new)
    whole = bytearray(cut(path, 1.0))
    whole[(page - 1) * 4096 : page * 4096] = b"\x5a" * 4096
    Path(path).write_bytes(whole)
    try:
        rebuilt = rebuild_library(path, ITEMS_TOKENIZER)
    except LibraryError:
        assert Path(path).read_bytes() == whole
    else:
        assert library_faults(path) == []
        assert rebuilt.items > 0
        assert open_library(path).count() == rebuilt.items


def test_damage_in_the_middle_costs_little(make_library: MakeLibrary) -> None:
    new = [item(str(n), f"title {n:04}", original="words " * 500) for n in range(ITEMS)]
    path = make_library(*new)
    whole = bytearray(cut(path, 1.0))
    for place in (0.4, 0.5, 0.6):
        at = int(len(whole) / 4096 * place) * 4096
        whole[at : at + 4096] = b"\x5a" * 4096
    Path(path).write_bytes(whole)
    rebuilt = rebuild_library(path, ITEMS_TOKENIZER)
    assert rebuilt.items > ITEMS * 0.9
    assert library_faults(path) == []


def test_a_file_of_which_nothing_is_left(make_library: MakeLibrary) -> None:
    path = make_library(*(item(str(n), "title") for n in range(50)))
    damaged = cut(path, 0.05)
    with pytest.raises(LibraryError, match=r"library\.db"):
        rebuild_library(path, ITEMS_TOKENIZER)
    assert Path(path).read_bytes() == damaged


@pytest.mark.parametrize("content", [b"not a database", b""])
def test_what_is_no_library_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "library.db"
    path.write_bytes(content)
    with pytest.raises(LibraryError, match=r"library\.db"):
        rebuild_library(str(path), ITEMS_TOKENIZER)
    assert path.read_bytes() == content


def test_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="is not there"):
        rebuild_library(str(tmp_path / "library.db"), ITEMS_TOKENIZER)
    assert list(tmp_path.iterdir()) == []
