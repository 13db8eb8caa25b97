"""A Markdown file's bytes → a page for the library, its secrets redacted."""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..importers.redaction import redact
from ..library.documents_writer import Page
from ..model import ImportFailure, NamedTuple
from ..yamlfile import TRUE
from .front_matter import FrontMatterError, date_of, read_front_matter, tags_of, text_of
from .markdown import one_line, read_markdown

if TYPE_CHECKING:
    from .front_matter import FrontMatter

# A title is one line, a type one word, and tags are few; what is longer is cut.
TITLE_CHARS, DESCRIPTION_CHARS, TYPE_CHARS, TAGS_CHARS, URL_CHARS = 500, 2_000, 60, 1_000, 2_000
EMOJI_CHARS = 16
# SQLite's integers; in nanoseconds they reach to 2262.
MAX_NS = 2**63 - 1
# What a link on a page may lead to; javascript: is none of them.
LINKS = ("https://", "http://", "/")


class Made(NamedTuple):
    """What became of a file: a page, None for a draft; a bad date; how many secrets were cut."""

    page: Page | None
    undated: ImportFailure | None
    redacted: int


def make_page(
    path: str, raw: bytes, *, size: int, mtime_ns: int, type_: str, file_times: bool
) -> Made | ImportFailure:
    """Return the page of a file, or why there is none. Source: RULES 12.1, 12.2."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return ImportFailure(path, line, "is not UTF-8; save it as UTF-8")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", " ")
    try:
        front = read_front_matter(text)
    except FrontMatterError as error:
        return ImportFailure(path, error.line, str(error))
    values = front.values
    if text_of(values.get("draft")).lower() in TRUE:
        return Made(None, None, 0)
    read = read_markdown(front.body, mdx=path.lower().endswith(".mdx"))
    stem = os.path.splitext(os.path.basename(path))[0]
    title = one_line(text_of(values.get("title"))) or read.heading or one_line(stem)
    description = one_line(text_of(values.get("description")))
    tags = one_line(tags_of(values.get("tags")))
    secrets = 0
    texts = []
    for field, most in (
        (title, TITLE_CHARS),
        (description, DESCRIPTION_CHARS),
        (read.text, len(read.text)),
        (tags, TAGS_CHARS),
    ):
        clean, found = redact(field)
        secrets += found
        texts.append(clean[:most])
    date, undated = _date(path, front)
    if date is None and file_times:
        date = _file_date(mtime_ns)
        if date is None and undated is None:
            undated = ImportFailure(path, None, "its file's time is none; touch it")
    page = Page(
        path=path,
        type=(one_line(text_of(values.get("type"))) or type_)[:TYPE_CHARS],
        url=_url(path, text_of(values.get("url")).strip()),
        title=texts[0],
        description=texts[1],
        content=texts[2],
        tags=texts[3],
        date=date,
        emoji=one_line(text_of(values.get("emoji")))[:EMOJI_CHARS],
        size=size,
        mtime_ns=mtime_ns,
        hash=hash_of(raw),
    )
    return Made(page, undated, secrets)


def stored_ns(mtime_ns: int) -> int:
    """Return a file's time as the library can keep it: as near as its integers come."""
    return max(-MAX_NS, min(mtime_ns, MAX_NS))


def _file_date(mtime_ns: int) -> str | None:
    """Return a file's time as a date; what is not after 1970, or was clamped, is none."""
    if not 0 < mtime_ns < MAX_NS:
        return None
    return datetime.fromtimestamp(mtime_ns // 10**9, UTC).isoformat()


def hash_of(raw: bytes) -> str:
    """Return what changes when a file's bytes do: SHA-256 in hex."""
    return hashlib.sha256(raw).hexdigest()


def _date(path: str, front: FrontMatter) -> tuple[str | None, ImportFailure | None]:
    """Return a page's date; one that is none is reported, and the page is undated."""
    value = front.values.get("date")
    written = text_of(value).strip()
    if value is None or value == "" or (isinstance(value, str) and not written):
        return None, None
    date = date_of(written)
    if date is not None:
        return date, None
    reason = f"date {written[:40]!r} is none; write it like 2026-09-10"
    return None, ImportFailure(path, front.lines.get("date"), reason)


def _url(path: str, given: str) -> str:
    is_link = given.lower().startswith(LINKS) and not given.startswith("//")
    return redact(one_line(given))[0][:URL_CHARS] if is_link else Path(path).as_uri()
