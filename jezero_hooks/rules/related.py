"""Related, or alike by chance: what the words that a hit shares with a prompt weigh.

Of N items n hold a word. Were words spread by chance, N × Π (n / N) items would hold all those
that a hit shares with the prompt: few words that few items hold say more than many common
ones. A word of the prompt that no item holds says that the prompt is about something else.
"""

from __future__ import annotations

from math import exp, log, sqrt

from ..model import NamedTuple
from .evidence import stands_whole
from .fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The larger a library is, the more it says that no item holds a word. Measured, of a related
# prompt's words and of an unrelated one's: 28 and 46 of a hundred are unheard in 300 items, 10 and
# 30 in 5,000, 4 and 22 in 60,000. Below this many items nothing can be said.
TELLING_ITEMS = 200
# As in the search: what a title says, an item is about.
TITLE_TIMES = 2
# Said by Python around every error.
FRAMES = (
    "Traceback (most recent call last)",
    "During handling of the above exception, another exception occurred",
    "The above exception was the direct cause of the following exception",
    'File "',
    '", line ',
)
# A shorter word that ends in s is mostly no plural (this, does, bus, ls).
PLURAL_CHARS = 5


class Counts(NamedTuple):
    """How many items a library has, and how many hold each folded word in title or summary."""

    items: int
    holding: Mapping[str, int]

    def weight_of(self, word: str) -> float:
        """Return the weight of a word, log(N / n): 0 when all items hold it."""
        return log(self.items / min(max(self.holding.get(word, 0), 1), self.items))


class Shared(NamedTuple):
    """The words that a hit shares with a prompt, each by the fields in which it stands whole."""

    title: tuple[str, ...]
    summary: tuple[str, ...]
    aside: tuple[str, ...]  # in questions and atoms

    def words(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.title + self.summary + self.aside))


def telling_words(prompt: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return the folded words that stand whole in what a person says or a program reports.

    Not in web addresses, which all share ``https`` and ``github.com``, nor in the frame of a
    pasted traceback, which is the same around any error. Source: RULES 4.5.
    """
    text = prompt
    for phrase in FRAMES:
        text = text.replace(phrase, " ")
    if "://" in text or "www." in text:
        text = " ".join(run for run in text.split() if "://" not in run and "www." not in run)
    if text == prompt:
        return tuple(words)
    text = fold(text)
    return tuple(word for word in words if stands_whole(word, text))


def shared_words(
    words: Iterable[str], title: str, summary: str, aside: Iterable[str] = ()
) -> Shared:
    """Return which of the folded words stand whole where; aside are questions and atom texts."""
    texts = (fold(title), fold(summary), fold("\n".join(aside)))
    asked = tuple(words)
    return Shared(
        *(tuple(w for w in asked if w in text and stands_whole(w, text)) for text in texts)
    )


def unheard(words: Iterable[str], counts: Counts) -> tuple[str, ...]:
    """Return the words that no item holds, neither so nor in the other number."""
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault(_singular(word), []).append(word)
    return tuple(
        group[0]
        for group in groups.values()
        if not any(counts.holding.get(word, 0) for word in group)
    )


def chance(shared: Iterable[str], unheard_words: int, counts: Counts) -> float:
    """Return how many items would share these words by chance alone.

    N × Π (n / N) × √(N / 200)^u for u unheard words of the prompt; of a word's singular and
    plural only the rarer counts. Source: RULES 4.5.
    """
    heaviest: dict[str, float] = {}
    for word in shared:
        group = _singular(word)
        heaviest[group] = max(heaviest.get(group, 0.0), counts.weight_of(word))
    against = unheard_words * log(unheard_times(counts))
    return exp(min(log(counts.items) + against - sum(heaviest.values()), 700.0))


def unheard_times(counts: Counts) -> float:
    """Return how many times as large a chance is for each unheard word: √(N / 200), at least 1."""
    return sqrt(max(counts.items / TELLING_ITEMS, 1.0))


def weight(shared: Shared, counts: Counts) -> float:
    """Return what the shared words weigh: log(N / n) for each field, the title's twice.

    Orders the hits that are kept. Source: RULES 4.5.
    """
    title = sum(map(counts.weight_of, shared.title))
    return TITLE_TIMES * title + sum(map(counts.weight_of, shared.summary + shared.aside))


def _singular(word: str) -> str:
    plural = len(word) >= PLURAL_CHARS and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word
