"""The endpoints of items, as the commands answer them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..answers import hits_of, item_json, item_of, search_json, show_json, timeline_json
from ..newer import later_json, newer_than
from ..rules.limits import limit_of
from .marking import found_words, snippet, terms_of

if TYPE_CHECKING:
    from ..library.reader import Filters
    from ..model import Hit
    from .desk import Desk
    from .query import Asked

Json = dict[str, Any]


def search_items(desk: Desk, asked: Asked) -> tuple[int, Json]:
    """Answer /api/items/search. Raises UsageError. Source: RULES 2."""
    query = asked.text("q")
    match, hits = hits_of(
        desk.reader,
        desk.config,
        query,
        limit=asked.limit(),
        now_s=desk.now_s,
        filters=_filters(desk, asked),
    )
    terms = terms_of(match)
    return 200, search_json(query, match, [_marked(desk, hit, terms) for hit in hits])


def _marked(desk: Desk, hit: Hit, terms: list[str]) -> Json:
    item = desk.reader.item(hit.id)
    if item is None:  # removed a moment ago
        return hit._asdict() | {"matched": [], "snippet": ""}
    return hit._asdict() | {
        "matched": found_words(item, terms, desk.reader),
        "snippet": snippet(item, terms, desk.reader),
    }


def timeline(desk: Desk, asked: Asked) -> tuple[int, Json]:
    """Answer /api/timeline. Raises UsageError. Source: RULES 2.4."""
    config = desk.config
    limit = limit_of(asked.limit(), config.timeline.limit, config.search.max_limit)
    return 200, timeline_json(desk.reader.timeline(limit=limit, filters=_filters(desk, asked)))


def later(desk: Desk, asked: Asked) -> tuple[int, Json]:
    """Answer /api/later. Raises UsageError. Source: RULES 8."""
    item = item_of(desk.reader, asked.arguments.id(), desk.filters)
    if item is None:
        return 404, later_json(None, None)
    found = newer_than(
        desk.reader,
        item,
        asked.text("q"),
        limit=asked.limit(),
        config=desk.config,
        filters=desk.filters,
    )
    return 200, later_json(item, found)


def item(desk: Desk, asked: Asked) -> tuple[int, Json]:
    """Answer /api/items/ID. Raises UsageError."""
    item = item_of(desk.reader, asked.arguments.id(), desk.filters)
    if item is None:
        return 404, show_json(None, None)
    wants_original = asked.arguments.truth("original")
    original = desk.reader.original(item.id) if wants_original else None
    newer = None
    if asked.arguments.truth("newer"):
        newer = newer_than(
            desk.reader, item, None, limit=None, config=desk.config, filters=desk.filters
        )
    return 200, show_json(item_json(item, original, wants_original), newer)


def _filters(desk: Desk, asked: Asked) -> Filters:
    until = asked.arguments.time("until")
    return desk.filters._replace(
        source=asked.arguments.text("source"),
        project=asked.arguments.text("project"),
        since=asked.arguments.time("since"),
        before=min(filter(None, (until, desk.filters.before)), default=None),
    )
