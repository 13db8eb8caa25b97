"""What is newer than an item, by the config's numbers and as JSON: the same for every door."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .library.later import Later, later
from .rules.limits import limit_of

if TYPE_CHECKING:
    from .config import Config
    from .library.reader import Filters, Reader
    from .model import Item


def newer_than(
    reader: Reader,
    item: Item,
    query: str | None,
    *,
    limit: object,
    config: Config,
    filters: Filters,
) -> Later:
    """Return what is newer than an item, on its subject if anything is.

    ``limit`` is what was asked for, of any type. Raises LibraryError. Source: RULES 2.4, 8.
    """
    return later(
        reader,
        item,
        query,
        limit=limit_of(limit, config.later.limit, config.search.max_limit),
        numbers=config.later.numbers(),
        ranking=config.search.ranking(),
        bounds=config.search.bounds(),
        filters=filters,
    )


def later_json(item: Item | None, found: Later | None) -> dict[str, Any]:
    """Return the answer to ``later``; without an item the answer that there is none."""
    about = None if item is None else {"id": item.id, "occurred_at": item.occurred_at}
    return {"found": item is not None, "item": about, **newer_json(found)}


def newer_json(found: Later | None) -> dict[str, Any]:
    """Return matched_by, count and the items, newest first; hits have their relevance too."""
    items = [] if found is None else [other._asdict() for other in found.items]
    matched_by = None if found is None else found.matched_by
    return {"matched_by": matched_by, "count": len(items), "later": items}
