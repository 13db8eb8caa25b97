"""eval --own: the library asked its own later prompts, and what each chance would let through."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from jezero_hooks.config import Config
from jezero_hooks.evaluation.others import OtherSessions
from jezero_hooks.hook import first_prompt_block
from jezero_hooks.library.connection import open_reading
from jezero_hooks.library.reader import Filters, open_library
from jezero_hooks.model import NewItem

from .commands import Place, item
from .invented import sessions

ITEMS = 210
LATER = "why does the zanzibar turbine of the quokka reactor stall"


@pytest.fixture
def stocked(place: Place) -> Place:
    place.put(*sessions(ITEMS))
    return place


def own(place: Place, *options: object) -> Any:
    return place.json("eval", "--own", "--prompts", 20, *options)


def by_chance(report: Any) -> dict[float | None, Any]:
    return {row["chance"]: row for row in report["rows"]}


def lonely(number: int, project: str, **fields: Any) -> NewItem:
    """Return a session of which each word but the project's is its own."""
    words = [hashlib.sha256(f"{number}{n}".encode()).hexdigest()[:8] for n in range(6)]
    # One that begins with a letter, so that it is a word and no number.
    words = [f"w{word}" for word in words]
    usual = {
        "external_id": f"lonely-{number}",
        "occurred_at": "2026-09-01T10:00:00+00:00",
        "title": " ".join(words),
        "questions": ("first", " ".join(words)),
        "project": project,
    }
    return item(1, **(usual | fields))


# --- what comes --------------------------------------------------------------------------


def test_the_rows(stocked: Place) -> None:
    report = own(stocked)
    assert report["library"] == {"path": str(stocked.library), "items": ITEMS}
    assert report["prompts"] == {"asked": 20, "of": ITEMS}
    assert report["chance"] == 0.01
    assert [row["chance"] for row in report["rows"]] == [None, 1, 0.1, 0.01, 0.001, 0.0001]
    spoken = [row["spoken"] for row in report["rows"]]
    assert spoken == sorted(spoken, reverse=True)
    assert spoken[0] > spoken[-1]
    for row in report["rows"]:
        assert (row["lines"] is None) == (row["same_project"] is None) == (row["spoken"] == 0)
        assert row["lines"] is None or 1 <= row["lines"] <= 3
    rows = by_chance(report)
    assert rows[0.1]["same_project"] > report["same_project_blindly"]
    assert rows[0.1]["elsewhere"] < rows[0.1]["spoken"]


def test_a_row_is_what_the_hook_says_at_that_chance(stocked: Place) -> None:
    """One answer gives all rows: the same as to ask anew with each chance in the config."""
    rows = by_chance(own(stocked))
    stocked.write_config("first_prompt: {chance: 0.001}\n")
    report = own(stocked)
    assert (report["chance"], by_chance(report)) == (0.001, rows)
    spoken = {None: 0, 0.01: 0}
    config = Config()
    reader = OtherSessions(open_reading(str(stocked.library)), str(stocked.library))
    sample = reader.sample(Filters(), 20, lambda text: True)
    for prompt in sample.prompts:
        reader.session = prompt.session
        for chance in spoken:
            rule = config.first_prompt._replace(chance=chance or 0.0)
            block = first_prompt_block(
                reader, config._replace(first_prompt=rule), prompt.text, now_s=1.8e9
            )
            spoken[chance] += bool(block.text)
    assert spoken == {chance: rows[chance]["spoken"] * 20 for chance in spoken}


def test_the_configs_own_chance_is_a_row(stocked: Place) -> None:
    stocked.write_config("first_prompt: {chance: 0.03, lines: 1}\n")
    report = own(stocked)
    assert [row["chance"] for row in report["rows"]][2:5] == [0.1, 0.03, 0.01]
    assert report["rows"][0]["lines"] == 1
    stocked.write_config("first_prompt: {chance: off}\n")
    report = own(stocked)
    assert (report["chance"], len(report["rows"])) == (None, 6)
    assert "off  (yours)" in stocked.run("eval", "--own", "--prompts", 20).out


def test_a_prompt_does_not_find_its_own_session_nor_a_copy(place: Place) -> None:
    mine = [lonely(n, "orion") for n in range(200)]
    segments = [
        lonely(n, "orion", external_id=f"lonely-{n}#2", questions=("first",)) for n in range(200)
    ]
    copies = [one._replace(source="elsewhere") for one in mine]
    place.put(*mine, *segments, *copies)
    report = own(place)
    # A copy's prompts are no others.
    assert report["prompts"] == {"asked": 20, "of": 200}
    assert {row["spoken"] for row in report["rows"]} == {0}
    assert open_library(str(place.library)).count() == 600


