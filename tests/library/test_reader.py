"""What the library answers: filters, dates, copies, timeline, items."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

import apsw
import pytest

from jezero_hooks.errors import LateError, LibraryError
from jezero_hooks.library.match import Bounds, match_query
from jezero_hooks.library.reader import Filters, Reader, open_library
from jezero_hooks.model import ListedItem
from jezero_hooks.rules.terms import Term

from .conftest import item

MakeLibrary = Callable[..., str]
NOW_S = datetime.fromisoformat("2026-10-01T00:00:00+00:00").timestamp()


def ids(reader: Reader, query: str, **more: object) -> list[int]:
    match = match_query(query, min_chars=3)
    return [hit.id for hit in reader.search(match, now_s=NOW_S, limit=10, **more)]  # type: ignore[arg-type]


def test_ft02_operators_are_ordinary_text(make_library: MakeLibrary) -> None:
    reader = open_library(
        make_library(
            item("A", "near cache miss"),
            item("B", "not relevant at all"),
            item("C", "secret plan", "title words, title:secret"),
        )
    )
    assert 1 in ids(reader, "NEAR cache")
    assert 1 in ids(reader, "cache NOT miss")
    assert 3 in ids(reader, "title:secret")
    for query in ("OR", "AND OR NOT", " ", "", "¿?!", '"""'):
        assert 1 not in ids(reader, query)
    assert ids(reader, "¿?!") == []


def stored_date(path: str, external_id: str, date: str) -> None:
    """Give an item a date as another program may have written it."""
    with apsw.Connection(path) as db:
        db.execute("UPDATE items SET occurred_at = ? WHERE external_id = ?", (date, external_id))


def test_ft10_odd_dates_have_finite_scores(make_library: MakeLibrary) -> None:
    title = "consent banner fails"
    path = make_library(
        item("N", title, "s", occurred_at="2026-09-30T23:00:00+00:00"),
        item("F", title, "s", occurred_at="2027-11-05T00:00:00+00:00"),
        item("X", title, "s"),
        item("Y", title, "s"),
        item("O", f"{title} on checkout exactly", "s", occurred_at="2021-01-01T00:00:00+00:00"),
        item("M", "consent in passing", "filler text " * 400),
        item("T", title, "s"),
    )
    stored_date(path, "X", "")
    stored_date(path, "Y", "not a date")
    stored_date(path, "T", "2026-09-30T23:00:00+02:00")
    reader = open_library(path)
    match = match_query("consent banner fails on checkout exactly", min_chars=3)
    hits = reader.search(match, now_s=NOW_S, limit=10)
    score = {hit.external_id: hit.score for hit in hits}
    assert len(score) == 7
    assert all(math.isfinite(value) for value in score.values())
    # N is an hour old, F's age is clamped at 0: nothing but that hour lies between them.
    assert score["F"] == pytest.approx(
        score["N"] / (1 - 0.3 * (1 - 0.5 ** (1 / 24 / 90))), rel=1e-9
    )
    assert score["O"] > score["M"]
    two_hours = 0.3 * (1 - 0.5 ** (2 / 24 / 90))
    assert score["T"] == pytest.approx(score["N"] * (1 - two_hours), rel=1e-5)
    assert len(reader.timeline(limit=10)) == 7


def test_filters(make_library: MakeLibrary) -> None:
    reader = open_library(
        make_library(
            item("1", "consent banner", source="agent-a", project="shop"),
            item("2", "consent banner", source="agent-b", occurred_at="2026-09-10T00:00:00+00:00"),
            item("3", "consent banner", source="mail"),
        )
    )
    assert ids(reader, "consent", filters=Filters(project="shop")) == [1]
    assert ids(reader, "consent", filters=Filters(source="mail")) == [3]
    assert ids(reader, "consent", filters=Filters(allowed=("agent-*",))) == [1, 2]
    assert ids(reader, "consent", filters=Filters(allowed=("Agent-*",))) == []
    assert ids(reader, "consent", filters=Filters(allowed=())) == []
    assert ids(reader, "consent", filters=Filters(allowed=("*",))) == [1, 2, 3]
    assert ids(reader, "consent", filters=Filters(since="2026-09-10T00:00:00+00:00")) == [2]
    assert ids(reader, "consent", filters=Filters(before="2026-09-10T00:00:00+00:00")) == [1, 3]
    timeline = reader.timeline(limit=5, filters=Filters(allowed=("agent-*",)))
    assert [listed.id for listed in timeline] == [2, 1]
    assert reader.item(3, Filters(allowed=("agent-*",))) is None
    assert reader.item(2, Filters(before="2026-09-10T00:00:00+00:00")) is None


