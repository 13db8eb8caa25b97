"""eval --own: what `first_prompt.chance` does in one's own library, asked by its own prompts."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..answers import settings
from ..console import print_json, progress
from ..errors import JezeroError, UsageError
from ..hook import first_prompt_block
from ..library.connection import open_reading
from ..library.reader import Filters, open_library
from ..model import NamedTuple
from ..payload import asked
from ..rules.related import TELLING_ITEMS
from ..rules.terms import distinctive
from ..stoplist import load_stop_list, stop_list_folder
from .others import OtherSessions
from .own_table import print_own

if TYPE_CHECKING:
    from ..cli import Call
    from ..config import Config
    from .others import Prompt, Sample

OFF = 0.0  # as the config has it
CHANCES = (1.0, 0.1, 0.01, 0.001, 0.0001)
# No chance is as large: all that has the two words is judged, and each row cut from that.
NO_LIMIT = 1e300
PROMPTS = 200
NUMBERS = (20, 5_000)


class Line(NamedTuple):
    """A hit that is shown where the row lets its chance through."""

    is_same_project: bool
    chance: float


class Answer(NamedTuple):
    """What a prompt gives, in order: by the words alone and by the chance.

    First of all other sessions, then of those of all other projects.
    """

    plain: list[Line]
    related: list[Line]
    plain_elsewhere: list[Line]
    related_elsewhere: list[Line]


class Row(NamedTuple):
    """What one chance gives (0: off): shares from 0 to 1, None where there is nothing to divide.

    ``spoken`` and ``elsewhere`` are shares of the prompts, ``same_project`` is one of the
    lines; ``lines`` are those of a prompt that is answered.
    """

    chance: float
    spoken: float
    lines: float | None
    same_project: float | None
    elsewhere: float | None


def run_own(call: Call) -> int:
    """Ask some of the library's own later prompts of its other sessions; print what comes.

    Raises JezeroError where too few items or prompts are there to tell anything, UsageError
    for a number of prompts out of bounds. Source: RULES 11.4.
    """
    number = PROMPTS if call.options.prompts is None else call.options.prompts
    if not NUMBERS[0] <= number <= NUMBERS[1]:
        raise UsageError(f"--prompts {number}: must be from {NUMBERS[0]} to {NUMBERS[1]:,}")
    config = settings(call)
    items = _items(call.library)
    reader = OtherSessions(open_reading(call.library), call.library)
    sample = _sample(reader, config, call, number)
    answers = _answers(reader, config, sample, call)
    own = config.first_prompt.chance
    rows = _rows(answers, config, has_others=len(sample.projects) > 1)
    report = {
        "library": {"path": os.path.abspath(call.library), "items": items},
        "prompts": {"asked": len(answers), "of": sample.of},
        "chance": own or None,
        "same_project_blindly": _blindly(sample),
        "rows": [row._asdict() | {"chance": row.chance or None} for row in rows],
    }
    if call.json:
        print_json(report)
    else:
        print_own(report, rows, own)
    return 0


def _items(path: str) -> int:
    """Return how many items there are, enough of them for the chance to be asked."""
    reader = open_library(path)
    counts = reader.word_counts(())
    items = reader.count()
    reader.close()
    if items < TELLING_ITEMS:
        raise JezeroError(
            f"{path}: has {items} items; below {TELLING_ITEMS} first_prompt.chance rests and two "
            "words alone decide, so there is nothing to choose yet"
        )
    if counts is None:
        raise JezeroError(f"{path}: has no counts of its words; `jezero-hook rebuild` makes them")
    return items


def _sample(reader: OtherSessions, config: Config, call: Call, number: int) -> Sample:
    rule = config.first_prompt
    stop_list = load_stop_list(stop_list_folder(), rule.stop_lists, rule.stop_words)

    def asks(text: str) -> bool:
        terms = distinctive(asked(text), stop_list, limit=rule.words, min_chars=rule.word_chars)
        return len(terms.kept) >= rule.evidence_words

    filters = Filters(allowed=config.sources.allowed, before=call.before)
    sample = reader.sample(filters, number, asks)
    if len(sample.prompts) < NUMBERS[0]:
        raise JezeroError(
            f"{call.library}: has {len(sample.prompts)} later prompts with distinctive words, in "
            f"sessions that have a project; {NUMBERS[0]} are needed: import more sessions"
        )
    return sample


def _answers(reader: OtherSessions, config: Config, sample: Sample, call: Call) -> list[Answer]:
    answers = []
    with progress("Asking", "prompts", quiet=call.json) as tell:
        for done, prompt in enumerate(sample.prompts, 1):
            answers.append(_ask(reader, config, prompt, call))
            tell(done, len(sample.prompts))
    return answers


def _ask(reader: OtherSessions, config: Config, prompt: Prompt, call: Call) -> Answer:
    def lines(limit: float, without: str | None) -> list[Line]:
        reader.session, reader.without_project = prompt.session, without
        rule = config.first_prompt._replace(chance=limit, documents=False)
        judged = first_prompt_block(
            reader,
            config._replace(first_prompt=rule),
            asked(prompt.text),
            now_s=call.now_s,
            before=call.before,
        ).judged
        return [Line(j.hit.project == prompt.project, j.chance or 0.0) for j in judged if j.kept]

    asked_of = ((OFF, None), (NO_LIMIT, None), (OFF, prompt.project), (NO_LIMIT, prompt.project))
    return Answer(*(lines(*each) for each in asked_of))


def _rows(answers: list[Answer], config: Config, *, has_others: bool) -> list[Row]:
    """Return the row of no gate, then those of CHANCES and of the config, the largest first."""
    rule = config.first_prompt
    limits = [OFF, *sorted({*CHANCES, rule.chance} - {OFF}, reverse=True)]
    return [_row(answers, limit, rule.lines, has_others) for limit in limits]


def _row(answers: list[Answer], limit: float, most: int, has_others: bool) -> Row:
    def shown(lines: list[Line]) -> list[Line]:
        return [line for line in lines if limit == OFF or line.chance <= limit][:most]

    here = [shown(one.plain if limit == OFF else one.related) for one in answers]
    there = [
        shown(one.plain_elsewhere if limit == OFF else one.related_elsewhere) for one in answers
    ]
    spoken = sum(map(bool, here))
    lines = [line.is_same_project for each in here for line in each]
    return Row(
        limit,
        spoken / len(answers),
        len(lines) / spoken if spoken else None,
        sum(lines) / len(lines) if lines else None,
        sum(map(bool, there)) / len(answers) if has_others else None,
    )


def _blindly(sample: Sample) -> float:
    """Return the share of lines from the prompt's own project were they any items at all."""
    items = sample.projects.total()
    return sum(sample.projects[one.project] for one in sample.prompts) / len(sample.prompts) / items