def test_its_words_do_not_count_as_known(place: Place) -> None:
    place.put(*sessions(ITEMS), lonely(1, "orion", title=f"{LATER} file", questions=("a", LATER)))
    reader = OtherSessions(open_reading(str(place.library)), str(place.library))
    whole = reader.sample(Filters(), 1_000, lambda text: text == LATER)
    assert [prompt.text for prompt in whole.prompts] == [LATER]
    words = ("zanzibar", "file")
    before = open_library(str(place.library)).word_counts(words)
    reader.session = whole.prompts[0].session
    after = reader.word_counts(words)
    assert before is not None
    assert after is not None
    assert (before.items, before.holding["zanzibar"]) == (ITEMS + 1, 1)
    assert (after.items, after.holding) == (ITEMS, {"file": before.holding["file"] - 1})


def test_elsewhere_are_the_items_of_other_projects(place: Place) -> None:
    """Each session has a twin in its own project: there is something to say, and not elsewhere."""
    twins = [lonely(n, "orion", external_id=f"twin-{n}") for n in range(30)]
    others = [lonely(n, "vega", questions=()) for n in range(1_000, 1_150)]
    alone = [lonely(n, "vega") for n in range(2_000, 2_020)]
    place.put(*twins, *(lonely(n, "orion") for n in range(30)), *others, *alone)
    row = own(place, "--prompts", 80)["rows"][3]
    assert row == {"chance": 0.01, "spoken": 0.75, "lines": 1, "same_project": 1, "elsewhere": 0}


def test_one_project_has_no_elsewhere(place: Place) -> None:
    place.put(*(one._replace(project="orion") for one in sessions(ITEMS)))
    report = own(place)
    assert {row["elsewhere"] for row in report["rows"]} == {None}
    assert report["same_project_blindly"] == 1


def test_nothing_is_written(stocked: Place) -> None:
    before = stocked.library.read_bytes()
    own(stocked)
    assert stocked.library.read_bytes() == before


def test_for_eyes(stocked: Place) -> None:
    done = stocked.run("eval", "--own", "--prompts", 20)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith(f"20 of {ITEMS} later prompts, chosen by their hash")
    assert [line.split()[0] for line in lines[3:9]] == [
        *("off", "1", "0.1", "0.01", "0.001", "0.0001")
    ]
    assert [line for line in lines if "(yours)" in line] == [lines[6]]


# --- what is refused -----------------------------------------------------------------------


def test_a_small_library_has_nothing_to_choose(place: Place) -> None:
    place.put(*sessions(199))
    done = place.run("eval", "--own")
    assert (done.code, done.out) == (1, "")
    assert "has 199 items; below 200 first_prompt.chance rests" in done.err


def test_too_few_prompts(place: Place) -> None:
    """Prompts without words, and those of no project, are not asked."""
    short = [one._replace(questions=(one.title, "yes, go on")) for one in sessions(200)]
    nowhere = [one._replace(project=None) for one in sessions(230)[200:]]
    few = sessions(249)[230:]
    place.put(*short, *nowhere, *few)
    done = place.run("eval", "--own")
    assert done.code == 1
    assert "has 19 later prompts" in done.err
    place.put(sessions(250)[249])
    assert place.run("eval", "--own").code == 0


def test_a_library_that_is_not_there(place: Place) -> None:
    assert "is not there" in place.run("eval", "--own").err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "give a FILE of cases or --own, one of them"),
        (("cases.yaml", "--own"), "give a FILE of cases or --own, not both"),
        (("--own", "--save", "run.json"), "has no cases to save"),
        (("--own", "--compare", "run.json"), "has no cases to save"),
        (("--own", "--fail-under", "mrr=1"), "has no cases to save"),
        (("cases.yaml", "--prompts", "30"), "--prompts: goes with --own alone"),
        (("--own", "--prompts", "19"), "--prompts 19: must be from 20 to 5,000"),
        (("--own", "--prompts", "5001"), "--prompts 5001: must be from 20 to 5,000"),
    ],
)
def test_what_does_not_go_together(options: tuple[str, ...], said: str, stocked: Place) -> None:
    done = stocked.run("eval", *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
