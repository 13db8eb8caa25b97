"""The distinctive words of a prompt."""

from __future__ import annotations

from ..model import NamedTuple
from .fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

# A prompt can be a pasted log of megabytes; what it is about stands in its beginning.
PROMPT_CHARS = 20_000
# Longer runs are hashes and encoded blobs, not words that anyone would write again.
WORD_CHARS = 100

_INSIDE = "_.-"
_ASCII_WORDS = {c: " " for c in range(128) if not (chr(c).isalnum() or chr(c) in _INSIDE)}


class Term(NamedTuple):
    """A word to search for: as it was written, and folded."""

    spelled: str
    folded: str


class Terms(NamedTuple):
    """What became of a prompt's words: kept as terms, dropped as folded words, in order."""

    kept: tuple[Term, ...]
    dropped: tuple[str, ...]


def words(text: str) -> list[str]:
    """Return the words of a text as written, in order.

    A word is a run of letters, digits, ``_``, ``.`` and ``-``, trimmed of ``.`` and ``-``
    at both ends. Source: RULES 4.1.
    """
    if text.isascii():
        runs = text.translate(_ASCII_WORDS).split()
    else:
        from unicodedata import category, normalize

        # A mark belongs to the letter before it (Devanagari vowels), so it is no word's end.
        runs = "".join(
            c if c.isalnum() or c in _INSIDE or category(c)[0] == "M" else " "
            for c in normalize("NFC", text)
        ).split()
    return [word for run in runs if (word := run.strip(".-"))]


def distinctive(
    prompt: str, stop_list: Container[str], *, limit: int = 20, min_chars: int = 3
) -> Terms:
    """Return the first ``limit`` different words of ``min_chars`` or more outside the stop list.

    Words after the last kept one are not looked at. Source: RULES 4.1.
    """
    kept: dict[str, Term] = {}
    dropped: dict[str, None] = {}
    for spelled in words(prompt[:PROMPT_CHARS]):
        if len(kept) == limit:
            break
        folded = fold(spelled[:WORD_CHARS])
        if len(folded) < min_chars or folded in stop_list:
            dropped[folded] = None
        elif folded not in kept:
            kept[folded] = Term(spelled[:WORD_CHARS], folded)
    return Terms(tuple(kept.values()), tuple(dropped))
