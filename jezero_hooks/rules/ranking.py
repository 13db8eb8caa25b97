"""Ranking: relevance and recency to one order, copies to one place.

Two profiles, items and documents, go through the same ``rank``; what differs is the factor
that an age gives.
"""

from __future__ import annotations

from ..model import NamedTuple
from .recency import age_days, half_life, window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Weights(NamedTuple):
    """How much a word counts in each field. Source: RULES 2.2."""

    title: float = 2.0  # the most condensed field, and the one that a person reads
    summary: float = 1.0  # the measure of the others
    questions: float = 1.5  # asked in the words in which it will be asked again
    atoms: float = 1.5  # exact: a command, an error as it stood
    project: float = 0.5  # says where, not what


class Ranking(NamedTuple):
    """The numbers of a search. Source: RULES 2."""

    weights: Weights = Weights()
    candidate_pool: int = 200  # deep enough that recency can lift an item into the answer
    half_life_days: float = 90.0  # a season of work
    recency_weight: float = 0.3  # age lowers a score by 30 % at most: old but exact still wins

    def recency(self) -> Callable[[float], float]:
        """Return what an age in days multiplies a relevance by."""
        return half_life(self.half_life_days, self.recency_weight)


class DocumentWeights(NamedTuple):
    """How much a word counts in each field of a document. Source: RULES 12.4."""

    title: float = 10.0  # who named a page said what it is about
    description: float = 5.0  # a sentence that was written to be found
    content: float = 1.0  # the measure of the others
    tags: float = 3.0  # chosen words, but broad ones


class DocumentRanking(NamedTuple):
    """The numbers of a search in documents. Source: RULES 12."""

    weights: DocumentWeights = DocumentWeights()
    recency_boost: float = 0.35  # today's page gains a third: fresh before stale, not before apt
    window_days: float = 1095.0  # three years on, notes are judged by their words alone
    snippet_tokens: int = 24  # two lines

    def recency(self) -> Callable[[float], float]:
        """Return what an age in days multiplies a relevance by."""
        return window(self.recency_boost, self.window_days)


class Candidate(NamedTuple):
    """A row of the candidate pool; occurred_s is Unix time in seconds, None when undated."""

    id: int
    relevance: float
    occurred_s: float | None
    source: str
    external_id: str


class Scored(NamedTuple):
    """A candidate's id with what ordered it."""

    id: int
    relevance: float
    score: float


def rank(
    candidates: Iterable[Candidate],
    *,
    now_s: float,
    recency: Callable[[float], float],
    limit: int,
) -> list[Scored]:
    """Return the best ``limit`` candidates: by score, then newer first, then the higher id.

    The score is the relevance times what ``recency`` makes of the age in days.
    Source: RULES 2.3, 12.4.
    """
    order = []
    for candidate in candidates:
        score = candidate.relevance * recency(age_days(candidate.occurred_s, now_s))
        order.append((-score, -(candidate.occurred_s or 0.0), -candidate.id, candidate.relevance))
    order.sort()
    return [Scored(-id_, relevance, -score) for score, _, id_, relevance in order[:limit]]


def without_copies(
    candidates: Sequence[Candidate],
    original_refs: Callable[[list[int]], dict[int, str | None]],
    source_order: Sequence[str] = (),
) -> list[Candidate]:
    """Return the candidates with one place for the copies of a session.

    Copies share external_id and original_ref in different sources. The one from the first
    source of ``source_order`` stays, without an order the one that was stored first.
    ``original_refs`` is asked only for those that share an external_id: it is dear, since
    the column lies behind the stored original. Source: RULES 2.5.
    """
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.external_id, []).append(candidate)
    shared = [c for group in groups.values() if len(group) > 1 for c in group]
    if not shared:
        return list(candidates)
    refs = original_refs([c.id for c in shared])
    place = {source: index for index, source in enumerate(source_order)}
    shared.sort(key=lambda c: (place.get(c.source, 0), c.id))
    seen: set[tuple[str, str]] = set()
    dropped: set[int] = set()
    for candidate in shared:
        ref = refs.get(candidate.id)
        if ref is None:
            continue
        copy_of = (candidate.external_id, ref)
        if copy_of in seen:
            dropped.add(candidate.id)
        seen.add(copy_of)
    return [c for c in candidates if c.id not in dropped]
