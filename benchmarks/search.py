"""The search beside the plain statement that it must answer like, on one library.

The plain way is RULES 2 as one would write it down: match, bm25 and filters in one statement
over both tables, the best 200 with all their columns, then the formula in Python.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

import apsw

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from timing import Timed, in_turns, milliseconds  # noqa: E402

from jezero_hooks.library.match import Bounds  # noqa: E402
from jezero_hooks.library.reader import open_library  # noqa: E402

POOL = 200
HALF_LIFE_DAYS = 90
RECENCY_WEIGHT = 0.3
NOW_S = datetime.fromisoformat("2026-12-01T00:00:00+00:00").timestamp()
# So many texts are looked through for the words that a question is made of.
TEXTS_SEEN = 2_000
COMMON_WORDS, PROMPT_WORDS = 20, 8

PLAIN = """
SELECT items.*, bm25(items_fts, 2.0, 1.0, 1.5, 1.5, 0.5) AS rank
FROM items_fts JOIN items ON items.id = items_fts.rowid
WHERE items_fts MATCH :match
  AND (:project IS NULL OR items.project = :project)
  AND (:before IS NULL OR items.occurred_at < :before)
ORDER BY rank, items.id DESC LIMIT :pool
"""
# The index's own tables, and all of the file. What stands in items_fts_content is a copy of the
# items' texts, which the format asks for.
DISK = """
SELECT sum(pgsize) FILTER (WHERE name LIKE 'items_fts%'), sum(pgsize) FROM dbstat
WHERE aggregate = 1
"""


class PlainHit(NamedTuple):
    """A hit of the plain way."""

    id: int
    score: float
    relevance: float


class Disk(NamedTuple):
    """What an item takes in the index, and in the whole library."""

    index_bytes: float
    library_bytes: float


def plain_search(
    db: apsw.Connection,
    match: str,
    *,
    now_s: float = NOW_S,
    limit: int = POOL,
    project: str | None = None,
    before: str | None = None,
) -> list[PlainHit]:
    """Return the best hits, best first. Source: RULES 2.2, 2.3 (without copies, 2.5)."""
    values = {"match": match, "pool": POOL, "project": project, "before": before}
    found = []
    for row in db.execute(PLAIN, values):
        relevance, at_s = -row[-1], datetime.fromisoformat(row[3]).timestamp()
        decay = 0.5 ** (max(now_s - at_s, 0) / 86_400 / HALF_LIFE_DAYS)
        score = relevance * (1 - RECENCY_WEIGHT + RECENCY_WEIGHT * decay)
        found.append((score, at_s, row[0], relevance))
    found.sort(key=itemgetter(0, 1, 2), reverse=True)
    return [PlainHit(id_, score, relevance) for score, _, id_, relevance in found[:limit]]


def open_plain(path: str) -> apsw.Connection:
    """Return a connection as SQLite opens it."""
    return apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)


def questions(path: str, how_many: int) -> dict[str, list[str]]:
    """Return questions that are asked of the library, by their kind.

    Of 20 of its 200 commonest words, the worst that a prompt can hold; and of 8 words as they
    come, as a person asks.
    """
    rng = random.Random(how_many)
    counts: dict[str, int] = {}
    texts = open_plain(path).execute("SELECT summary FROM items LIMIT ?", (TEXTS_SEEN,))
    found = [str(text).split() for (text,) in texts]
    for words in found:
        for word in words:
            counts[word] = counts.get(word, 0) + (len(word) > 2)
    common = sorted(counts, key=lambda word: (-counts[word], word))[:200]
    return {
        f"{COMMON_WORDS} common words": [
            " ".join(rng.sample(common, min(COMMON_WORDS, len(common)))) for _ in range(how_many)
        ],
        f"{PROMPT_WORDS} words": [
            " ".join(rng.choice(found)[:PROMPT_WORDS]) for _ in range(how_many)
        ],
    }


def time_search(path: str, rounds: int) -> dict[str, list[Timed]]:
    """Return what the plain way and the product's take, by the kind of question.

    Each opens the library for itself, as a hook does; the first round, which fills the disk's
    cache, is not told.
    """
    kinds = {}
    for kind, asked in questions(path, rounds + 1).items():
        jobs: dict[str, Callable[[int], float]] = {
            f"{kind}: plain FTS5": lambda n, asked=asked: _plain_ms(path, asked[n]),  # type: ignore[misc]
            f"{kind}: search": lambda n, asked=asked: _search_ms(path, asked[n]),  # type: ignore[misc]
        }
        timed = in_turns(jobs, rounds + 1)
        kinds[kind] = [Timed(t.name, t.taken_ms[1:], t.beside_ms[1:]) for t in timed]
    return kinds


def _plain_ms(path: str, query: str) -> float:
    match = " OR ".join(f'"{word}"' for word in dict.fromkeys(query.split()) if len(word) > 2)
    return milliseconds(lambda: plain_search(open_plain(path), match, limit=8))


def _search_ms(path: str, query: str) -> float:
    def search() -> None:
        reader = open_library(path)
        reader.search(reader.match_query(query, Bounds()), now_s=NOW_S, limit=8)

    return milliseconds(search)


def disk(path: str) -> Disk:
    """Return what an item takes on the disk."""
    db = open_plain(path)
    [counted], [sizes] = db.execute("SELECT count(*) FROM items"), db.execute(DISK)
    items, index, library = (int(str(number)) for number in (*counted, *sizes))
    return Disk(index / items, library / items)
