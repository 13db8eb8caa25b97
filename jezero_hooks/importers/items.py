"""Ready-made items, one JSON object a line, to NewItem | ImportFailure."""

from __future__ import annotations

import json

from ..model import Atom, ImportFailure, NewItem
from ..times import utc_iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

KINDS = ("decision", "rationale", "fix", "error", "command", "fact", "risk")
TRUSTS = ("own", "external")


class _NoItemError(Exception):
    """A line is no item; the text says why."""


def read_items(
    path: str, lines: Iterable[bytes], source: str | None
) -> Iterator[NewItem | ImportFailure]:
    """Yield an item or a failure for each line; blank lines are passed over.

    Without a source each line names its own.
    """
    for number, raw in enumerate(lines, 1):
        raw = raw.removeprefix(b"\xef\xbb\xbf").strip()
        if raw:
            try:
                yield _item(raw, source)
            except _NoItemError as reason:
                yield ImportFailure(path, number, str(reason))


def _item(raw: bytes, source: str | None) -> NewItem:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _NoItemError(f"is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise _NoItemError("is no JSON object")
    return NewItem(
        source=source or _source(value),
        external_id=_text(value, "external_id", required=True),
        occurred_at=_time(value),
        title=_text(value, "title", required=True),
        summary=_text(value, "summary"),
        questions=tuple(map(_storable, _list(value, "questions", str))),
        atoms=tuple(_atom(atom) for atom in _list(value, "atoms", dict)),
        project=_text(value, "project") or None,
        account=_text(value, "account") or None,
        original=_text(value, "original") or None,
        original_ref=_text(value, "original_ref") or None,
        trust=_choice(
            "own" if value.get("trust") in (None, "") else value["trust"], TRUSTS, "trust"
        ),
    )


def _source(value: dict[str, Any]) -> str:
    if "source" not in value:
        raise _NoItemError("names no source; give one to all with --source NAME")
    return _text(value, "source", required=True)


def _text(value: dict[str, Any], name: str, *, required: bool = False) -> str:
    text = value.get(name)
    if text is None and not required:
        return ""
    if not isinstance(text, str) or (required and not text.strip()):
        raise _NoItemError(f"{name} must be text")
    return _storable(text)


def _storable(text: str) -> str:
    # A lone surrogate is no character, and no file can hold it.
    return text.encode("utf-8", "replace").decode("utf-8")


def _time(value: dict[str, Any]) -> str:
    try:
        return utc_iso(_text(value, "occurred_at", required=True))
    except ValueError:
        raise _NoItemError("occurred_at must be an ISO 8601 time") from None


def _list(value: dict[str, Any], name: str, kind: type) -> list[Any]:
    found = value.get(name)
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(one, kind) for one in found):
        raise _NoItemError(f"{name} must be a list of {'texts' if kind is str else 'objects'}")
    return found


def _atom(atom: dict[str, Any]) -> Atom:
    kind = _choice(_text(atom, "kind", required=True), KINDS, "an atom's kind")
    return Atom(kind, _text(atom, "text", required=True))


def _choice(text: Any, choices: tuple[str, ...], noun: str) -> Any:
    if text not in choices:
        raise _NoItemError(f"{noun} must be one of {', '.join(choices)}")
    return text
