"""Search beside the arithmetic of BM25 from first principles, on generated libraries."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jezero_hooks.library.match import match_query
from jezero_hooks.library.reader import Filters
from jezero_hooks.model import NewItem
from jezero_hooks.rules.ranking import Ranking
from tests.property.formula import (
    FILTERS,
    NOW_S,
    TEXT,
    libraries,
    library_of,
    match_of,
    relevance,
    searched,
    session,
)

RANKINGS = st.builds(
    Ranking,
    weights=st.just(Ranking().weights),
    candidate_pool=st.sampled_from([10, 200]),
    half_life_days=st.sampled_from([7.0, 90.0]),
    recency_weight=st.sampled_from([0.0, 0.3, 1.0]),
)


@settings(max_examples=200, deadline=None)
@given(libraries(), TEXT)
def test_relevance_is_the_formula(items: list[NewItem], query: str) -> None:
    match = match_query(query, min_chars=3)
    assert match == match_of(query)
    hits = library_of(items).search(match, now_s=NOW_S, limit=50)
    wanted = relevance(match, items) if match else {}
    # One of each session's copies stands for all.
    assert {session(hit.id, items) for hit in hits} == {session(n, items) for n in wanted}
    for hit in hits:
        assert hit.relevance == pytest.approx(wanted[hit.id], abs=1e-9)


@settings(max_examples=200, deadline=None)
@given(libraries(), TEXT, FILTERS, RANKINGS, st.integers(1, 6))
def test_search_is_the_formula(
    items: list[NewItem], query: str, filters: Filters, ranking: Ranking, limit: int
) -> None:
    match = match_query(query, min_chars=3)
    wanted = []
    if match:
        wanted = searched(items, relevance(match, items), filters, limit=limit, ranking=ranking)
    hits = library_of(items).search(
        match, now_s=NOW_S, limit=limit, ranking=ranking, filters=filters
    )
    assert [hit.id for hit in hits] == [found.id for found in wanted]
    for hit, found in zip(hits, wanted, strict=True):
        assert hit.relevance == pytest.approx(found.relevance, abs=1e-9)
        assert hit.score == pytest.approx(found.score, abs=1e-9)
