"""Search beside the arithmetic of BM25 from first principles, on generated libraries."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jezero_hooks.library.match import match_query
from jezero_hooks.library.writer import library_in_memory
from jezero_hooks.model import Atom, NewItem
from jezero_hooks.rules.ranking import Ranking

WEIGHTS = tuple(Ranking().weights)
NOW_S = 1_800_000_000.0
K1, B = 1.2, 0.75

WORDS = st.sampled_from(["consent", "banner", "cons", "ent ban", "aaaa", "aaa", "x", "foo_bar", ""])
TEXT = st.lists(WORDS, max_size=6).map(" ".join)


@st.composite
def new_items(draw: st.DrawFn) -> NewItem:
    return NewItem(
        source="s",
        external_id="",
        occurred_at=f"2026-{draw(st.integers(1, 12)):02}-01T00:00:00+00:00",
        title=draw(TEXT),
        summary=draw(TEXT),
        questions=tuple(draw(st.lists(TEXT, max_size=2))),
        atoms=tuple(Atom("fact", text) for text in draw(st.lists(TEXT, max_size=2))),
        project=draw(st.sampled_from([None, "consent", "orion"])),
    )


def fields(item: NewItem) -> tuple[str, ...]:
    atoms = "\n".join(atom.text for atom in item.atoms)
    return (item.title, item.summary, "\n".join(item.questions), atoms, item.project or "")


def occurrences(text: str, term: str) -> int:
    return sum(text.startswith(term, at) for at in range(len(text)))


def relevance(match: str, items: list[NewItem]) -> dict[int, float]:
    """Return BM25 by item number from the formula: trigrams are counted, phrases located."""
    rows = {n: fields(item) for n, item in enumerate(items, 1)}
    lengths = {n: sum(max(len(text) - 2, 0) for text in row) for n, row in rows.items()}
    average = sum(lengths.values()) / len(rows)
    found: dict[int, float] = {}
    for term in re.findall(r'"([^"]+)"', match):
        hits = {
            n: sum(w * occurrences(text, term) for w, text in zip(WEIGHTS, row, strict=True))
            for n, row in rows.items()
        }
        hits = {n: weighted for n, weighted in hits.items() if weighted}
        idf = math.log((len(rows) - len(hits) + 0.5) / (len(hits) + 0.5))
        for n, weighted in hits.items():
            norm = K1 * (1 - B + B * lengths[n] / average)
            part = max(idf, 1e-6) * weighted * (K1 + 1) / (weighted + norm)
            found[n] = found.get(n, 0.0) + part
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(new_items(), min_size=1, max_size=12), TEXT)
def test_search_is_the_formula(items: list[NewItem], query: str) -> None:
    writer = library_in_memory()
    with writer.transaction():
        for n, item in enumerate(items, 1):
            writer.put(item._replace(external_id=str(n)), ingested_at="2026-01-01T00:00:00+00:00")
    match = match_query(query, min_chars=3)
    hits = writer.reader().search(match, now_s=NOW_S, limit=50)
    wanted = relevance(match, items) if match else {}
    assert {hit.id for hit in hits} == set(wanted)
    for hit in hits:
        assert hit.relevance == pytest.approx(wanted[hit.id], abs=1e-9)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
