"""Search and later from first principles, in plain Python, and generated libraries to ask both.

Nothing of the product is called here but its nouns and its default numbers.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from itertools import product
from typing import NamedTuple

from hypothesis import strategies as st

from jezero_hooks.library.reader import Filters, Reader
from jezero_hooks.library.writer import library_in_memory
from jezero_hooks.model import Atom, NewItem
from jezero_hooks.rules.ranking import Ranking

WEIGHTS = tuple(Ranking().weights)
NOW_S = 1_800_000_000.0  # 2027-01-15
K1, B = 1.2, 0.75
DAY_S = 86_400

WORDS = ("consent", "banner", "cons", "ent ban", "aaaa", "aaa", "x", "foo_bar", "")
# All texts of up to three words; drawn whole, which is quicker than word by word.
TEXT = st.sampled_from([" ".join(words) for n in range(4) for words in product(WORDS, repeat=n)])
SOURCES = ("agent-desk", "agent-laptop", "mail")
# Few moments, so that many items share one; one in the future, and one that is no date.
DATES = ("2026-01-01", "2026-05-01", "2026-09-01", "2026-12-01", "2027-06-01")
UNDATED = "some day"


@st.composite
def new_items(draw: st.DrawFn) -> NewItem:
    date = draw(st.sampled_from([*DATES, *DATES, UNDATED]))
    return NewItem(
        source=draw(st.sampled_from(SOURCES)),
        external_id=draw(st.sampled_from("abcdefghijklm")),
        occurred_at=date if date == UNDATED else f"{date}T00:00:00+00:00",
        title=draw(TEXT),
        summary=draw(TEXT),
        questions=tuple(draw(TEXT).split(" x ")),
        atoms=tuple(Atom("fact", text) for text in draw(TEXT).split(" x ")),
        project=draw(st.sampled_from([None, "", "consent", *["orion"] * 6])),
        original_ref=draw(st.sampled_from([None, "r", "r"])),
    )


def libraries(at_least: int = 1) -> st.SearchStrategy[list[NewItem]]:
    return st.lists(
        new_items(),
        min_size=at_least,
        max_size=12,
        unique_by=lambda item: (item.source, item.external_id),
    )


FILTERS = st.builds(
    Filters,
    allowed=st.sampled_from([None, None, None, ("*",), ("agent-*",), ("mail", "agent-l*"), ()]),
    source=st.sampled_from([None, None, None, *SOURCES]),
    project=st.sampled_from([None, None, "orion", "consent", "nowhere"]),
    since=st.sampled_from([None, None, "2026-05-01T00:00:00+00:00"]),
    before=st.sampled_from([None, None, "2026-12-01T00:00:00+00:00"]),
    dated=st.booleans(),
)


def library_of(items: list[NewItem]) -> Reader:
    """Return a library in which the items have the ids 1, 2, 3, …"""
    writer = library_in_memory()
    with writer.transaction():
        for item in items:
            writer.put(item, ingested_at="2026-01-01T00:00:00+00:00")
    return writer.reader()


# --- relevance -------------------------------------------------------------------------------


def fields(item: NewItem) -> tuple[str, ...]:
    atoms = "\n".join(atom.text for atom in item.atoms)
    return (item.title, item.summary, "\n".join(item.questions), atoms, item.project or "")


def occurrences(text: str, term: str) -> int:
    return sum(text.startswith(term, at) for at in range(len(text)))


def match_of(query: str) -> str | None:
    """Return what is asked of the index; the generated words hold no quotes."""
    words = dict.fromkeys(word for word in query.split() if len(word) >= 3)
    return " OR ".join(f'"{word}"' for word in words) or None


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
            # In FTS5's order of operations, so that what ties there ties here.
            part = max(idf, 1e-6) * (weighted * (K1 + 1) / (weighted + norm))
            found[n] = found.get(n, 0.0) + part
    return found


# --- the order and the choice ----------------------------------------------------------------


class Found(NamedTuple):
    """An item's number with its relevance and score."""

    id: int
    relevance: float
    score: float


def moment_s(item: NewItem) -> float | None:
    if item.occurred_at == UNDATED:
        return None
    return datetime.fromisoformat(item.occurred_at).timestamp()


def may_be_read(source: str, allowed: tuple[str, ...] | None) -> bool:
    """Return whether a glob allows a source; those that are generated end with their star."""
    return allowed is None or any(
        source.startswith(glob[:-1]) if glob.endswith("*") else source == glob for glob in allowed
    )


def passes(item: NewItem, filters: Filters) -> bool:
    return (
        may_be_read(item.source, filters.allowed)
        and filters.source in (None, item.source)
        and filters.project in (None, item.project)
        and (filters.since is None or item.occurred_at >= filters.since)
        and (filters.before is None or item.occurred_at < filters.before)
        and not (filters.dated and item.occurred_at == UNDATED)
    )


def session(n: int, items: list[NewItem]) -> object:
    """Return what copies of a session share, and nobody else."""
    item = items[n - 1]
    return n if item.original_ref is None else (item.external_id, item.original_ref)


def searched(
    items: list[NewItem],
    relevances: dict[int, float],
    filters: Filters,
    *,
    limit: int,
    ranking: Ranking,
) -> list[Found]:
    """Return the hits of a search, from the relevance of every item that matches."""
    pool = [n for n in relevances if passes(items[n - 1], filters)]
    pool.sort(key=lambda n: (-relevances[n], -n))
    pool = pool[: ranking.candidate_pool]
    by_name = filters.allowed is not None and "*" not in filters.allowed
    first: dict[object, int] = {}
    for n in sorted(pool, key=lambda n: (items[n - 1].source if by_name else "", n)):
        first.setdefault(session(n, items), n)
    scored = [scored_of(n, relevances[n], items, ranking) for n in first.values()]
    scored.sort(key=lambda f: (-f.score, -(moment_s(items[f.id - 1]) or 0), -f.id))
    return scored[:limit]


def scored_of(n: int, relevance: float, items: list[NewItem], ranking: Ranking) -> Found:
    at_s, weight = moment_s(items[n - 1]), ranking.recency_weight
    age_days = math.inf if at_s is None else max(NOW_S - at_s, 0) / DAY_S
    decay = 0.5 ** (age_days / ranking.half_life_days)
    return Found(n, relevance, relevance * ((1 - weight) + weight * decay))


def later_place(n: int, items: list[NewItem], filters: Filters) -> dict[int, NewItem]:
    """Return by number what lies where the item lies, is dated, and is not older than it."""
    item, since = items[n - 1], moment_s(items[n - 1])
    found = {}
    for m, other in enumerate(items, 1):
        at_s = moment_s(other)
        there = other.project == item.project if item.project else other.source == item.source
        newer = at_s is not None and (since is None or at_s >= since)
        in_view = may_be_read(other.source, filters.allowed) and (
            filters.before is None or other.occurred_at < filters.before
        )
        if there and newer and in_view:
            found[m] = other
    return found
