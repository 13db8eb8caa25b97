"""Private keys: PEM blocks, whole or cut."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

_KEY_BEGIN = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d{1,4}"
)
_KEY_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC:")
# A key of 16,384 bits takes 13 KB: an END line further away belongs to another block.
KEY_LIMIT = 65_536
# What may stand between the lines: line ends (also as the two characters \n), indents,
# quotes, the marks of a quotation, a diff or a line number, headers (RFC 1421, RFC 4880).
_KEY_LINES = re.compile(
    r"(?:(?:[\s>|+\-\"'`,;:.]|\\+[rnt\"]|\d{1,4}[\t→:|]"
    r"|[A-Z][A-Za-z0-9-]{2,20}: [^\n\\]{0,200}){0,64}[A-Za-z0-9+/=]{16,})+"
    # The last line is short; a word of prose after a cut block is not part of it.
    r"(?:(?:\s|\\+[rn])(?=[A-Za-z]{0,62}[0-9+/=])[A-Za-z0-9+/=]{1,63}(?![A-Za-z0-9]))?"
)
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/=]{16,}")


def private_keys(text: str) -> Iterator[Span]:
    """The body of each PEM block; of a cut one (no END line) what looks like base64."""
    begins = [begin.span() for begin in _KEY_BEGIN.finditer(text)]
    nexts = [start for start, _ in begins[1:]] + [len(text)]
    for (_, start), following in zip(begins, nexts, strict=False):
        limit = min(following, start + KEY_LIMIT)
        end = _KEY_END.search(text, start, limit)
        lines = _KEY_LINES.match(text, start, limit)
        if end and _mostly_base64(text[start : end.start()]):
            body = text[start : end.start()]
        elif lines:
            body = lines[0]
        else:
            continue
        yield start + len(body) - len(body.lstrip("\r\n")), start + len(body.rstrip("\r\n"))


def _mostly_base64(body: str) -> bool:
    return 2 * sum(len(run) for run in _BASE64_RUN.findall(body)) > len(body)
