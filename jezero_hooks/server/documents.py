"""The endpoints of documents, as the model's endpoint answers them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..rules.limits import limit_of

if TYPE_CHECKING:
    from ..library.documents import Documents
    from ..model import DocumentHit
    from .desk import Desk
    from .query import Asked

# A whole number as JSON writes it, 1e1 too; of more digits none is read.
NUMBER = re.compile(r"\s*[+-]?\d{1,15}(\.0*)?([eE]\+?\d)?\s*", re.ASCII)


def documents_of(desk: Desk) -> Documents:
    """Return the documents that may be read."""
    return desk.reader.documents(desk.filters.allowed)


def search_documents(desk: Desk, asked: Asked) -> tuple[int, dict[str, Any]]:
    """Answer /api/search. Raises UsageError. Source: RULES 12."""
    rule, documents = desk.config.documents, documents_of(desk)
    limit = limit_of(_count(asked, "limit", 1, rule.limit), rule.limit, rule.max_limit)
    offset = _count(asked, "offset", 0, 0)
    if offset > rule.max_offset:
        raise UsageError("Invalid offset")
    type_, query = asked.text("type"), asked.text("q")
    if type_ and type_ not in (types := documents.types()):
        raise UsageError(f"Invalid type. One of: {', '.join(types)}")
    if len(query) > rule.query_chars:
        raise UsageError("Query too long")
    _, hits = documents.search(
        query,
        ranking=rule.ranking(),
        bounds=rule.bounds(),
        now_s=desk.now_s,
        limit=limit,
        offset=offset,
        type_=type_ or None,
        before=desk.filters.before,
    )
    return 200, {"query": query, "count": len(hits), "results": [_result(hit) for hit in hits]}


def _count(asked: Asked, name: str, least: int, default: int) -> int:
    text = asked.raw.get(name)
    if text is None:
        return default
    if not NUMBER.fullmatch(text) or float(text) < least:
        raise UsageError(f"Invalid {name}")
    return int(float(text))


def _result(hit: DocumentHit) -> dict[str, Any]:
    return {
        "id": hit.id,
        "title": hit.title,
        "url": hit.url,
        "type": hit.type,
        "date": hit.date or "",
        "tags": hit.tags,
        "emoji": hit.emoji,
        "snippet": hit.snippet,
        "score": hit.score,
    }


def document(desk: Desk, asked: Asked) -> tuple[int, dict[str, Any]]:
    """Answer /api/documents/ID."""
    found = documents_of(desk).document(asked.arguments.id(), desk.filters.before)
    if found is None:
        return 404, {"found": False, "document": None}
    return 200, {"found": True, "document": found._asdict()}
