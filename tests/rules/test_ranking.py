"""Score, ties and copies."""

from __future__ import annotations

import math

import pytest

from jezero_hooks.rules.ranking import Candidate, rank, without_copies
from jezero_hooks.rules.recency import SECONDS_A_DAY, age_days, half_life

NOW_S = 1_800_000_000.0


def candidate(id_: int, relevance: float = 1.0, days: float | None = 0.0, **more: str) -> Candidate:
    occurred_s = None if days is None else NOW_S - days * SECONDS_A_DAY
    source = more.get("source", "s")
    return Candidate(id_, relevance, occurred_s, source, more.get("external_id", str(id_)))


def order(*candidates: Candidate, limit: int = 10) -> list[int]:
    ranked = rank(candidates, now_s=NOW_S, recency=half_life(90, 0.3), limit=limit)
    return [scored.id for scored in ranked]


def test_relevance_then_recency_then_the_higher_id() -> None:
    assert order(candidate(1, 1.0), candidate(2, 2.0)) == [2, 1]
    assert order(candidate(1, 1.0, 90), candidate(2, 1.0, 0)) == [2, 1]
    assert order(candidate(1), candidate(2)) == [2, 1]
    assert order(candidate(1, 0.0, 5), candidate(2, 0.0, 9)) == [1, 2]


def test_age_never_buries_a_clearly_better_match() -> None:
    assert order(candidate(1, 2.0, 36_500), candidate(2, 1.0, 0)) == [1, 2]


def test_limit() -> None:
    assert order(*(candidate(n) for n in range(1, 9)), limit=3) == [8, 7, 6]


def test_a_future_date_counts_as_now_and_none_as_very_old() -> None:
    future, now, undated = (
        rank([c], now_s=NOW_S, recency=half_life(90, 0.3), limit=1)[0].score
        for c in (candidate(1, days=-400), candidate(1), candidate(1, days=None))
    )
    assert future == now == 1.0
    assert undated == pytest.approx(0.7)
    assert math.isfinite(undated)
    assert age_days(NOW_S + 1, NOW_S) == 0


def copies(ref: str | None, order: tuple[str, ...] = ()) -> list[int]:
    pair = [
        candidate(15, source="copy", external_id="s003"),
        candidate(3, source="desk", external_id="s003"),
        candidate(7, source="desk", external_id="s007"),
    ]
    kept = without_copies(pair, lambda ids: dict.fromkeys(ids, ref), order)
    return [c.id for c in kept]


def test_copies_take_one_place() -> None:
    assert copies("ref") == [3, 7]
    assert copies("ref", ("copy", "desk")) == [15, 7]
    assert copies(None) == [15, 3, 7]


def test_originals_are_asked_only_for_shared_external_ids() -> None:
    def asked(ids: list[int]) -> dict[int, str | None]:
        raise AssertionError(ids)

    assert len(without_copies([candidate(1), candidate(2)], asked)) == 2
