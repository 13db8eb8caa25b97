"""search_documents: the user's own pages for an agent, in as few tokens as show the match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..render import one_line
from ..rules.snippet import snippet_text
from .documents import documents_of

if TYPE_CHECKING:
    from ..library.documents import Documents
    from ..model import DocumentHit
    from .arguments import Arguments
    from .desk import Desk

# A path is what the agent opens: cut it would be of no use, so only a monster is.
PATH_CHARS = 1_000
TYPE_CHARS = 40
TYPES_NAMED = 5
SNIPPET_CHARS = 300

NO_DOCUMENTS = "no documents here; the user can index a folder: jezero-hook documents index DIR"
ALL_WORDS = "every word must stand in a page: try fewer"


def search_pages(desk: Desk, arguments: Arguments) -> dict[str, Any]:
    """Answer the tool search_documents. Source: RULES 10.3, 12."""
    query, type_ = arguments.needed_text("query"), arguments.text("type")
    rule, documents = desk.config.documents, documents_of(desk)
    types = documents.types()
    if type_ and types and type_ not in types:
        asked = one_line(type_, TYPE_CHARS)
        raise UsageError(f"there is no type {asked}; there are: {_few(types)}")
    match, hits = documents.search(
        query,
        ranking=rule.ranking(),
        bounds=rule.bounds(),
        now_s=desk.now_s,
        # An agent pays for each hit, so its default is that of items, not that of a site's page.
        limit=arguments.limit(desk.config.search.limit, rule.max_limit),
        type_=type_,
        before=desk.filters.before,
    )
    found: dict[str, Any] = {
        "query": query[: rule.query_chars],
        "match": match,
        "count": len(hits),
        "results": [_listed(desk, hit) for hit in hits],
    }
    note = None if hits else _note(documents, match, rule.min_query_chars)
    return found | ({"note": note} if note else {})


def _few(types: list[str]) -> str:
    more = ", …" if len(types) > TYPES_NAMED else ""
    return ", ".join(one_line(name, TYPE_CHARS) for name in types[:TYPES_NAMED]) + more


def _note(documents: Documents, match: str | None, min_chars: int) -> str | None:
    """Return what to do about an answer without hits."""
    if not documents.types():
        return NO_DOCUMENTS
    if match is None:
        return f"nothing to search for: a query has {min_chars} characters at least"
    return ALL_WORDS if " " in match else None


def _listed(desk: Desk, hit: DocumentHit) -> dict[str, Any]:
    """Return a hit without an id, which would only be taken for an item's; its path names it."""
    # No marks: what was found stands in the middle of the piece anyway. A page whose text does
    # not hold it was found by its description.
    shows = "<mark>" in hit.snippet or not hit.description
    piece = snippet_text(hit.snippet) if shows else hit.description
    value = {
        "path": hit.path[:PATH_CHARS],
        "title": one_line(hit.title, desk.config.hooks.title_chars),
        "type": one_line(hit.type, TYPE_CHARS),
        "date": hit.date,
        "snippet": one_line(piece, SNIPPET_CHARS),
        "score": float(f"{hit.score:.6g}"),
    }
    return {name: given for name, given in value.items() if given not in (None, "")}
