"""The six tools: what they are called with and what they answer, as plain JSON values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import JezeroError
from ..library.reader import Filters
from ..model import Hit, Item, ListedItem, NamedTuple
from ..newer import later_json, newer_than
from ..render import neutral_text, one_line
from .arguments import Arguments
from .desk import Client, Desk, desk_of
from .pages import search_pages

# What a list shows of a summary; the item itself is one call away.
SUMMARY_CHARS = 400
# An item of ours is far below these; one from elsewhere must not fill an agent's context.
ITEM_SUMMARY_CHARS = 4_000
ITEM_TEXT_CHARS = 1_000
ITEM_TEXTS = 20
NAME_CHARS = 300
# A part of a dialogue, about 5,000 tokens: what a client still shows whole.
ORIGINAL_CHARS = 16_000

Json = dict[str, Any]

TEXT: Json = {"type": "string"}


def _described(schema: Json, description: str) -> Json:
    return {**schema, "description": description}


ID = _described({"type": "integer", "minimum": 1}, "The number of an item, as in [12].")
FILTERS: Json = {
    "project": _described(TEXT, "Only this project: its exact name, as items show it."),
    "source": _described(TEXT, "Only this source: its exact name, as list_sources gives it."),
    "since": _described(TEXT, "From this time on: ISO 8601, e.g. 2026-09-10. UTC if not said."),
    "until": _described(TEXT, "Before this time: ISO 8601."),
}


def _limit(default: int) -> Json:
    return _described({"type": "integer"}, f"At most this many; default {default}, at most 50.")


class Tool(NamedTuple):
    """A tool as it is offered, and the function that answers it."""

    name: str
    title: str
    description: str
    properties: Json
    required: tuple[str, ...]
    run: Callable[[Desk, Arguments], Json]

    def schema(self) -> Json:
        """Return the JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": self.properties,
            "required": list(self.required),
            "additionalProperties": False,
        }


def answer(client: Client, tool: Tool, given: Mapping[str, Any] | None) -> Json:
    """Return a tool's answer, every text in it neutralised. Source: RULES 7.

    Raises JezeroError, one clear line for the agent, where it cannot be given.
    """
    arguments = Arguments(given, tool.properties)
    with desk_of(client) as desk:
        found: Json = _neutral(tool.run(desk, arguments))
        return found


def _neutral(value: Any) -> Any:
    if isinstance(value, str):
        return neutral_text(value)
    if isinstance(value, Mapping):
        return {name: _neutral(inner) for name, inner in value.items()}
    return [_neutral(inner) for inner in value] if isinstance(value, (list, tuple)) else value


# --- what they answer --------------------------------------------------------------------


def _search(desk: Desk, arguments: Arguments) -> Json:
    query, rule = arguments.needed_text("query"), desk.config.search
    match = desk.reader.match_query(query, rule.bounds())
    hits = desk.reader.search(
        match,
        now_s=desk.now_s,
        limit=arguments.limit(rule.limit, rule.max_limit),
        ranking=rule.ranking(),
        filters=_filters(desk, arguments),
    )
    found: Json = {
        "query": query[: rule.query_chars],
        "match": match,
        "count": len(hits),
        "results": [_listed(desk, hit) for hit in hits],
    }
    if match is None:
        found["note"] = f"nothing to search for: no word has {desk.reader.min_chars} characters"
    return found


def _timeline(desk: Desk, arguments: Arguments) -> Json:
    limit = arguments.limit(desk.config.timeline.limit, desk.config.search.max_limit)
    items = desk.reader.timeline(limit=limit, filters=_filters(desk, arguments))
    return {"count": len(items), "items": [_listed(desk, item) for item in items]}


def _get_item(desk: Desk, arguments: Arguments) -> Json:
    item = _item(desk, arguments)
    value = _whole(desk, item)
    start = arguments.count("original_from")
    if arguments.truth("original") or start:
        value |= _original(desk, item.id, start)
    return {"found": True, "item": value}


def _later(desk: Desk, arguments: Arguments) -> Json:
    item, query = _item(desk, arguments), arguments.text("query")
    found = newer_than(
        desk.reader,
        item,
        query,
        limit=arguments.limit(desk.config.later.limit, desk.config.search.max_limit),
        config=desk.config,
        filters=desk.filters,
    )
    return later_json(item, found) | {"later": [_listed(desk, other) for other in found.items]}


def _list_sources(desk: Desk, arguments: Arguments) -> Json:
    sources = desk.reader.sources(desk.filters)
    return {"count": len(sources), "sources": [source._asdict() for source in sources]}


# --- their parts -------------------------------------------------------------------------


def _filters(desk: Desk, arguments: Arguments) -> Filters:
    until = arguments.time("until")
    return desk.filters._replace(
        source=arguments.text("source"),
        project=arguments.text("project"),
        since=arguments.time("since"),
        before=min(filter(None, (until, desk.filters.before)), default=None),
    )


