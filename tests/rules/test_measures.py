"""The measures of an evaluation, by hand-made answers whose figures can be worked out."""

from __future__ import annotations

from typing import Any

import pytest

from jezero_hooks.rules.measures import LESS_IS_BETTER, NAMES, Answer, Measure, measures, verdict


def answer(marks: str, door: str = "search", expects: bool = True) -> Answer:
    """Return an answer from its marks: ``+`` an expected result, ``-`` another one."""
    return Answer(door, expects, tuple(mark == "+" for mark in marks))


def silence(marks: str) -> Answer:
    return answer(marks, "first_prompt", expects=False)


@pytest.mark.parametrize(
    ("given", "place", "is_right"),
    [
        (answer("+"), 1, True),
        (answer("--+-+"), 3, True),
        (answer("---"), None, False),
        (answer(""), None, False),
        (silence(""), None, True),
        (silence("-"), None, False),
    ],
)
def test_an_answer(given: Answer, place: int | None, is_right: bool) -> None:
    assert (given.place(), given.is_right()) == (place, is_right)


def test_every_measure() -> None:
    found = measures(
        [
            answer("+-"),
            answer("-+"),
            answer("---+"),
            answer("--"),
            answer("-+", "later"),
            answer("++-", "first_prompt"),
            answer("", "first_prompt"),
            silence(""),
            silence("--"),
            silence(""),
            silence(""),
        ]
    )
    assert tuple(found) == NAMES
    assert found == {
        "hit@1": Measure(2 / 7, 7),
        "hit@k": Measure(5 / 7, 7),
        "mrr": Measure((1 + 1 / 2 + 1 / 4 + 0 + 1 / 2 + 1 + 0) / 7, 7),
        "search.hit@1": Measure(1 / 4, 4),
        "search.hit@k": Measure(3 / 4, 4),
        "search.mrr": Measure((1 + 1 / 2 + 1 / 4) / 4, 4),
        "later.hit@1": Measure(0.0, 1),
        "later.hit@k": Measure(1.0, 1),
        "later.mrr": Measure(0.5, 1),
        "first_prompt.hit@1": Measure(0.5, 2),
        "first_prompt.hit@k": Measure(0.5, 2),
        "first_prompt.mrr": Measure(0.5, 2),
        "line_precision": Measure(2 / 5, 5),  # lines where silence was right are wrong ones
        "rightly_silent": Measure(3 / 4, 4),
        "spoken_on_unrelated": Measure(1 / 4, 4),
    }


def test_what_no_case_measures_has_no_value() -> None:
    assert set(measures([]).values()) == {Measure(None, 0)}
    found = measures([answer("+", "first_prompt")])
    unmeasured = {name for name, measure in found.items() if measure.value is None}
    assert unmeasured == {
        *(name for name in NAMES if name.startswith(("search.", "later."))),
        "rightly_silent",
        "spoken_on_unrelated",
    }


def test_less_is_better_names_the_measure_that_says_the_same() -> None:
    found = measures([silence(""), silence("-"), silence("--")])
    for less, more in LESS_IS_BETTER.items():
        one, other = found[less].value, found[more].value
        assert one is not None
        assert other is not None
        assert one + other == pytest.approx(1)


VERDICTS: dict[str, Any] = {
    "the same": (answer("-+"), answer("-+"), "same"),
    "an earlier place": (answer("-+"), answer("+-"), "better"),
    "a later place": (answer("-+"), answer("--+"), "worse"),
    "it came": (answer("--"), answer("--+"), "better"),
    "it is lost": (answer("+"), answer("-"), "worse"),
    "a second one": (answer("+-"), answer("++"), "better"),
    "a page more full": (answer("+"), answer("+---"), "same"),
    "a wrong line more": (
        answer("+", "first_prompt"),
        answer("+-", "first_prompt"),
        "worse",
    ),
    "place before wrong lines": (
        answer("-+", "first_prompt"),
        answer("+--", "first_prompt"),
        "better",
    ),
    "it became silent": (silence("-"), silence(""), "better"),
    "it speaks": (silence(""), silence("-"), "worse"),
    "it speaks less": (silence("---"), silence("-"), "better"),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name: str) -> None:
    then, now, wanted = VERDICTS[name]
    assert verdict(then, now) == wanted
