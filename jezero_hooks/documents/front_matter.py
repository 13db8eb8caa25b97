"""Front matter: what a page says of itself, above its text.

Scalars are taken as they are written: a title may be ``2026`` or ``no``.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from ..model import NamedTuple
from ..yamlfile import DEPTH

# A page's own facts fill a screen; more is another program's store.
FRONT_CHARS = 64_000
DATE = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:(?:[Tt]|\s+)(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d*)?)?\s*(Z|z|[+-]\d{1,2}(?::?\d\d)?)?)?"
)
# libyaml's parser where it was built; both give the same.
LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class FrontMatterError(ValueError):
    """What is wrong, and in which line of the file."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class FrontMatter(NamedTuple):
    """The values (texts, lists and mappings of texts), the text below, and values' lines."""

    values: dict[str, Any]
    body: str
    lines: dict[str, int]


class _Handler(YAMLHandler):
    def load(self, fm: str, **options: object) -> Any:
        depth = 0
        for event in yaml.parse(fm, Loader=LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEPTH:
                raise yaml.YAMLError(f"nested more than {DEPTH} levels deep")
        return yaml.load(fm, Loader=LOADER)


def read_front_matter(text: str) -> FrontMatter:
    """Return what stands between the two lines of dashes at a text's beginning, and the rest.

    A text without it has no values. Raises FrontMatterError where it is no YAML, or no mapping.
    """
    handler = _Handler()
    if not handler.detect(text):
        return FrontMatter({}, text, {})
    try:
        front, body = handler.split(text)
    except ValueError:  # a line across the page, and no other
        return FrontMatter({}, text, {})
    first = text.count("\n", 0, text.find(front)) + 1
    if len(front) > FRONT_CHARS:
        raise FrontMatterError(first, f"its front matter is longer than {FRONT_CHARS:,} characters")
    values = _mapping(handler, front, first)
    lines: dict[str, int] = {}
    for number, line in enumerate(front.split("\n"), first):
        lines.setdefault(line.partition(":")[0].strip("\"' "), number)
    return FrontMatter(values, body, lines)


def _mapping(handler: _Handler, front: str, first: int) -> dict[str, Any]:
    try:
        values = handler.load(front)
    except yaml.MarkedYAMLError as error:
        line = first + (error.problem_mark.line if error.problem_mark else 0)
        raise FrontMatterError(
            line, f"its front matter is no YAML: {error.problem or error.context}"
        ) from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        said = (str(error).splitlines() or [""])[0]
        raise FrontMatterError(first, f"its front matter is no YAML: {said}") from None
    if values is None or values == "":
        return {}
    if not isinstance(values, dict):
        raise FrontMatterError(first, "its front matter is no mapping of keys to values")
    return {name: value for name, value in values.items() if isinstance(name, str)}


def text_of(value: object) -> str:
    """Return a scalar's text, "" for one that says nothing, and for what is no scalar."""
    return "" if not isinstance(value, str) or value in ("~", "null", "Null", "NULL") else value


def tags_of(value: object) -> str:
    """Return the words of a list of tags, or of a text with commas, separated by blanks."""
    texts = value if isinstance(value, list) else [value]
    return " ".join(" ".join(text_of(text).replace(",", " ").split()) for text in texts).strip()


def date_of(text: str) -> str | None:
    """Return a YAML date as ISO 8601: a day as a day, a time in UTC; None where it is no date.

    A time without offset is read as UTC.
    """
    found = DATE.fullmatch(text.strip())
    if not found:
        return None
    year, month, day, hour, minute, second, offset = found.groups()
    try:
        if hour is None:
            return date(int(year), int(month), int(day)).isoformat()
        parts = map(int, (year, month, day, hour, minute, second or 0))
        return datetime(*parts, tzinfo=_zone(offset)).astimezone(UTC).isoformat()  # type: ignore[arg-type,misc]
    except (ValueError, OverflowError):
        return None


def _zone(offset: str | None) -> timezone:
    if not offset or offset in "Zz":
        return UTC
    hours, minutes = offset[1:].partition(":")[::2] if ":" in offset else (offset[1:3], offset[3:])
    span = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return timezone(-span if offset[0] == "-" else span)
