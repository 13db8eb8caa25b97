"""later, and show --newer: as a person and a script call them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Place, item

SUBJECT, PROJECT = "Newer on the same subject", "Only newer in this project"
ITEM_1 = {"id": 1, "occurred_at": "2026-09-03T10:00:00+00:00"}


@pytest.fixture
def golden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Place:
    """A place whose library is the model's, made by our writer."""
    place = Place(tmp_path, monkeypatch, capsys)
    place.put_golden()
    return place


def heads(out: str) -> list[str]:
    """Return the lines of an answer without the summaries, items cut to their id."""
    lines = [line for line in out.splitlines() if not line.startswith("     ")]
    return [line.split()[0] if line.startswith("[") else line for line in lines]


def test_help(golden: Place) -> None:
    done = golden.run("later", "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("usage: jezero-hook later")


def test_the_heading_tells_subject_from_date(golden: Place) -> None:
    assert heads(golden.run("later", 1).out) == [SUBJECT, "[2]"]
    assert heads(golden.run("later", 1, "analytics", "consent").out) == [SUBJECT, "[3]", "[2]"]
    assert heads(golden.run("later", 1, "zzzzz").out) == [PROJECT, "[4]", "[15]", "[2]"]


def test_without_a_project_the_source_is_named(golden: Place) -> None:
    assert heads(golden.run("later", 13).out) == [SUBJECT, "[14]"]
    assert heads(golden.run("later", 13, "zzzzz").out) == ["Only newer in this source", "[14]"]
    assert golden.run("later", 14).out == "Nothing newer in this source.\n"


def test_nothing_newer_is_no_refusal(golden: Place) -> None:
    assert golden.run("later", 4) == (0, "Nothing newer in this project.\n", "")
    assert golden.json("later", 4)["later"] == []


def test_json_by_subject(golden: Place) -> None:
    value = golden.json("later", 1)
    (hit,) = value.pop("later")
    assert value == {"found": True, "item": ITEM_1, "matched_by": "subject", "count": 1}
    assert (hit["id"], hit["external_id"]) == (2, "s002")
    assert hit["relevance"] == hit["score"] == pytest.approx(6.745226, abs=1e-6)


def test_json_by_date(golden: Place) -> None:
    value = golden.json("later", 1, "zzzzz")
    later = value.pop("later")
    assert value == {"found": True, "item": ITEM_1, "matched_by": "project_timeline", "count": 3}
    assert [other["id"] for other in later] == [4, 15, 2]
    assert "relevance" not in later[0]


def test_limit(golden: Place) -> None:
    ids = {
        limit: [o["id"] for o in golden.json("later", 1, "zzzzz", "--limit", limit)["later"]]
        for limit in (1, 2, 0, -1, 99)
    }
    every = [4, 15, 2]
    assert ids == {1: [4], 2: [4, 15], 0: every, -1: every, 99: every}


@pytest.mark.parametrize("id_", ["0", "-1", "99", str(2**63), str(10**30)])
def test_an_id_that_is_not_there_is_a_refusal(id_: str, golden: Place) -> None:
    words = ("later", "--", id_)
    said = f"jezero-hook: there is no item {id_}; `jezero-hook timeline` lists some\n"
    assert golden.run(*words) == (1, "", said)
    done = golden.run("--json", *words)
    assert (done.code, done.err) == (1, "")
    empty = {"found": False, "item": None, "matched_by": None, "count": 0, "later": []}
    assert done.json == empty


@pytest.mark.parametrize("words", [["later"], ["later", "one"], ["later", "1", "--limit", "x"]])
def test_usage(words: list[str], golden: Place) -> None:
    done = golden.run(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("jezero-hook: ")


def test_as_of_leaves_out_what_came_then(golden: Place) -> None:
    words = ("later", 1, "zzzzz", "--as-of", "2026-09-25T09:00:00+00:00")
    assert [other["id"] for other in golden.json(*words)["later"]] == [15, 2]
    assert golden.run("later", 4, "--as-of", "2026-09-25T09:00:00+00:00").code == 1


def test_what_may_not_be_read_is_not_there(golden: Place) -> None:
    golden.write_config("sources:\n  allowed: [agent-claude-*]\n")
    assert golden.json("later", 1, "zzzzz")["later"][0]["id"] == 2
    assert golden.json("later", 1, "analytics consent")["count"] == 1
    assert golden.run("later", 4).err.startswith("jezero-hook: there is no item 4;")


def test_the_config_gives_the_numbers(golden: Place) -> None:
    golden.write_config("later:\n  limit: 1\n")
    assert [o["id"] for o in golden.json("later", 1, "analytics consent")["later"]] == [3]
    golden.write_config("later:\n  min_relevance: 0.1\n")
    assert [o["id"] for o in golden.json("later", 1)["later"]] == [4, 3, 2]
    golden.write_config("later:\n  min_relevance: 0.1\n  closest: 0\n  limit: 1\n")
    assert [o["id"] for o in golden.json("later", 1)["later"]] == [4]
    golden.write_config("later:\n  hits: 1\n")
    assert golden.json("later", 1)["matched_by"] == "project_timeline"
    golden.write_config("later:\n  closest: many\n")
    assert "config.yaml:2: later.closest: " in golden.run("later", 1).err


def test_no_recency_whatever_the_config_says_of_search(golden: Place) -> None:
    golden.write_config("search:\n  recency_weight: 1\n  half_life_days: 0.01\n")
    assert [o["id"] for o in golden.json("later", 1)["later"]] == [2]


def test_show_newer(golden: Place) -> None:
    plain = golden.run("show", 1).out
    assert golden.run("show", 1, "--newer").out.startswith(f"{plain}\n{SUBJECT}\n[2] 2026-09-10")
    assert f"\n\n{PROJECT}\n[4] 2026-09-25" in golden.run("show", 2, "--newer").out
    assert golden.run("show", 4, "--newer").out.endswith("\n\nNothing newer in this project.\n")


def test_show_newer_as_json(golden: Place) -> None:
    value = golden.json("show", 1, "--newer")
    newer = value.pop("newer")
    assert value == golden.json("show", 1)
    later = golden.json("later", 1)
    assert newer == {key: later[key] for key in ("matched_by", "count", "later")}


def test_show_newer_of_no_item(golden: Place) -> None:
    done = golden.run("show", 99, "--newer", "--json")
    assert (done.code, json.loads(done.out)) == (1, {"found": False, "item": None})


def test_titles_are_quoted_here_too(golden: Place) -> None:
    golden.put(item(1, "red [bold]\x1b[31m<b>"), item(2, "red [bold]\x1b[31m<b>"))
    out = golden.run("later", 18).out
    assert "red [bold] [31m‹b>" in out
    assert "\x1b" not in out
