"""eval: named cases through the hooks and commands, measured, saved, compared, held to a bar."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.commands import ROOT, Place, item

EXAMPLES = ROOT / "examples"
LOGIN = "The login page times out since the session cookie change"

CASES = """\
cases:
  - name: by words
    search: login cookie
    expect: [t1, t2]
  - name: what came after
    later: t1
    expect: t2
  - name: related
    first_prompt: The login page times out since the session cookie change
    expect: [t1, t2]
  - name: unrelated
    first_prompt: Bake a chocolate cake with walnuts
    expect: []
"""


@pytest.fixture
def stocked(place: Place) -> Place:
    place.put(
        item(1, "Session cookie broke the login redirect", project="orion"),
        item(2, "Login page: the session cookie again", project="orion"),
        item(3, "Nightly backup", project="vega"),
    )
    return place


def write(place: Place, text: str) -> Path:
    path = place.user / "cases.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def run(place: Place, text: str, *options: object) -> Any:
    """Run cases; return the JSON that comes."""
    return place.json("eval", write(place, text), *options)


def only(place: Place, text: str, *options: object) -> Any:
    """Run one case; return what came of it."""
    (case,) = run(place, f"cases:\n  - name: it\n    {text}\n", *options)["cases"]
    return case


def came(case: Any) -> list[str]:
    return [given["external_id"] for given in case["given"]]


# --- what is asked -----------------------------------------------------------------------


def test_each_door_gives_what_its_command_or_hook_gives(stocked: Place) -> None:
    found = {case["name"]: case for case in run(stocked, CASES)["cases"]}
    search = stocked.json("search", "login cookie")["results"]
    assert came(found["by words"]) == [hit["external_id"] for hit in search]
    later = stocked.json("later", 1)["later"]
    assert came(found["what came after"]) == [newer["external_id"] for newer in later] == ["t2"]
    dry = stocked.json("--dry-run", "--prompt", LOGIN)["first_prompt"]
    assert came(found["related"]) == dry["shown_external_ids"] != []
    assert came(found["unrelated"]) == []
    assert [case["right"] for case in found.values()] == [True] * 4


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, {"a", "b", "c"}),
        ({"project": "vegas"}, {"b"}),
        ({"source": "other"}, {"c"}),
        ({"as_of": "2026-09-02T10:00:00+00:00"}, {"a"}),
        ({"as_of": "2026-09-03"}, {"a", "b"}),
        ({"limit": "1"}, {"c"}),
    ],
    ids=str,
)
@pytest.mark.parametrize("where", ["case", "defaults"])
def test_a_search_has_filters(
    where: str, filters: dict[str, str], wanted: set[str], place: Place
) -> None:
    place.put(
        item(1, "word", external_id="a", project="orion"),
        item(2, "word", external_id="b", project="vegas"),
        item(3, "word", external_id="c", project="orion", source="other"),
    )
    text = "cases:\n  - name: it\n    search: word\n    expect: x\n"
    lines = [f"{name}: {value}" for name, value in filters.items()]
    if where == "case":
        text += "".join(f"    {line}\n" for line in lines)
    elif lines:
        text = "defaults:\n" + "".join(f"  {line}\n" for line in lines) + text
    (case,) = run(place, text)["cases"]
    assert set(came(case)) == wanted


def test_a_case_overrides_the_defaults_and_they_the_option(place: Place) -> None:
    place.put(*(item(day, "word") for day in (1, 2, 3)))
    text = (
        "defaults: {as_of: 2026-09-02}\ncases:\n"
        "  - {name: own, search: word, expect: t1, as_of: 2026-09-03}\n"
        "  - {name: usual, search: word, expect: t1}\n"
    )
    own, usual = run(place, text, "--as-of", "2026-09-04")["cases"]
    assert (set(came(own)), came(usual)) == ({"t1", "t2"}, ["t1"])
    text = "cases:\n  - {name: bare, search: word, expect: t1}\n"
    (bare,) = run(place, text, "--as-of", "2026-09-03")["cases"]
    assert set(came(bare)) == {"t1", "t2"}


def test_later_has_a_query_a_limit_and_a_time(place: Place) -> None:
    place.put(
        item(1, "Login redirect"),
        item(2, "Login redirect loops"),
        item(3, "Export streams"),
        item(4, "Login redirect again"),
    )
    case = "{{name: it, later: t1, expect: t2{}}}"

    def asked(more: str) -> list[str]:
        return came(run(place, f"cases:\n  - {case.format(more)}\n")["cases"][0])

    assert asked("") == ["t4", "t2"]
    assert asked(", limit: 1") == ["t4"]
    assert asked(", query: export") == ["t3"]
    assert asked(", as_of: 2026-09-04") == ["t2"]


def test_a_first_prompt_is_judged_as_of_a_time(stocked: Place) -> None:
    prompt = f"{{name: it, first_prompt: {LOGIN}, expect: t1, as_of: 2026-09-02}}"
    assert came(run(stocked, f"cases:\n  - {prompt}\n")["cases"][0]) == ["t1"]


def test_what_is_no_prompt_to_the_hook_is_none_here(stocked: Place) -> None:
    for prompt in ("/login-cookie", f"<task-notification> {LOGIN}"):
        assert only(stocked, f"first_prompt: {prompt}\n    expect: []")["right"] is True
    assert only(stocked, f"first_prompt: '/fix {LOGIN}'\n    expect: t1")["right"] is True


# --- items and their names ---------------------------------------------------------------


def test_a_number_is_an_id_and_a_text_an_external_id(place: Place) -> None:
    place.put(item(1, "word"), item(2, "word", external_id="1", source="other"))
    for expect, wanted in (("1", ["t1"]), ("'1'", ["1"]), ('"1"', ["1"]), ("t1", ["t1"])):
        case = only(place, f"search: word\n    expect: {expect}")
        assert [g["external_id"] for g in case["given"] if g["expected"]] == wanted
        assert case["missing"] == []


@pytest.mark.parametrize("name", ["no", "1e3", "0x10", "1_000", "2026-09-01", "1:30", "s#2"])
def test_an_external_id_is_taken_as_it_is_written(name: str, place: Place) -> None:
    place.put(item(1, "word", external_id=name))
    assert only(place, f"search: word\n    expect: {name}")["right"] is True
    assert only(place, f"later: {name}\n    expect: {name}")["unknown"] == []


def test_what_is_not_in_the_library_is_said(stocked: Place) -> None:
    case = only(stocked, "search: login\n    expect: [t1, gone, 99]")
    assert case["unknown"] == case["missing"] == ["gone", 99]
    assert case["right"] is True
    done = stocked.run("eval", stocked.user / "cases.yaml")
    assert "gone (not in the library), 99 (not in the library)" in " ".join(done.out.split())


def test_an_item_of_later_that_is_not_there_gives_nothing(stocked: Place) -> None:
    for name in ("gone", "99", str(2**63 - 1)):
        case = only(stocked, f"later: {name}\n    expect: t1")
        assert (case["given"], case["right"]) == ([], False)
        assert str(case["unknown"][0]) == name


def test_what_may_not_be_read_is_not_there(stocked: Place) -> None:
    stocked.write_config("sources:\n  allowed: [other]\n")
    case = only(stocked, "search: login\n    expect: t1")
    assert (case["given"], case["unknown"]) == ([], ["t1"])


def test_what_occurred_after_the_time_is_not_there(stocked: Place) -> None:
    case = only(stocked, "search: login\n    expect: t2\n    as_of: 2026-09-02")
    assert (came(case), case["unknown"]) == (["t1"], ["t2"])


# --- measures, saved and compared --------------------------------------------------------


def test_the_metrics_of_the_cases(stocked: Place) -> None:
    metrics = run(stocked, CASES)["metrics"]
    assert metrics["hit@k"] == {"value": 1.0, "of": 3}
    assert metrics["later.mrr"] == {"value": 1.0, "of": 1}
    assert metrics["line_precision"] == {"value": 1.0, "of": 2}
    assert metrics["rightly_silent"] == {"value": 1.0, "of": 1}
    assert metrics["spoken_on_unrelated"] == {"value": 0.0, "of": 1}


SPOKEN = CASES.replace("Bake a chocolate cake with walnuts", "login cookie")


def test_speaking_where_silence_is_right(stocked: Place) -> None:
    metrics = run(stocked, SPOKEN)["metrics"]
    assert metrics["spoken_on_unrelated"]["value"] == 1.0
    assert metrics["rightly_silent"]["value"] == 0.0
    assert metrics["line_precision"] == {"value": 0.5, "of": 4}


def test_save_keeps_what_json_prints_for_the_user_alone(stocked: Place) -> None:
    saved = stocked.user / "run.json"
    printed = run(stocked, CASES, "--save", saved)
    assert printed.pop("compared") is None
    assert printed.pop("below") == []
    assert json.loads(saved.read_text()) == printed
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert sorted(path.name for path in stocked.user.iterdir()) == [
        "cases.yaml",
        "code",
        "run.json",
    ]


def test_compare_says_what_became_of_each_case_and_metric(stocked: Place) -> None:
    saved = stocked.user / "run.json"
    more = (
        "  - {name: gone, search: backup, expect: t3}\n"
        "  - {name: other, search: backup, expect: t3}\n"
    )
    run(stocked, CASES + more, "--save", saved)
    # A newer item takes the place of `what came after`, and says what `unrelated` asks.
    stocked.put(
        item(4, "Chocolate cake with walnuts", project="orion"),
        item(5, "The redirect is broken once more", project="orion"),
    )
    changed = CASES + (
        "  - {name: other, search: nightly, expect: t3}\n"
        "  - {name: fresh, search: backup, expect: t3}\n"
    )
    compared = run(stocked, changed, "--compare", saved)["compared"]
    assert compared["worse"] == ["what came after", "unrelated"]
    assert compared["better"] == []
    assert (compared["changed"], compared["new"], compared["gone"]) == (
        ["other"],
        ["fresh"],
        ["gone"],
    )
    assert compared["metrics"]["rightly_silent"] == {"was": 1.0, "delta": -1.0}
    assert compared["metrics"]["later.mrr"]["delta"] == pytest.approx(-0.5)
    assert compared["path"] == str(saved)
    run(stocked, changed, "--save", saved)
    stocked.library.unlink()
    stocked.put(
        item(1, "Session cookie broke the login redirect", project="orion"),
        item(2, "Login page: the session cookie again", project="orion"),
        item(3, "Nightly backup", project="vega"),
    )
    # The one file may be read and written in one call.
    compared = run(stocked, changed, "--compare", saved, "--save", saved)["compared"]
    assert compared["better"] == ["what came after", "unrelated"]
    assert compared["worse"] == compared["changed"] == compared["new"] == compared["gone"] == []
    compared = run(stocked, changed, "--compare", saved)["compared"]
    assert {tuple(compared[name]) for name in ("better", "worse", "changed")} == {()}
    assert {metric["delta"] for metric in compared["metrics"].values()} == {0.0}


def test_a_metric_that_neither_run_has_has_no_delta(stocked: Place) -> None:
    saved = stocked.user / "run.json"
    text = "cases:\n  - {name: it, search: login, expect: t1}\n"
    run(stocked, text, "--save", saved)
    metrics = run(stocked, text, "--compare", saved)["compared"]["metrics"]
    assert metrics["later.mrr"] == {"was": None, "delta": None}


@pytest.mark.parametrize(
    "content",
    ["", "{}", "[]", "5", '{"form": 2}', '{"form": 1}', '{"form": 1, "metrics": 3}', "\udcff"],
    ids=ascii,
)
def test_what_is_no_saved_run(content: str, stocked: Place) -> None:
    saved = stocked.user / "run.json"
    saved.write_bytes(content.encode("utf-8", "surrogateescape"))
    done = stocked.run("eval", write(stocked, CASES), "--compare", saved)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"jezero-hook: {saved}: was not written by")
    assert done.err.count("\n") == 1


def test_a_saved_run_of_another_metric_or_case(stocked: Place) -> None:
    saved = stocked.user / "run.json"
    run(stocked, CASES, "--save", saved)
    whole = json.loads(saved.read_text())
    for broken in (
        {**whole, "metrics": {**whole["metrics"], "mrr": {"value": "x", "of": 1}}},
        {**whole, "cases": [{"name": "by words"}]},
        {**whole, "cases": 5},
    ):
        saved.write_text(json.dumps(broken))
        assert stocked.run("eval", write(stocked, CASES), "--compare", saved).code == 1


def test_files_that_are_not_there_or_cannot_be(stocked: Place) -> None:
    cases, gone = write(stocked, CASES), stocked.user / "gone" / "file"
    for words in (
        ("eval", gone),
        ("eval", cases, "--compare", gone),
        ("eval", cases, "--save", gone),
        ("eval", cases, "--save", stocked.folder),
    ):
        done = stocked.run(*words)
        assert done.code == 1, words
        assert str(words[-1]) in done.err
        assert "Traceback" not in done.err
    assert not list(stocked.user.glob("*.new-*"))
    assert not list(stocked.folder.parent.glob("*.new-*"))


def test_there_is_no_library(place: Place) -> None:
    done = place.run("eval", write(place, CASES))
    assert done.code == 1
    assert f"{place.library}: is not there" in done.err
    assert not place.home.exists()


# --- the bar -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bars", "below"),
    [
        (["hit@k=1"], []),
        (["hit@k=1", "rightly_silent=0.5"], ["rightly_silent"]),
        (["line_precision=0.5"], []),
        (["line_precision=0.51", "later.hit@1=1", "search.mrr=0"], ["line_precision"]),
        (["first_prompt.hit@1=0.2", "rightly_silent=0"], []),
    ],
    ids=str,
)
def test_fail_under(bars: list[str], below: list[str], stocked: Place) -> None:
    options = [word for bar in bars for word in ("--fail-under", bar)]
    done = stocked.run("eval", write(stocked, SPOKEN), *options, "--json")
    assert done.code == (1 if below else 0)
    assert [bar["metric"] for bar in done.json["below"]] == below
    assert stocked.run("eval", write(stocked, SPOKEN), *options).code == done.code


def test_a_bar_that_no_case_measures_fails(stocked: Place) -> None:
    text = "cases:\n  - {name: it, search: login, expect: t1}\n"
    done = stocked.run("eval", write(stocked, text), "--fail-under", "rightly_silent=0")
    assert done.code == 1
    assert "rightly_silent is measured by no case; it must not be below 0" in done.out
    cases = stocked.user / "cases.yaml"
    done = stocked.run("eval", cases, "--fail-under=hit@1=1", "--fail-under=later.mrr=0", "--json")
    assert done.json["below"] == [
        {"metric": "hit@1", "wanted": 1.0, "value": 0.0},
        {"metric": "later.mrr", "wanted": 0.0, "value": None},
    ]


def test_a_third_is_not_below_a_third(stocked: Place) -> None:
    text = "cases:\n" + "".join(
        f"  - {{name: {n}, search: {word}, expect: t3}}\n"
        for n, word in enumerate(("backup", "login", "cookie"))
    )
    for value, code in ((1 / 3, 0), ("0.333333333334", 0), ("0.34", 1)):
        bar = f"mrr={value}"
        assert stocked.run("eval", write(stocked, text), "--fail-under", bar).code == code


@pytest.mark.parametrize(
    ("bar", "said"),
    [
        ("mrr", "write METRIC=VALUE; metrics are hit@1, hit@k, mrr, search.hit@1"),
        ("mr=0.5", "write METRIC=VALUE; metrics are"),
        ("mrr=", "a number from 0 to 1"),
        ("mrr=1.5", "a number from 0 to 1"),
        ("mrr=nan", "a number from 0 to 1"),
        ("mrr=-0.1", "a number from 0 to 1"),
        ("spoken_on_unrelated=0.1", "less is better; use rightly_silent"),
    ],
)
def test_a_bar_that_is_none(bar: str, said: str, stocked: Place) -> None:
    done = stocked.run("eval", write(stocked, CASES), f"--fail-under={bar}")
    assert (done.code, done.out) == (2, "")
    assert said in done.err


# --- for eyes ----------------------------------------------------------------------------


def test_the_table(stocked: Place) -> None:
    saved = stocked.user / "run.json"
    lines = stocked.run("eval", write(stocked, SPOKEN), "--save", saved).out.splitlines()
    assert lines[0] == f"4 cases of {stocked.user / 'cases.yaml'}; library of 3 items " + (
        "(trigram remove_diacritics 1)"
    )
    rows = {" ".join(line.split()) for line in lines}
    assert "right by words search 1 of 2" in rows
    assert "right what came after later 1 of 1" in rows
    assert "right related first prompt 1 of 2" in rows
    assert any(row.startswith("wrong unrelated first prompt - of 2 spoke: [") for row in rows)
    assert "hit@k 1.000 1.000 1.000 1.000" in rows
    assert "rightly_silent 0.000" in rows
    assert f"saved: {saved}" in rows
    done = stocked.run("eval", write(stocked, CASES), "--compare", saved)
    rows = {" ".join(line.split()) for line in done.out.splitlines()}
    assert "right unrelated first prompt silent changed" in rows
    assert "rightly_silent 1.000 +1.000" in rows
    assert "since then: 0 better, 0 worse, 1 changed, 0 new, 0 gone" in rows


def test_the_table_fits_a_terminal_of_80_columns(stocked: Place) -> None:
    text = CASES.replace("by words", "a name " * 20).replace(
        "expect: t2\n", f"expect: {'a-long-external-id-' * 5}\n"
    )
    saved = stocked.user / "run.json"
    stocked.run("eval", write(stocked, CASES), "--save", saved)
    done = stocked.process("eval", write(stocked, text), "--compare", saved, COLUMNS="80")
    assert done.code == 0
    table = done.out.split("\n\n", 1)[1]
    assert max(map(len, table.splitlines())) <= 80


def test_a_name_cannot_move_the_cursor(stocked: Place) -> None:
    text = 'cases:\n  - {name: "a\\e[2Jb\\nc", search: login, expect: t1}\n'
    out = stocked.run("eval", write(stocked, text)).out
    assert "\x1b" not in out
    assert "a [2Jb c" in out


# --- faults of the file ------------------------------------------------------------------

GOOD = "cases:\n- {name: a, search: x, expect: 1}\n"

FAULTS: dict[str, tuple[str, list[str]]] = {
    "nothing": ("", ["has no cases; name some below `cases:`"]),
    "no cases": ("cases: []\n", ["has no cases; name some below `cases:`"]),
    "a list": ("- 1\n", ["1: must be a mapping of keys to values"]),
    "no list": ("cases: 5\n", ["1: cases: must be a list of cases"]),
    "no mapping": (GOOD + "- 5\n", ["3: case 2: must be a mapping: a name, what is asked, "]),
    "unknown key": (GOOD + "more: 1\n", ["3: more: unknown key; there are defaults, cases"]),
    "no YAML": ("cases: [\n", ["2: is no YAML: "]),
    "not UTF-8": ("cases:\n- \udcff\n", ["2: is not UTF-8"]),
    "too deep": ("cases: " + "[" * 30 + "]" * 30, ["1: is nested more than 20 levels"]),
    "no name": ("cases:\n- {search: x, expect: 1}\n", ["2: case 1: lacks a name"]),
    "no door": ("cases:\n- {name: a, expect: 1}\n", ["2: a: must have one of search, later, "]),
    "two doors": (
        "cases:\n- {name: a, search: x, later: 1, expect: 1}\n",
        ["2: a: must have one of search, later, first_prompt, not 2"],
    ),
    "no expect": (
        "cases:\n- {name: a, search: x}\n",
        ["2: a: lacks expect: the items that should come\n"],
    ),
    "no expect of a prompt": (
        "cases:\n- {name: a, first_prompt: x}\n",
        ["2: a: lacks expect: the items that should come (of a first prompt `[]`: silence)"],
    ),
    "a search expects nothing": (
        "cases:\n- name: a\n  search: x\n  expect: []\n",
        ["4: a.expect: must name one item at least"],
    ),
    "expect is empty": (
        "cases:\n- name: a\n  first_prompt: x\n  expect:\n",
        ["4: a.expect: must be an item's id (a number) or external id (a text)"],
    ),
    "no items": (
        "cases:\n- name: a\n  search: x\n  expect:\n  - 0\n  - {b: 1}\n",
        ["5: a.expect: must be an item's id", "6: a.expect: must be an item's id"],
    ),
    "an id beyond all": (
        f"cases:\n- {{name: a, later: {2**63}, expect: 1}}\n",
        ["2: a.later: must be an item's id"],
    ),
    "an empty query": (
        "cases:\n- name: a\n  search:\n  expect: 1\n",
        ["3: a.search: must be text"],
    ),
    "a filter of another door": (
        "cases:\n- {name: a, first_prompt: x, expect: 1, project: p}\n",
        ["2: a.project: unknown key here; there are name, first_prompt, expect, as_of"],
    ),
    "no time": (
        "cases:\n- {name: a, search: x, expect: 1, as_of: soon}\n",
        ["2: a.as_of: is no time; write it like 2026-09-10"],
    ),
    "no limit": (
        "cases:\n- {name: a, search: x, expect: 1, limit: 0}\n",
        ["2: a.limit: must be a whole number from 1 to 5,000"],
    ),
    "defaults": (
        "defaults:\n  limit: many\n  query: x\n" + GOOD,
        ["2: defaults.limit: must be a whole", "3: defaults.query: unknown key here"],
    ),
    "a name twice": (
        GOOD + "- {name: a, search: y, expect: 1}\n",
        ["3: a.name: stands twice (first in line 2); each needs a name of its own"],
    ),
    "a key twice": (
        "cases:\n- name: a\n  search: x\n  search: y\n  expect: 1\n",
        ["4: a.search: stands twice (first in line 3); keep one"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_name_file_line_and_key(name: str, stocked: Place) -> None:
    text, wanted = FAULTS[name]
    path = stocked.user / "cases.yaml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    done = stocked.run("eval", path)
    assert (done.code, done.out) == (1, "")
    lines = done.err.removeprefix("jezero-hook: ").splitlines(keepends=True)
    assert len(lines) == len(wanted)
    for line, said in zip(lines, wanted, strict=True):
        place = f"{path}:" if said[0].isdigit() else f"{path}: "
        assert line.startswith(place + said)


def test_a_file_without_end_is_not_read(stocked: Place) -> None:
    path = write(stocked, GOOD + "#" * 1_000_000)
    assert "is longer than 1,000,000 bytes" in stocked.run("eval", path).err


# --- the example -------------------------------------------------------------------------


def test_the_example(place: Place) -> None:
    for name in ("items.jsonl", "eval.yaml"):
        shutil.copy(EXAMPLES / name, place.user / name)
    place.json("import", "--items", place.user / "items.jsonl", "--source", "example")
    found = place.json("eval", place.user / "eval.yaml")
    assert {case["name"]: case["right"] for case in found["cases"] if not case["right"]} == {
        "other words for the same thing": False,  # the search is literal
        "a page about something else": False,  # two words in common
    }
    assert [case["name"] for case in found["cases"] if case["unknown"]] == []
    value = {name: metric["value"] for name, metric in found["metrics"].items()}
    assert (value["search.mrr"], value["later.mrr"]) == (1.0, 1.0)
    assert value["rightly_silent"] == 0.5
