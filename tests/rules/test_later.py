"""On the subject: close enough, the closest kept, the newest first."""

from __future__ import annotations

import pytest

from jezero_hooks.model import Hit
from jezero_hooks.rules.later import Numbers, newest_first, on_subject

NUMBERS = Numbers(min_relevance=0.3, closest=2, hits=50)


def hit(id_: int, relevance: float, day: int | None = None) -> Hit:
    occurred_at = f"2026-09-{id_ if day is None else day:02}T10:00:00+00:00"
    return Hit(id_, str(id_), "s", "orion", occurred_at, "", "", relevance, relevance)


def shown(*hits: Hit, own: tuple[int, ...] = (), limit: int = 5, **numbers: float) -> list[int]:
    rule = NUMBERS._replace(**numbers)
    return [h.id for h in on_subject(hits, own, limit=limit, numbers=rule)]


def test_no_hit_is_none() -> None:
    assert shown() == []
    assert shown(hit(1, 4.0), own=(1,)) == []


def test_the_floor_is_a_share_of_the_best_and_inclusive() -> None:
    assert shown(hit(1, 4.0), hit(2, 2.0), hit(3, 1.999), min_relevance=0.5) == [2, 1]
    assert shown(hit(1, 4.0), hit(2, 0.0), min_relevance=0.0) == [2, 1]


def test_what_is_own_is_the_measure_all_the_same() -> None:
    assert shown(hit(1, 10.0), hit(2, 3.0), hit(3, 2.9), own=(1,)) == [2]
    assert shown(hit(2, 3.0), hit(3, 2.9), own=(1,)) == [3, 2]


def test_newest_first_whatever_the_relevance() -> None:
    assert shown(hit(3, 4.0), hit(9, 3.0), hit(5, 2.0)) == [9, 5, 3]


def test_of_one_moment_the_higher_id_first() -> None:
    assert [h.id for h in newest_first([hit(1, 9.0, 5), hit(3, 1.0, 5), hit(2, 5.0, 5)])] == [
        3,
        2,
        1,
    ]


def test_the_closest_stay_and_the_newest_fill_up() -> None:
    hits = (hit(2, 9.0), hit(1, 8.0), hit(4, 7.0), hit(6, 6.0), hit(5, 5.0), hit(3, 4.0))
    assert shown(*hits, limit=4) == [6, 5, 2, 1]
    assert shown(*hits, limit=4, closest=0) == [6, 5, 4, 3]
    assert shown(*hits, limit=4, closest=3) == [6, 4, 2, 1]
    assert shown(*hits, limit=4, closest=9) == [6, 5, 4, 3]


@pytest.mark.parametrize(("limit", "wanted"), [(1, [2]), (2, [2, 1]), (3, [9, 2, 1])])
def test_a_limit_below_the_closest_keeps_the_newest_of_them(limit: int, wanted: list[int]) -> None:
    assert shown(hit(1, 9.0), hit(2, 8.0), hit(9, 7.0), hit(8, 6.0), limit=limit) == wanted
