"""Later on small libraries: its place, its date, copies, and what has no words or no date."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jezero_hooks.config import Config
from jezero_hooks.library.reader import Filters, Reader, open_library
from jezero_hooks.model import Hit, ListedItem, NewItem
from jezero_hooks.newer import later_json, newer_than

from .conftest import item

Answer = tuple[str, list[int]]


def later_of(
    path: str, id_: int, query: str | None = None, limit: object = None, **filters: object
) -> Answer:
    reader, given = open_library(path), Filters()._replace(**filters)
    about = reader.item(id_, given)
    assert about is not None
    found = newer_than(reader, about, query, limit=limit, config=Config(), filters=given)
    return found.matched_by, [other.id for other in found.items]


def dated(number: int, title: str, day: int, **more: str | None) -> NewItem:
    new = item(str(number), title, occurred_at=f"2026-09-{day:02}T10:00:00+00:00")
    return new._replace(**more)


MakeLibrary = Callable[..., str]


def test_an_older_item_is_never_later(make_library: MakeLibrary) -> None:
    path = make_library(dated(1, "cookie banner", 1), dated(2, "cookie banner", 9))
    assert later_of(path, 1) == ("subject", [2])
    assert later_of(path, 2) == ("project_timeline", [])
    assert later_of(path, 2, "cookie") == ("project_timeline", [])


def test_items_of_one_moment_are_each_later_than_the_other(make_library: MakeLibrary) -> None:
    path = make_library(dated(1, "index rebuild", 5), dated(2, "index rebuild", 5))
    assert (later_of(path, 1), later_of(path, 2)) == (("subject", [2]), ("subject", [1]))


def test_another_project_is_another_subject(make_library: MakeLibrary) -> None:
    elsewhere = dated(2, "cookie banner", 9, project="atlas")
    path = make_library(dated(1, "cookie banner", 1), elsewhere, dated(3, "billing", 9))
    assert later_of(path, 1) == ("project_timeline", [3])


@pytest.mark.parametrize("none", [None, ""])
def test_without_a_project_its_source_is_the_place(
    none: str | None, make_library: MakeLibrary
) -> None:
    path = make_library(
        dated(1, "cookie banner", 1, project=none, source="mail"),
        dated(2, "cookie banner", 8, project=none, source="desk"),
        dated(3, "cookie banner", 9, source="mail"),
    )
    assert later_of(path, 1) == ("subject", [3])
    assert later_of(path, 1, "nowhere") == ("project_timeline", [3])


@pytest.mark.parametrize("query", [None, "", " \t "])
def test_a_missing_or_blank_query_is_the_title(
    query: str | None, make_library: MakeLibrary
) -> None:
    path = make_library(
        dated(1, "cookie banner", 1), dated(2, "cookie banner", 2), dated(3, "x", 3)
    )
    assert later_of(path, 1, query) == ("subject", [2])


@pytest.mark.parametrize("title", ["", "CI", "go vs C"])
def test_a_title_without_a_word_of_three_letters_is_no_subject(
    title: str, make_library: MakeLibrary
) -> None:
    path = make_library(dated(1, title, 1), dated(2, "CI go vs C", 2))
    assert later_of(path, 1) == ("project_timeline", [2])


def test_a_querys_shorter_words_do_not_bring_the_title_back(make_library: MakeLibrary) -> None:
    path = make_library(dated(1, "cookie banner", 1), dated(2, "cookie banner", 2))
    assert later_of(path, 1, "CI") == ("project_timeline", [2])


def test_a_copy_of_the_item_is_neither_on_the_subject_nor_newer(make_library: MakeLibrary) -> None:
    path = make_library(
        dated(1, "cookie banner", 1, original_ref="ref"),
        dated(1, "cookie banner", 9, original_ref="ref", source="copy"),
        dated(1, "cookie banner", 8, original_ref="other", source="namesake"),
        dated(2, "billing", 7),
    )
    assert later_of(path, 1) == ("subject", [3])
    assert later_of(path, 1, "nowhere") == ("project_timeline", [3, 4])
    assert later_of(path, 1, "nowhere", 1) == ("project_timeline", [3])
    assert later_of(path, 2, "nowhere") == ("project_timeline", [])


def test_without_a_reference_nothing_is_a_copy(make_library: MakeLibrary) -> None:
    path = make_library(
        dated(1, "cookie banner", 1), dated(1, "cookie banner", 9, source="elsewhere")
    )
    assert later_of(path, 1) == ("subject", [2])


def test_copies_of_another_session_take_one_place(make_library: MakeLibrary) -> None:
    path = make_library(
        dated(1, "cookie banner", 1),
        dated(2, "cookie banner", 8, original_ref="ref"),
        dated(2, "cookie banner", 8, original_ref="ref", source="copy"),
    )
    assert later_of(path, 1) == ("subject", [2])
    assert later_of(path, 1, "nowhere") == ("project_timeline", [3])


@pytest.mark.parametrize("date", ["", "some day", "99999", "now", "2026-13-01"])
def test_what_has_no_readable_date_is_newer_than_nothing(
    date: str, make_library: MakeLibrary
) -> None:
    path = make_library(
        dated(1, "cookie banner", 1),
        dated(2, "cookie banner", 2, occurred_at=date),
        dated(3, "cookie banner", 3),
    )
    assert later_of(path, 1) == ("subject", [3])
    assert later_of(path, 1, "nowhere") == ("project_timeline", [3])
    assert later_of(path, 1, "nowhere", 1) == ("project_timeline", [3])


@pytest.mark.parametrize("date", ["", "some day"])
def test_whatever_has_a_date_is_newer_than_what_has_none(
    date: str, make_library: MakeLibrary
) -> None:
    undated = dated(1, "cookie banner", 1, occurred_at=date)
    path = make_library(undated, dated(2, "cookie banner", 1), dated(3, "billing", 2))
    assert later_of(path, 1) == ("subject", [2])
    assert later_of(path, 1, "nowhere") == ("project_timeline", [3, 2])


def test_only_what_may_be_read_is_newer_and_is_the_measure(make_library: MakeLibrary) -> None:
    path = make_library(
        dated(1, "cookie", 1, source="desk"),
        dated(2, "cookie cookie cookie", 2, source="secret"),
        dated(3, "cookie", 3, source="desk"),
        dated(4, "billing", 4, source="secret"),
    )
    assert later_of(path, 1) == ("subject", [3, 2])
    assert later_of(path, 1, allowed=("des*",)) == ("subject", [3])
    assert later_of(path, 1, "nowhere") == ("project_timeline", [4, 3, 2])
    assert later_of(path, 1, "nowhere", allowed=("des*",)) == ("project_timeline", [3])


def test_what_lies_in_the_future_of_before_is_not_there(make_library: MakeLibrary) -> None:
    path = make_library(*(dated(n, "cookie banner", n) for n in range(1, 5)))
    before = "2026-09-03T10:00:00+00:00"
    assert later_of(path, 1, before=before) == ("subject", [2])
    assert later_of(path, 1, "nowhere", before=before) == ("project_timeline", [2])


@pytest.mark.parametrize(
    ("asked", "given"), [(None, 5), (0, 5), (-3, 5), (2, 2), (99, 50), ("7", 5)]
)
def test_limits(asked: object, given: int, make_library: MakeLibrary) -> None:
    path = make_library(*(dated(n, "cookie banner", 1) for n in range(1, 61)))
    for query in (None, "nowhere"):
        _, ids = later_of(path, 1, query, asked)
        assert len(ids) == given


def test_recency_does_not_count(make_library: MakeLibrary) -> None:
    """An exact match years before the others is the closest all the same."""
    exact = dated(2, "cookie banner", 1, occurred_at="2020-01-02T00:00:00+00:00")
    first = dated(1, "cookie banner", 1, occurred_at="2020-01-01T00:00:00+00:00")
    near = [dated(n, f"cookie banner and {'more ' * 3}", n) for n in range(3, 9)]
    matched_by, ids = later_of(make_library(first, exact, *near), 1)
    assert (matched_by, ids[-1], len(ids)) == ("subject", 2, 5)


def test_its_json_has_the_hits_or_the_listed_items(make_library: MakeLibrary) -> None:
    path = make_library(dated(1, "cookie banner", 1), dated(2, "cookie banner", 2))
    reader = open_library(path)
    for query, kind in ((None, Hit), ("nowhere", ListedItem)):
        value = json_of(reader, query)
        assert value["found"] is True
        assert value["item"] == {"id": 1, "occurred_at": "2026-09-01T10:00:00+00:00"}
        assert value["count"] == 1
        assert [tuple(other) for other in value["later"]] == [kind._fields]
    missing = {"found": False, "item": None, "matched_by": None, "count": 0, "later": []}
    assert later_json(None, None) == missing


def json_of(reader: Reader, query: str | None) -> dict[str, object]:
    about = reader.item(1)
    assert about is not None
    found = newer_than(reader, about, query, limit=5, config=Config(), filters=Filters())
    return later_json(about, found)
