"""Text → the same text without its secrets. Pure: no file, no clock, no network.

A secret is known by its shape (``ghp_…``; most shapes are detect-secrets' own patterns)
or by its place: after a name that says so, in a URL, in a header, in a PEM block. Bare
random strings are left alone: in a developer's text they are commits, digests and ids,
and a search without them is no search.

Every rule starts at a literal, which Python finds at about 1 GB/s, and looks a bounded
way around it: a text without secrets costs a few dozen substring searches and one look
for long runs, and no input takes more than linear time.
"""

from __future__ import annotations

from .names import secrets_named
from .places import in_commands, in_headers, in_urls
from .private_keys import private_keys
from .shapes import token_shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[int, int]

# Short, and no rule takes it for a secret: redacting twice changes nothing.
PLACEHOLDER = "[redacted]"


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by PLACEHOLDER, and how many were replaced.

    What stands around a secret stays: the name, the user, the host, the header, the BEGIN
    line. Secrets that overlap count as one. Redacting the result again replaces nothing,
    for this looks until it finds nothing more. Source: RULES 6.7.
    """
    count = 0
    while spans := _merged(_new_secrets(text)):
        parts: list[str] = []
        at = 0
        for start, end in spans:
            parts += (text[at:start], PLACEHOLDER)
            at = end
        text = "".join((*parts, text[at:]))
        count += len(spans)
    return text, count


def _new_secrets(text: str) -> Iterator[Span]:
    """The secrets that hold no part of a placeholder: each round leaves fewer letters."""
    word = PLACEHOLDER.strip("[]")
    return (span for span in _secrets(text) if word not in text[slice(*span)])


def _secrets(text: str) -> Iterator[Span]:
    low = _lower(text)
    if "PRIVATE KEY" in text or "Private-Lines:" in text:
        yield from private_keys(text)
    yield from token_shapes(text)
    if "://" in text or "?" in text or "webhook" in low:
        yield from in_urls(text, low)
    yield from in_headers(text, low)
    yield from in_commands(text, low)
    yield from secrets_named(text, low)


def _lower(text: str) -> str:
    """Lower case, letter for letter: İ alone would become two and shift every position."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "I").lower()


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged
