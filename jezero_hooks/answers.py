"""search, timeline, show, later: the library from a shell."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .config import CONFIG_FILE
from .configfile import read_config
from .console import console, item_lines, print_json, safe
from .errors import ConfigError, JezeroError, UsageError
from .library.reader import Filters, Reader, open_library
from .newer import later_json, newer_json, newer_than
from .rules.limits import MAX_ID, limit_of
from .times import utc_iso

if TYPE_CHECKING:
    from .cli import Call
    from .config import Config
    from .library.later import Later
    from .model import Hit, Item, ListedItem


def settings(call: Call) -> Config:
    """Return the config that a command works with.

    Raises ConfigError for a faulty one, and for one that is named and not there.
    """
    if call.config and not os.path.lexists(call.config):
        raise ConfigError(f"{call.config}: is not there; check --config")
    return read_config(call.config or f"{call.home}/{CONFIG_FILE}")


def search(call: Call) -> int:
    """Print the hits of a query, best first."""
    config, reader = settings(call), open_library(call.library)
    query = " ".join(call.options.query)
    match, hits = hits_of(
        reader,
        config,
        query,
        limit=call.options.limit,
        now_s=call.now_s,
        filters=filters_of(call, config),
    )
    if call.json:
        print_json(search_json(query, match, [hit._asdict() for hit in hits]))
        return 0
    out = console()
    if match is None:
        out.print(f"Nothing to search for: no word has {reader.min_chars} characters.")
    elif not hits:
        out.print("Nothing found.")
    for hit in hits:
        for text in item_lines(hit, hit.score):
            out.print(text)
    return 0


def hits_of(
    reader: Reader, config: Config, query: str, *, limit: object, now_s: float, filters: Filters
) -> tuple[str | None, list[Hit]]:
    """Return the MATCH expression of a query and its hits, best first, by the config's numbers.

    ``limit`` is what was asked for, of any type. Raises LibraryError. Source: RULES 2.
    """
    match = reader.match_query(query, config.search.bounds())
    hits = reader.search(
        match,
        now_s=now_s,
        limit=limit_of(limit, config.search.limit, config.search.max_limit),
        ranking=config.search.ranking(),
        filters=filters,
    )
    return match, hits


def timeline(call: Call) -> int:
    """Print the newest items, newest first."""
    config, reader = settings(call), open_library(call.library)
    limit = limit_of(call.options.limit, config.timeline.limit, config.search.max_limit)
    items = reader.timeline(limit=limit, filters=filters_of(call, config))
    if call.json:
        print_json(timeline_json(items))
        return 0
    out = console()
    if not items:
        out.print("No items.")
    for item in items:
        for text in item_lines(item):
            out.print(text)
    return 0


def filters_of(call: Call, config: Config) -> Filters:
    """Return what the options and the config leave to be answered."""
    until = _time(call.options.until, "--until")
    before = min(filter(None, (until, call.before)), default=None)
    return Filters(
        allowed=config.sources.allowed,
        source=call.options.source,
        project=call.options.project,
        since=_time(call.options.since, "--since"),
        before=before,
    )


def _time(text: str | None, option: str) -> str | None:
    try:
        return None if text is None else utc_iso(text)
    except ValueError:
        raise UsageError(f"{option} {text}: is no time; write it like 2026-09-10") from None


def item_of(reader: Reader, id_: int, filters: Filters) -> Item | None:
    """Return the item of an id that someone typed; None: not there, or not to be read."""
    return reader.item(id_, filters) if 0 < id_ <= MAX_ID else None


def _no_item(id_: int) -> JezeroError:
    return JezeroError(f"there is no item {id_}; `jezero-hook timeline` lists some")


def show(call: Call) -> int:
    """Print one item whole; with --original its dialogue, with --newer what came after it."""
    config, reader = settings(call), open_library(call.library)
    filters = Filters(allowed=config.sources.allowed, before=call.before)
    id_ = call.options.id
    item = item_of(reader, id_, filters)
    if item is None:
        if call.json:
            print_json(show_json(None, None))
            return 1
        raise _no_item(id_)
    original = reader.original(item.id) if call.options.original else None
    newer = None
    if call.options.newer:
        newer = newer_than(reader, item, None, limit=None, config=config, filters=filters)
    if call.json:
        print_json(show_json(item_json(item, original, call.options.original), newer))
        return 0
    _print_item(item, original, reader)
    if newer is not None:
        console().print()
        _print_newer(item, newer)
    return 0


def later(call: Call) -> int:
    """Print what is newer than an item on the same subject, else in the same project."""
    config, reader = settings(call), open_library(call.library)
    filters = Filters(allowed=config.sources.allowed, before=call.before)
    item = item_of(reader, call.options.id, filters)
    if item is None:
        if call.json:
            print_json(later_json(None, None))
            return 1
        raise _no_item(call.options.id)
    query, limit = " ".join(call.options.query), call.options.limit
    found = newer_than(reader, item, query, limit=limit, config=config, filters=filters)
    if call.json:
        print_json(later_json(item, found))
    else:
        _print_newer(item, found)
    return 0


def _print_newer(item: Item, found: Later) -> None:
    """Print the items below the heading that tells whether subject or date brought them."""
    out = console()
    place = "project" if item.project else "source"
    if not found.items:
        out.print(f"Nothing newer in this {place}.")
        return
    heading = f"Only newer in this {place}"
    if found.matched_by == "subject":
        heading = "Newer on the same subject"
    out.print(heading, style="bold")
    for other in found.items:
        for text in item_lines(other):
            out.print(text)


def search_json(query: str, match: str | None, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer to ``search``."""
    return {"query": query, "match": match, "count": len(results), "results": results}


def timeline_json(items: list[ListedItem]) -> dict[str, Any]:
    """Return the answer to ``timeline``."""
    return {"count": len(items), "items": [item._asdict() for item in items]}


def show_json(item: dict[str, Any] | None, newer: Later | None) -> dict[str, Any]:
    """Return the answer to ``show``; with what is newer only where that was asked."""
    value = {"found": item is not None, "item": item}
    return value if newer is None else value | {"newer": newer_json(newer)}


def item_json(item: Item, original: str | None, asked: bool) -> dict[str, Any]:
    """Return an item whole, with its original (None where it has none) only if asked."""
    value = item._asdict()
    value["questions"] = list(item.questions)
    value["atoms"] = [atom._asdict() for atom in item.atoms]
    return value | {"original": original} if asked else value


def _print_item(item: Item, original: str | None, reader: Reader) -> None:
    out = console()
    out.print(f"[{item.id}] {safe(item.title)}", style="bold")
    when = item.occurred_at[:16].replace("T", " ") + " UTC"
    facts = (when, item.project, f"{item.source} {item.external_id}", item.trust)
    out.print("  ".join(safe(fact) for fact in facts if fact), style="dim")
    if item.summary:
        out.print("\n" + _lines(item.summary))
    for heading, texts in (
        ("Questions", item.questions),
        ("Atoms", [f"{atom.kind}: {atom.text}" for atom in item.atoms]),
    ):
        if texts:
            out.print(f"\n{heading}", style="bold")
        for text in texts:
            out.print(f"- {safe(text)}")
    if original is not None:
        out.print("\nOriginal", style="bold")
        out.print(_lines(original))
    elif reader.original(item.id):
        out.print(f"\nIts dialogue: jezero-hook show {item.id} --original", style="dim")


def _lines(text: str) -> str:
    return "\n".join(safe(line) for line in text.splitlines())
