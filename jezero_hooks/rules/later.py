"""Later: of newer work that a search found, what is on the subject and shown."""

from __future__ import annotations

from ..model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from ..model import Hit


class Numbers(NamedTuple):
    """The numbers of the rule. Source: RULES 8.2; the defaults stand in the config."""

    min_relevance: float
    closest: int
    hits: int


def on_subject(
    hits: Sequence[Hit], own: Container[int], *, limit: int, numbers: Numbers
) -> list[Hit]:
    """Return at most ``limit`` hits that are on the subject, newest first; none may be.

    ``hits`` come best first, ranked by relevance alone, and the item itself among them if it
    was found: the best one is the measure, and an item's own title finds the item best.
    The ids ``own`` are the item and its copies: they measure and are not shown. Source: RULES 8.2.
    """
    if not hits:
        return []
    floor = numbers.min_relevance * hits[0].relevance
    kept = [hit for hit in hits if hit.relevance >= floor and hit.id not in own]
    closest, others = kept[: numbers.closest], kept[numbers.closest :]
    newest = newest_first(others)[: max(limit - len(closest), 0)]
    return newest_first([*closest, *newest])[:limit]


def newest_first(hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits by date, newest first; of one moment the higher id first."""
    return sorted(hits, key=lambda hit: (hit.occurred_at, hit.id), reverse=True)