def _item(desk: Desk, arguments: Arguments) -> Item:
    id_ = arguments.id()
    item = desk.reader.item(id_, desk.filters)
    if item is None:
        raise JezeroError(f"there is no item {id_}; search or timeline lists some")
    return item


def _listed(desk: Desk, item: ListedItem | Hit) -> Json:
    value = _named(desk, item)
    value["summary"] = one_line(item.summary, SUMMARY_CHARS)
    for name in ("relevance", "score"):
        if name in value:
            value[name] = float(f"{value[name]:.6g}")
    return value


def _named(desk: Desk, item: ListedItem | Hit | Item) -> Json:
    """Return an item's fields, those that are names on one line each."""
    value = item._asdict()
    for name in ("external_id", "source", "project", "account", "original_ref", "occurred_at"):
        if value.get(name):
            value[name] = one_line(value[name], NAME_CHARS)
    value["title"] = one_line(item.title, desk.config.hooks.title_chars)
    return value


def _whole(desk: Desk, item: Item) -> Json:
    value = _named(desk, item)
    value["summary"] = _cut(item.summary, ITEM_SUMMARY_CHARS)
    value["questions"] = [_cut(question) for question in item.questions[:ITEM_TEXTS]]
    value["atoms"] = [
        {"kind": _cut(atom.kind), "text": _cut(atom.text)} for atom in item.atoms[:ITEM_TEXTS]
    ]
    return value


def _cut(text: str, max_chars: int = ITEM_TEXT_CHARS) -> str:
    return text if len(text) <= max_chars else text[: max_chars - 1] + "…"


def _original(desk: Desk, id_: int, start: int) -> Json:
    """Return a part of the dialogue, its whole length, and where the next part begins."""
    whole = desk.reader.original(id_)
    if whole is None:
        return {"original": None}
    end = start + ORIGINAL_CHARS
    return {
        "original": whole[start:end],
        "original_chars": len(whole),
        "original_next": end if end < len(whole) else None,
    }


SEARCH = Tool(
    "search",
    "Search past work",
    "Search the user's past work sessions. Give 2 to 5 distinctive words (names, error codes, "
    'file names) or a "quoted phrase", not a sentence: matching is literal, any of the words is '
    "enough, more of them rank higher. Best first; newer counts a little more. Gives id, date, "
    "project, title and summary of each: read one with get_item before using it.",
    {"query": _described(TEXT, "2 to 5 distinctive words."), "limit": _limit(10), **FILTERS},
    ("query",),
    _search,
)
GET_ITEM = Tool(
    "get_item",
    "Read an item",
    "Read one item whole: summary, the user's questions, and atoms (decisions, fixes, errors, "
    "commands, files). With original, also the dialogue it was made from, 16,000 characters "
    "at a time: long, so only when the item itself does not say enough.",
    {
        "id": ID,
        "original": _described({"type": "boolean"}, "Its dialogue too; default false."),
        "original_from": _described(
            {"type": "integer", "minimum": 0},
            "Where in the dialogue to begin: original_next of the part before.",
        ),
    },
    ("id",),
    _get_item,
)
LATER = Tool(
    "later",
    "What is newer",
    "Check whether an item is still the last word: finds newer work on its subject, newest "
    'first. matched_by "subject": on the same subject, read them; "project_timeline": nothing '
    "on the subject, these are only newer in the same project. Use it before you rely on a "
    "decision, a fix or a figure.",
    {
        "id": ID,
        "query": _described(TEXT, "The subject in 2 to 5 words; default the item's title."),
        "limit": _limit(5),
    },
    ("id",),
    _later,
)
TIMELINE = Tool(
    "timeline",
    "Newest items",
    "List past work by date, newest first: what was done last, of a project or in a time.",
    {"limit": _limit(20), **FILTERS},
    (),
    _timeline,
)
LIST_SOURCES = Tool(
    "list_sources",
    "Sources",
    "List where the items come from: each source with its number of items and the dates of its "
    "oldest and newest.",
    {},
    (),
    _list_sources,
)
SEARCH_DOCUMENTS = Tool(
    "search_documents",
    "Search documents",
    "Search the user's own Markdown pages: docs, decisions, notes. Every word must stand in a "
    "page. Gives path and the piece that matches: read the file itself before using it.",
    {
        "query": _described(TEXT, "1 to 3 words."),
        "type": _described(TEXT, "Only this type, as results show it."),
        "limit": _limit(10),
    },
    ("query",),
    search_pages,
)

# Offered whether there are documents or not: clients ask for the list once, and an index may
# be made at any time; without one the answer says how.
ALL = (SEARCH, GET_ITEM, LATER, TIMELINE, LIST_SOURCES, SEARCH_DOCUMENTS)
TOOLS = {tool.name: tool for tool in ALL}
