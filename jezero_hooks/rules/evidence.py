"""Evidence: which words of a prompt stand as whole words in an item, and which ones could."""

from __future__ import annotations

from .fold import fold
from .terms import WORD_CHARS, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# A word within a longer one (b.c in a.b.c) is counted up to this many parts: nobody writes
# longer pieces of a name, and their number grows with the square.
PARTS = 8


def evidence(folded_words: Iterable[str], title: str, summary: str) -> tuple[str, ...]:
    """Return those words that stand whole in title or summary, in the order given.

    Whole: no letter, digit or ``_`` touches it (``migration`` is not in ``migrations``,
    ``foo`` not in ``foo_bar``, ``node`` is in ``node.js``). Source: RULES 4.4.
    """
    text = fold(f"{title}\n{summary}")
    return tuple(word for word in folded_words if word in text and stands_whole(word, text))


def stands_whole(word: str, text: str) -> bool:
    """Return whether the word stands in the text with no word character at either side."""
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (_touches(before) or _touches(after)):
            return True
        at = text.find(word, at + 1)
    return False


def whole_words(title: str, summary: str) -> set[str]:
    """Return the folded words of which ``evidence`` says that they stand whole in these texts.

    All that a prompt's word can be: ``node.js`` gives node, js and node.js. Left out are words
    of more than 100 characters, and those of more than eight parts that stand within a longer
    one. Source: RULES 4.4.
    """
    # The one sign that an import writes itself: most texts without it are ASCII.
    text = f"{title}\n{summary}".replace("→ ", "  ")
    found = set(words(fold(text)))
    for word in [word for word in found if not word.isalnum()]:
        found.update(_within(word))
    if max(map(len, found), default=0) > WORD_CHARS:
        return {word for word in found if len(word) <= WORD_CHARS}
    return found


def _within(word: str) -> Iterable[str]:
    """Return the words within a word that nothing touches."""
    parts = word.replace("-", ".").split(".")
    return parts if len(parts) <= 2 and word.isascii() else _runs(word)


def _runs(word: str) -> Iterator[str]:
    """Yield the runs of a word's parts, up to eight in a row; a mark parts them too."""
    inner = [at for at, ch in enumerate(word) if ch not in ".-"]
    begins = [at for at in inner if not _touches(word[at - 1 : at])]
    ends = [at + 1 for at in inner if not _touches(word[at + 1 : at + 2])]
    for begin in begins:
        after = [end for end in ends if end > begin]
        yield from (word[begin:end] for end in after[:PARTS])


def _touches(ch: str) -> bool:
    return ch.isalnum() or ch == "_"
