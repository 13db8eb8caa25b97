"""forget: items removed for good, shown before and asked about."""

from __future__ import annotations

import glob
import sys
from typing import TYPE_CHECKING, Any

from .console import console, item_lines, print_json
from .errors import JezeroError, UsageError
from .library.forget import Selection, forget_items, selected_items
from .lock import BY_HAND_WAIT_S, writing
from .rules.limits import MAX_ID
from .times import utc_iso

if TYPE_CHECKING:
    from rich.console import Console

    from .cli import Call
    from .model import ListedItem

# A screen full; all of them with --dry-run.
ITEMS_SHOWN = 20


def run_forget(call: Call) -> int:
    """Remove the items that all the options together name, after they were confirmed."""
    options = call.options
    selection = _selection(call)
    items = selected_items(call.library, selection)
    if options.shows:
        return _report(call, selection, items, removed=0)
    if not options.yes:
        _confirm(call, selection, items)
    with writing(call.library, wait_s=BY_HAND_WAIT_S):
        gone = forget_items(call.library, selection, items)
    return _report(call, selection, gone, removed=len(gone))


def _selection(call: Call) -> Selection:
    options = call.options
    if call.before is not None:
        raise UsageError("--as-of shows the library as it was; forget has --before TIME")
    before = options.before
    try:
        before = None if before is None else utc_iso(before)
    except ValueError:
        raise UsageError(f"--before {before}: is no time; write it like 2026-09-10") from None
    selection = Selection(
        # Greater than SQLite's own bound, none can be there.
        ids=tuple(id_ for id_ in options.ids if 0 < id_ <= MAX_ID) if options.ids else None,
        project=options.project,
        source=options.source,
        before=before,
        session=options.session,
    )
    if selection == Selection():
        raise UsageError("name what to forget: ID…, --project, --source, --before or --session")
    if any(text == "" for text in (options.project, options.source, options.session)):
        raise UsageError("--project, --source and --session take a name")
    return selection


def _confirm(call: Call, selection: Selection, items: list[ListedItem]) -> None:
    if call.json or not sys.stdin.isatty():
        raise UsageError("forget removes for good: give --yes, or look first with --dry-run")
    if not items and not selection.is_one_session():
        return  # what an interrupted call left is cleared without a question
    out = console()
    _print_items(out, items[:ITEMS_SHOWN])
    if len(items) > ITEMS_SHOWN:
        out.print(f"… and {len(items) - ITEMS_SHOWN:,} more (all of them with --dry-run)")
    try:
        answer = input(f"Forget {_count(len(items))} for good? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise JezeroError("nothing was removed")


def _report(call: Call, selection: Selection, items: list[ListedItem], *, removed: int) -> int:
    known = {item.id for item in items}
    missing = [id_ for id_ in call.options.ids if id_ not in known]
    copies = old_copies(call.library)
    if call.json:
        print_json(
            {
                "removed": removed,
                "items": [_item_json(item) for item in items],
                "missing": missing,
                "dry_run": bool(call.options.shows),
                "old_copies": copies,
            }
        )
        return 0
    out = console()
    for id_ in missing:
        out.print(f"there is no item {id_}" if not items else f"item {id_} is none of them")
    if call.options.shows:
        _print_items(out, items)
        out.print(f"{_count(len(items))} would be removed; nothing was")
    else:
        out.print(f"{_count(removed)} removed for good; no import brings them back")
    if selection.is_one_session() and not call.options.shows:
        out.print(f"session {selection.session} will not be imported again")
    print_old_copies(out, copies)
    return 0


def _print_items(out: Console, items: list[ListedItem]) -> None:
    for item in items:
        for text in item_lines(item._replace(summary="")):
            out.print(text)


def _item_json(item: ListedItem) -> dict[str, Any]:
    value = item._asdict()
    del value["summary"]
    return value


def _count(items: int) -> str:
    return "1 item" if items == 1 else f"{items:,} items"


def old_copies(library: str) -> list[str]:
    """Return the damaged libraries that a rebuild has kept, by name: they hold what they held."""
    return sorted(glob.glob(glob.escape(library) + ".damaged-*"))


def print_old_copies(out: Console, copies: list[str]) -> None:
    """Tell where what was forgotten may still be."""
    for path in copies:
        out.print(f"an older copy of the library is kept in {path}; delete it if it is not needed")
