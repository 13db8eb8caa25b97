"""Evidence: which words of a prompt stand as whole words in an item."""

from __future__ import annotations

from .fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def evidence(folded_words: Iterable[str], title: str, summary: str) -> tuple[str, ...]:
    """Return those words that stand whole in title or summary, in the order given.

    Whole: no letter, digit or ``_`` touches it (``migration`` is not in ``migrations``,
    ``foo`` not in ``foo_bar``, ``node`` is in ``node.js``). Source: RULES 4.4.
    """
    text = fold(f"{title}\n{summary}")
    return tuple(word for word in folded_words if stands_whole(word, text))


def stands_whole(word: str, text: str) -> bool:
    """Return whether the word stands in the text with no word character at either side."""
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (_touches(before) or _touches(after)):
            return True
        at = text.find(word, at + 1)
    return False


def _touches(ch: str) -> bool:
    return ch.isalnum() or ch == "_"