def test_the_filtered_and_the_plain_statement_agree(make_library: MakeLibrary) -> None:
    path = make_library(
        *(item(str(n), f"banner {'consent ' * (n % 7)}", "x " * (n % 11)) for n in range(300))
    )
    reader = open_library(path)
    match = match_query("consent banner", min_chars=3)
    plain = reader.search(match, now_s=NOW_S, limit=50)
    everything = Filters(since="1970-01-01T00:00:00+00:00")
    assert plain == reader.search(match, now_s=NOW_S, limit=50, filters=everything)


def test_timeline_newest_first_copies_once(make_library: MakeLibrary) -> None:
    reader = open_library(
        make_library(
            item("1", "old", occurred_at="2026-01-01T00:00:00+00:00"),
            item("2", "new", occurred_at="2026-03-01T00:00:00+00:00", original_ref="r"),
            item("2", "new", occurred_at="2026-03-01T00:00:00+00:00", original_ref="r", source="b"),
            item("3", "same id, other work", occurred_at="2026-02-01T00:00:00+00:00"),
        )
    )
    assert [listed.id for listed in reader.timeline(limit=3)] == [3, 4, 1]
    assert [listed.id for listed in reader.timeline(limit=1)] == [3]


def test_a_word_is_asked_in_both_spellings_only_where_needed(make_library: MakeLibrary) -> None:
    reader = open_library(make_library(item("1", "strasse")))
    terms = [Term("Straße", "strasse"), Term("página", "pagina"), Term("banner", "banner")]
    assert reader.match_words(terms, Bounds()) == '"Straße" OR "strasse" OR "página" OR "banner"'
    assert ids(reader, "strasse") == [1]


def test_an_item_whole(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "title", original="User: hello"))
    reader = open_library(path)
    found = reader.item(1)
    assert found is not None
    assert (found.title, found.questions, found.atoms) == ("title", (), ())
    assert reader.original(1) == "User: hello"
    assert reader.item(2) is None
    assert reader.item(2**63 - 1) is None


def test_questions_and_atoms_of_another_form_are_left_out(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "title"))
    with apsw.Connection(path) as db:
        db.execute("""UPDATE items SET questions = '{"a":1}', atoms = '[1,{"kind":"fix"}]'""")
    found = open_library(path).item(1)
    assert found is not None
    assert (found.questions, found.atoms) == ((), ())


def test_a_library_of_another_version_is_refused(make_library: MakeLibrary) -> None:
    path = make_library(item("1", "title"))
    with apsw.Connection(path) as db:
        db.execute("UPDATE meta SET value = '2' WHERE key = 'schema_version'")
    with pytest.raises(LibraryError, match="schema 2"):
        open_library(path)


def test_reading_changes_nothing_and_makes_no_file(
    make_library: MakeLibrary, tmp_path: object
) -> None:
    with pytest.raises(LibraryError, match="is not there"):
        open_library(f"{tmp_path}/none.db")
    with pytest.raises(apsw.ReadOnlyError):
        open_library(make_library(item("1", "t")))._db.execute("DELETE FROM items")


def forget_first(path: str) -> None:
    connection = apsw.Connection(path)
    connection.execute("DELETE FROM items WHERE id = 1")
    connection.close()


def test_a_search_is_of_one_moment(
    make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_library(item("a", "grid one"), item("b", "grid two"))
    reader = open_library(path)
    listed = Reader._listed

    def late(self: Reader, ids: list[int]) -> dict[int, ListedItem]:
        forget_first(path)
        return listed(self, ids)

    monkeypatch.setattr(Reader, "_listed", late)
    hits = reader.search('"grid"', now_s=0, limit=10)
    assert [hit.external_id for hit in hits] == ["b", "a"]
    assert [item.external_id for item in reader.timeline(limit=5)] == ["b"]


def test_a_moment_lasts_as_long_as_its_block(make_library: MakeLibrary) -> None:
    path = make_library(item("a", "grid one"), item("b", "grid two"))
    reader = open_library(path)
    with reader.one_moment():
        assert reader.count() == 2
        forget_first(path)
        assert reader.search('"grid"', now_s=0, limit=10)[-1].external_id == "a"
        with reader.one_moment():
            assert reader.count() == 2
        assert reader.count() == 2
    assert reader.count() == 1


def test_a_moment_ends_where_the_time_is_over(
    make_library: MakeLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jezero_hooks.library.reader.STEPS", 1)
    path = make_library(item("a", "grid one"))
    reader = open_library(path)
    reader.stop_when(lambda: True)
    with pytest.raises(LateError), reader.one_moment():
        reader.count()
    with pytest.raises(LateError):  # the clock goes on
        reader.count()
    reader.stop_when(None)
    forget_first(path)
    assert reader.count() == 0
