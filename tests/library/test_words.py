"""The words of the library: counted in step with the items, and looked up, not scanned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jezero_hooks.library import sql
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.export import Exporter
from jezero_hooks.library.forget import Selection, forget_items, selected_items
from jezero_hooks.library.match import ITEMS_TOKENIZER
from jezero_hooks.library.reader import EVERYTHING, open_library
from jezero_hooks.library.rebuild import rebuild_library
from jezero_hooks.library.words import true_counts
from jezero_hooks.library.writer import Writer, library_in_memory
from jezero_hooks.rules.evidence import evidence

from .conftest import NOW, item

MakeLibrary = Callable[..., str]
GOLDEN = Path(__file__).parent.parent / "golden"


def counts(path: str) -> dict[str, int]:
    with apsw.Connection(path) as db:
        return dict(db.execute(sql.ALL_WORDS))


def change(path: str, statement: str) -> None:
    with apsw.Connection(path) as db:
        db.execute(statement)


def test_each_item_counts_a_word_once(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "Consent, consent", "CONSENT of node.js"), item("2", "consent"))
    assert counts(path) == {"": 2, "consent": 2, "of": 1, "node": 1, "js": 1, "node.js": 1}
    assert library_faults(path) == []


def test_what_is_written_again_is_counted_as_it_is_now(tmp_path: Path) -> None:
    path = str(tmp_path / "library.db")
    with Writer(path) as writer:
        for title in ("old wording", "old wording", "new wording"):
            with writer.transaction():
                writer.put(item("1", title), ingested_at=NOW)
    assert counts(path) == {"": 1, "new": 1, "wording": 1}


def test_what_is_rolled_back_is_not_counted(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "kept"))

    def fail(writer: Writer) -> None:
        with writer.transaction():
            writer.put(item("2", "lost"), ingested_at=NOW)
            raise ZeroDivisionError

    with Writer(path) as writer, pytest.raises(ZeroDivisionError):
        fail(writer)
    with Writer(path) as writer:
        with pytest.raises(ZeroDivisionError):
            fail(writer)
        with writer.transaction():
            writer.put(item("3", "kept"), ingested_at=NOW)
    assert counts(path) == {"": 2, "kept": 2}


def test_the_last_item_takes_its_words_along(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "qzxwvkj here"), item("s#5", "here too"))
    with Writer(path) as writer, writer.transaction():
        writer.drop_segments("claude-code", "s", keep=set())
    assert counts(path) == {"": 1, "qzxwvkj": 1, "here": 1}
    selection = Selection(ids=(1,))
    forget_items(path, selection, selected_items(path, selection))
    assert counts(path) == {}


def test_another_programs_library_is_counted_when_next_written(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "consent banner"))
    change(path, "DROP TABLE hooks_words")
    reader = open_library(path)
    assert reader.word_counts(["consent"]) is None
    assert library_faults(path) == [], "it is no fault"
    reader.close()
    Writer(path).close()
    assert counts(path) == {"": 1, "consent": 1, "banner": 1}


def test_items_that_another_program_wrote_are_counted(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "consent"))
    change(
        path,
        "INSERT INTO items SELECT 2, source, 'x', occurred_at, ingested_at, 'menu', summary, "
        "questions, atoms, project, account, original, original_ref, trust, content_hash "
        "FROM items",
    )
    Writer(path).close()
    assert counts(path) == {"": 2, "consent": 1, "menu": 1}


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE hooks_words SET items = 7 WHERE word = 'consent'",
        "DELETE FROM hooks_words WHERE word = 'consent'",
        "INSERT INTO hooks_words VALUES ('ghost', 1)",
        "DELETE FROM hooks_words",
    ],
)
def test_counts_that_are_not_true_are_named_and_mended(
    make_library: MakeLibrary, statement: str
) -> None:
    path = make_library(item("1", "consent"))
    change(path, statement)
    (fault,) = library_faults(path)
    assert "counted wrongly; run `jezero-hook rebuild`" in fault
    rebuild_library(path, ITEMS_TOKENIZER)
    assert counts(path) == {"": 1, "consent": 1}
    assert library_faults(path) == []


def test_an_export_is_counted_as_the_library_was(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "consent banner", "Straße"), item("2", "menu"))
    with apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY) as db:
        made = list(Exporter(db, path).items(EVERYTHING, original=True))
    assert counts(make_library(*made, name="second.db")) == counts(path)


# --- looked up -------------------------------------------------------------------------------


def test_the_words_are_looked_up(make_library: MakeLibrary) -> None:
    path = make_library(*(item(str(n), f"consent word{n}") for n in range(300)))
    reader = open_library(path)
    found = reader.word_counts(["consent", "word7", "nowhere"])
    assert found is not None
    assert (found.items, found.holding) == (300, {"consent": 300, "word7": 1})
    reader.close()
    with apsw.Connection(path) as db:
        explained = db.execute("EXPLAIN QUERY PLAN " + sql.WORD_COUNTS, {"words": "[]"}).fetchall()
    plan = [str(row[3]) for row in explained]
    assert any("SEARCH hooks_words USING PRIMARY KEY (word=?)" in step for step in plan)
    assert not any("SCAN hooks_words" in step for step in plan)


def test_an_empty_library_has_no_counts(make_library: MakeLibrary) -> None:
    assert open_library(make_library()).word_counts(["consent"]) is None


# --- the same words as the evidence's, whatever is written -------------------------------------

WORDS = ["node.js", "node", "Straße", "strasse", "foo_bar", "foo-bar", "новый", "हिन्दी", "1.2.3"]
TEXTS = st.lists(st.sampled_from([*WORDS, "the", "ё", "Éa", "x.-y", "()"]), max_size=6).map(
    " ".join
)
PUTS = st.tuples(st.sampled_from("abcd"), TEXTS, TEXTS)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.one_of(PUTS, st.sampled_from("abcd")), max_size=5), max_size=6))
def test_counts_equal_a_recount(transactions: list[list[tuple[str, str, str] | str]]) -> None:
    """A put of (id, title, summary), or an id whose session is dropped, in any order."""
    with library_in_memory() as writer:
        for steps in transactions:
            with writer.transaction():
                for step in steps:
                    if isinstance(step, str):
                        writer.drop_segments("claude-code", step, keep=set())
                    else:
                        writer.put(item(*step), ingested_at=NOW)
        noted = dict(writer._db.execute(sql.ALL_WORDS))
        assert noted == true_counts(writer._db)
        listed = writer.reader().timeline(limit=50)
        for word in ("node.js", "node", "strasse", "foo_bar", "foo", "новыи", "новый", "2.3", "2"):
            holds = [one for one in listed if evidence([word], one.title, one.summary)]
            assert noted.get(word, 0) == len(holds), word
