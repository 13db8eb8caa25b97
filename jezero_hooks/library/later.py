"""Later: newer work on an item's subject, else what is newer in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import NamedTuple
from ..rules.later import on_subject
from ..times import utc_iso
from .reader import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from ..model import Hit, Item, ListedItem
    from ..rules.later import Numbers
    from ..rules.ranking import Ranking
    from .match import Bounds
    from .reader import Filters, Reader

    MatchedBy = Literal["subject", "project_timeline"]


class Later(NamedTuple):
    """What is newer than an item, newest first, and by what it was found."""

    matched_by: MatchedBy
    items: Sequence[Hit | ListedItem]


def later(
    reader: Reader,
    item: Item,
    query: str | None = None,
    *,
    limit: int,
    numbers: Numbers,
    ranking: Ranking,
    bounds: Bounds,
    filters: Filters = EVERYTHING,
) -> Later:
    """Return at most ``limit`` items that are newer than an item, newest first.

    ``subject``: hits of the query (missing or blank: of the item's title) that are close
    enough. Where none is, ``project_timeline``: the newest of the item's project, of its
    source when it has no project. Of ``filters``, ``allowed`` and ``before`` count; the
    place and the date are the item's. Raises LibraryError. Source: RULES 8.
    """
    newer = _newer_in_its_place(item, filters)
    asked = query if query and query.strip() else item.title
    hits = reader.search(
        reader.match_query(asked, bounds),
        now_s=0.0,  # without a weight of recency no age is asked
        limit=numbers.hits,
        ranking=ranking._replace(recency_weight=0.0),
        filters=newer,
    )
    found = on_subject(hits, reader.own_ids(item, hits), limit=limit, numbers=numbers)
    if found:
        return Later("subject", found)
    listed = reader.timeline(limit=limit + 1, filters=newer)  # one may be the item or a copy
    own = reader.own_ids(item, listed)
    return Later("project_timeline", [other for other in listed if other.id not in own][:limit])


def _newer_in_its_place(item: Item, filters: Filters) -> Filters:
    """Return the filters of what may be newer; an item without a date is older than any."""
    return filters._replace(
        project=item.project or None,
        source=None if item.project else item.source,
        since=item.occurred_at if _is_dated(item.occurred_at) else None,
        dated=True,
    )


def _is_dated(occurred_at: str) -> bool:
    try:
        utc_iso(occurred_at)
    except ValueError:
        return False
    return True
