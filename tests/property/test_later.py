"""Later beside the same arithmetic from first principles, on generated libraries."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from jezero_hooks.library.later import later
from jezero_hooks.library.match import Bounds
from jezero_hooks.library.reader import Filters
from jezero_hooks.model import NewItem
from jezero_hooks.rules.later import Numbers
from jezero_hooks.rules.ranking import Ranking
from tests.property.formula import (
    TEXT,
    later_place,
    libraries,
    library_of,
    match_of,
    moment_s,
    passes,
    relevance,
    searched,
    session,
)

NUMBERS = st.builds(
    Numbers,
    min_relevance=st.sampled_from([0.0, 0.3, 0.3, 1.0]),
    closest=st.sampled_from([0, 1, 2, 2, 3]),
    hits=st.sampled_from([1, 3, 50, 50]),
)
# What a call of later may narrow: the rest of the filters is the item's own place.
VIEWS = st.sampled_from(
    [
        *[Filters()] * 4,
        Filters(allowed=("*",)),
        Filters(allowed=("agent-*",)),
        Filters(allowed=("mail", "agent-l*")),
        Filters(before="2026-12-01T00:00:00+00:00"),
    ]
)
QUERIES = st.one_of(st.none(), st.sampled_from(["", "  ", "zzzzz", "ab"]), TEXT)


def wanted_later(
    n: int, query: str | None, items: list[NewItem], filters: Filters, limit: int, numbers: Numbers
) -> tuple[str, list[int]]:
    """Return matched_by and the ids as the rule tells them, step by step."""
    place = later_place(n, items, filters)
    age = {m: (moment_s(items[m - 1]) or 0.0, m) for m in place}
    match = match_of(query if query and query.strip() else items[n - 1].title)
    if match:
        found = {m: r for m, r in relevance(match, items).items() if m in place}
        ranking = Ranking(recency_weight=0.0)
        only = Filters(allowed=filters.allowed)
        hits = searched(items, found, only, limit=numbers.hits, ranking=ranking)
        best = max((hit.relevance for hit in hits), default=0.0)
        kept = [
            hit.id
            for hit in hits
            if session(hit.id, items) != session(n, items)
            and hit.relevance >= numbers.min_relevance * best
        ]
        chosen = set(kept[: numbers.closest])
        for m in sorted(kept, key=age.__getitem__, reverse=True):
            if len(chosen) < limit:
                chosen.add(m)
        if chosen:
            return "subject", sorted(chosen, key=age.__getitem__, reverse=True)[:limit]
    seen = {session(n, items)}
    listed = []
    for m in sorted(place, key=age.__getitem__, reverse=True):
        if session(m, items) not in seen:
            seen.add(session(m, items))
            listed.append(m)
    return "project_timeline", listed[:limit]


@settings(max_examples=600, deadline=None)
@given(libraries(at_least=4), st.data(), QUERIES, VIEWS, NUMBERS, st.integers(1, 6))
def test_later_is_the_formula(
    items: list[NewItem],
    data: st.DataObject,
    query: str | None,
    filters: Filters,
    numbers: Numbers,
    limit: int,
) -> None:
    reader = library_of(items)
    there = [n for n, item in enumerate(items, 1) if passes(item, filters)]
    assert there == [n for n in range(1, len(items) + 1) if reader.item(n, filters)]
    assume(there)
    there.sort(key=lambda n: items[n - 1].occurred_at)
    # The older an item is, the more there is to find.
    n = data.draw(st.sampled_from(there[:3]) | st.sampled_from(there))
    item = reader.item(n, filters)
    assert item is not None
    found = later(
        reader,
        item,
        query,
        limit=limit,
        numbers=numbers,
        ranking=Ranking(),
        bounds=Bounds(),
        filters=filters,
    )
    wanted = wanted_later(n, query, items, filters, limit, numbers)
    assert (found.matched_by, [other.id for other in found.items]) == wanted
