"""Measures: how good a set of answers is."""

from __future__ import annotations

from ..model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DOORS = ("search", "later", "first_prompt")

# Of the cases that expect something; each also for one door alone, as in `search.mrr`.
RANKED = ("hit@1", "hit@k", "mrr")
# Of the first prompts.
SPOKEN = ("line_precision", "rightly_silent", "spoken_on_unrelated")
# Of all but these more is better.
LESS_IS_BETTER = {"spoken_on_unrelated": "rightly_silent"}

# Below it two measures are one: 2/3 + 1/3 is not 1 to a computer.
EPSILON = 1e-9

NAMES = (*RANKED, *(f"{door}.{name}" for door in DOORS for name in RANKED), *SPOKEN)


class Answer(NamedTuple):
    """What came of a case: for each result, in order, whether it was expected.

    ``expects`` is false where the right answer is none.
    """

    door: str
    expects: bool
    marks: tuple[bool, ...]

    def place(self) -> int | None:
        """Return the place of the first expected result, from 1; None when none came."""
        return self.marks.index(True) + 1 if True in self.marks else None

    def is_right(self) -> bool:
        """Return whether something expected came, or nothing where nothing should."""
        return (self.place() is not None) if self.expects else not self.marks


class Measure(NamedTuple):
    """A share from 0 to 1 and of how many cases or lines it is; None: there was none."""

    value: float | None
    of: int


def measures(answers: Sequence[Answer]) -> dict[str, Measure]:
    """Return every measure of NAMES, in that order. Source: RULES 11.2."""
    found = _ranked(answers)
    for door in DOORS:
        of_door = _ranked([answer for answer in answers if answer.door == door])
        found |= {f"{door}.{name}": measure for name, measure in of_door.items()}
    return found | _spoken([answer for answer in answers if answer.door == "first_prompt"])


def _ranked(answers: Iterable[Answer]) -> dict[str, Measure]:
    places = [answer.place() for answer in answers if answer.expects]
    return {
        "hit@1": _mean([place == 1 for place in places]),
        "hit@k": _mean([place is not None for place in places]),
        "mrr": _mean([1 / place if place else 0.0 for place in places]),
    }


def _spoken(answers: Sequence[Answer]) -> dict[str, Measure]:
    unrelated = [answer.is_right() for answer in answers if not answer.expects]
    return {
        "line_precision": _mean([mark for answer in answers for mark in answer.marks]),
        "rightly_silent": _mean(unrelated),
        "spoken_on_unrelated": _mean([not silent for silent in unrelated]),
    }


def _mean(values: Sequence[float]) -> Measure:
    return Measure(sum(values) / len(values) if values else None, len(values))


def verdict(then: Answer, now: Answer) -> str:
    """Return what became of a case: ``better``, ``worse`` or ``same``.

    Better: the first expected result comes earlier; at the same place more of them come; as
    many, and fewer lines are wrong. Source: RULES 11.3.
    """
    was, is_ = _goodness(then), _goodness(now)
    return "same" if was == is_ else "better" if is_ > was else "worse"


def _goodness(answer: Answer) -> tuple[float, int, int]:
    place, right = answer.place(), sum(answer.marks)
    wrong = len(answer.marks) - right
    # A search fills its page; a line of the first prompt is there to be read.
    counts_wrong = not answer.expects or answer.door == "first_prompt"
    return (1 / place if place else 0.0, right, -wrong if counts_wrong else 0)
