"""search, timeline, show: the library from a shell."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .config import CONFIG_FILE
from .configfile import read_config
from .console import console, item_lines, print_json, safe
from .errors import ConfigError, JezeroError, UsageError
from .library.reader import Filters, Reader, open_library
from .rules.limits import limit_of
from .times import utc_iso

if TYPE_CHECKING:
    from .cli import Call
    from .config import Config
    from .model import Item


# SQLite's own bound; it takes no greater number, not even to look for it.
MAX_ID = 2**63 - 1


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
    match = reader.match_query(query, config.search.bounds())
    hits = reader.search(
        match,
        now_s=call.now_s,
        limit=limit_of(call.options.limit, config.search.limit, config.search.max_limit),
        ranking=config.search.ranking(),
        filters=_filters(call, config),
    )
    if call.json:
        results = [hit._asdict() for hit in hits]
        print_json({"query": query, "match": match, "count": len(hits), "results": results})
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


def timeline(call: Call) -> int:
    """Print the newest items, newest first."""
    config, reader = settings(call), open_library(call.library)
    limit = limit_of(call.options.limit, config.timeline.limit, config.search.max_limit)
    items = reader.timeline(limit=limit, filters=_filters(call, config))
    if call.json:
        print_json({"count": len(items), "items": [item._asdict() for item in items]})
        return 0
    out = console()
    if not items:
        out.print("No items.")
    for item in items:
        for text in item_lines(item):
            out.print(text)
    return 0


def _filters(call: Call, config: Config) -> Filters:
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


def show(call: Call) -> int:
    """Print one item whole; with --original its dialogue too."""
    config, reader = settings(call), open_library(call.library)
    filters = Filters(allowed=config.sources.allowed, before=call.before)
    id_ = call.options.id
    item = reader.item(id_, filters) if 0 < id_ <= MAX_ID else None
    if item is None:
        if call.json:
            print_json({"found": False, "item": None})
            return 1
        raise JezeroError(f"there is no item {id_}; `jezero-hook timeline` lists some")
    original = reader.original(item.id) if call.options.original else None
    if call.json:
        print_json({"found": True, "item": _item_json(item, original, call.options.original)})
    else:
        _print_item(item, original, reader)
    return 0


def _item_json(item: Item, original: str | None, asked: bool) -> dict[str, Any]:
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
