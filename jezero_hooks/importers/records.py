"""Lines of a transcript to records: what cannot matter stays unread, a bad line has a reason."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..jsontext import BOM

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    Record = dict[str, Any]

# Ten times the longest line the client writes (a pasted image of 5 MB is 7 MB of base64).
LINE_BYTES = 64 * 2**20
# Below this a line is parsed whole; above it the images are taken out before.
LONG_LINE_BYTES = 64 * 2**10
# The client was born in 2025; a clock that says less was never set. The last year is left
# out because it cannot always be converted to UTC.
FIRST_YEAR, LAST_YEAR = 2000, 9998

SPEAKING = frozenset((b"user", b"assistant", b"system", b"custom-title", b"ai-title", b"summary"))

# Both are tied to the start of the line, so that no words inside a prompt can fool them. Most
# bytes of a transcript lie in records that they tell apart unparsed (api-request-blob,
# file-history-snapshot, attachment with its copies of the client's own prompts).
_TYPE_FIRST = re.compile(rb'\s*\{\s*"type"\s*:\s*"([a-z-]+)"')
_ATTACHMENT = re.compile(
    rb'\s*\{"parentUuid":(?:null|"[^"\\]*"),(?:"isSidechain":(?:true|false),)?"attachment":\{'
)
# In a prompt's text the quotes would be escaped, so this is only ever a field.
_IMAGE = re.compile(rb'("(?:data|base64)"\s*:\s*")[A-Za-z0-9+/=]{200,}"')

_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufeff]")
_TERMINAL_CODE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{200,}={0,2}")


def lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a transcript, one at a time; one longer than LINE_BYTES comes cut."""
    while line := stream.readline(LINE_BYTES):
        yield line
        while len(line) == LINE_BYTES and not line.endswith(b"\n"):
            line = stream.readline(LINE_BYTES)


def record_of(line: bytes) -> Record | None:
    """Return the record in a line, None when it cannot matter to an item.

    Raises ValueError, with a reason that quotes nothing of the line, when it is no record.
    """
    line = line.removeprefix(BOM)
    kind = _TYPE_FIRST.match(line)
    if (kind and kind[1] not in SPEAKING) or not line or line.isspace() or _ATTACHMENT.match(line):
        return None
    if len(line) >= LINE_BYTES:
        raise ValueError(f"longer than {LINE_BYTES >> 20} MB")
    if len(line) > LONG_LINE_BYTES:
        line = _IMAGE.sub(rb'\1"', line)
    try:
        record = json.loads(line.decode())
    except UnicodeDecodeError as fault:
        raise ValueError("not UTF-8") from fault
    except json.JSONDecodeError as fault:
        what = fault.msg.removesuffix(" at")
        raise ValueError(f"not JSON: {what} at column {fault.colno}") from fault
    except RecursionError as fault:
        raise ValueError("not JSON: nested too deep") from fault
    if not isinstance(record, dict):
        raise ValueError("not a JSON object")
    return record


def time_of(value: object) -> datetime | None:
    """Return the moment of an ISO time (no offset: UTC) or of milliseconds since 1970, in UTC.

    None for what is no plausible moment: 0, null, a word, a year before FIRST_YEAR.
    """
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000, UTC)
        else:
            return None
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment if FIRST_YEAR <= moment.year <= LAST_YEAR else None


def text_of(value: object) -> str:
    """Return a string as text: line ends as newlines, no control characters, codes or images.

    Anything but a string is "". A lone half of a surrogate pair becomes U+FFFD, a run of 200
    or more base64 characters (a pasted image) an ellipsis.
    """
    if not isinstance(value, str):
        return ""
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in value:
        value = _TERMINAL_CODE.sub("", value)
    value = _NO_TEXT.sub(_instead, value)
    return _BASE64.sub("…", value) if len(value) >= 200 else value


def _instead(match: re.Match[str]) -> str:
    return "\ufffd" if "\ud800" <= match[0] <= "\udfff" else ""
