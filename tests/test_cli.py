"""The commands as a person and a script call them: exit codes, options, streams, --as-of."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import Any

import pytest

from jezero_hooks import __version__
from jezero_hooks.cli import main
from jezero_hooks.times import unix_s, utc_iso
from tests.commands import GOLDEN, PROGRAM, ROOT, Place, golden_items, item

COMMANDS = (
    "session-start",
    "first-prompt",
    "session-end",
    "import",
    "search",
    "timeline",
    "show",
    "check",
    "rebuild",
    "eval",
)
HIT = (
    "id",
    "external_id",
    "source",
    "project",
    "occurred_at",
    "title",
    "summary",
    "score",
    "relevance",
)
LISTED = HIT[:-2]
NOW = json.loads((GOLDEN / "library.json").read_text())["now"]


@pytest.fixture
def golden(place: Place) -> Place:
    """A place whose library is the model's, made by our writer."""
    place.put_golden()
    return place


# --- the call itself --------------------------------------------------------------------------


def test_version(place: Place) -> None:
    assert place.run("--version") == (0, f"jezero-hook {__version__}\n", "")


def test_help_names_every_command_and_the_exit_codes(place: Place) -> None:
    done = place.run("--help")
    assert (done.code, done.err) == (0, "")
    for name in (*COMMANDS, "--library", "--config", "--as-of", "--json", "--dry-run"):
        assert re.search(rf"^\s+{name}\b", done.out, re.MULTILINE), name
    assert "0 done, 1 a refusal with its reason, 2 usage, 3 a fault of ours, 130" in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_its_help(command: str, place: Place) -> None:
    done = place.run(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"usage: jezero-hook {command}")


def test_nothing_asked_is_usage(place: Place) -> None:
    done = place.run()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("usage: jezero-hook")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["dance"], "dance"),
        (["search"], "QUERY"),
        (["show"], "ID"),
        (["show", "x"], "x"),
        (["show", "1.5"], "1.5"),
        (["search", "x", "--limit", "many"], "many"),
        (["search", "x", "--since", "soon"], "--since soon: is no time"),
        (["timeline", "--until", "2026-13-01"], "--until 2026-13-01: is no time"),
        (["timeline", "--as-of", "yesterday"], "--as-of yesterday: is no time"),
        (["--as-of", "", "timeline"], "is no time"),
        (["--as-of", "0001-01-01T00:00:00+14:00", "timeline"], "is no time"),
        (["import", "--items", "x.jsonl", "--source", ""], "--source"),
        (["import", "--source", "x"], "--items"),
        (["import", "--items", "x.jsonl", "--source", "x", "y.jsonl"], "call twice"),
        (["--dry-run", "check"], "--dry-run stands alone"),
        (["--dry-run", "import"], "--dry-run stands alone"),
        (["import", "--dry-run"], "--dry-run"),
        (["--prompt", "x", "check"], "--prompt"),
        (["--cwd", "/x"], "--cwd"),
        (["--frobnicate"], "--frobnicate"),
    ],
)
def test_usage_is_refused_with_its_reason(argv: list[str], said: str, golden: Place) -> None:
    done = golden.run(*argv)
    assert (done.code, done.out) == (2, "")
    assert said in done.err.splitlines()[0]
    assert done.err.startswith("jezero-hook: ")
    assert golden.json("timeline", "--limit", 50)["count"] == 16


@pytest.mark.parametrize("after", [False, True])
def test_global_options_stand_before_or_after_the_command(after: bool, place: Place) -> None:
    shutil.copy(GOLDEN / "jezero-0.1.0.db", other := place.user / "other.db")
    config = place.user / "other.yaml"
    config.write_text("timeline:\n  limit: 2\n")
    options = ["--library", other, "--config", config, "--as-of", "2026-09-21", "--json"]
    done = place.run(*(["timeline", *options] if after else [*options, "timeline"]))
    assert [found["id"] for found in done.json["items"]] == [15, 17]


def test_options_before_and_after_the_command_hold_both(golden: Place) -> None:
    for first in ("2026-09-05", "2020-01-01"):  # of two the last one holds
        done = golden.run(
            "--as-of", first, "timeline", "--project", "shop", "--as-of", "2026-09-05", "--json"
        )
        assert [found["external_id"] for found in done.json["items"]] == ["s001"]


def test_a_missing_library_is_a_refusal_with_the_next_step(place: Place) -> None:
    said = f"jezero-hook: {place.library}: is not there; `jezero-hook import` makes it\n"
    for command in (("search", "x"), ("timeline",), ("show", "1")):
        assert place.run(*command) == (1, "", said)
    assert not place.home.exists()
    assert place.run("rebuild") == (1, "", said)
    assert not place.library.exists()


def test_a_config_or_library_that_is_named_must_be_there(golden: Place) -> None:
    gone = golden.user / "gone"
    for option in ("--config", "--library"):
        for command in (("timeline",), ("--dry-run",)):
            done = golden.run(option, gone, *command)
            assert (done.code, done.out) == (1, "")
            assert done.err.startswith(f"jezero-hook: {gone}: is not there")


@pytest.mark.parametrize(
    "content", [b"", b"no library at all, but quite a long text instead of one" * 20, bytes(4096)]
)
def test_what_is_no_library_is_a_refusal_of_one_line(content: bytes, place: Place) -> None:
    place.home.mkdir()
    place.library.write_bytes(content)
    for command in (("search", "word"), ("timeline",), ("show", 1), ("rebuild",)):
        done = place.run(*command)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith(f"jezero-hook: {place.library}: ")
        assert done.err.count("\n") == 1
    assert place.library.read_bytes() == content


def test_a_folder_in_the_librarys_place(place: Place) -> None:
    place.library.mkdir(parents=True)
    for command in (("timeline",), ("import",), ("rebuild",), ("--dry-run",), ("check",)):
        done = place.run(*command)
        assert done.code == 1, command
        assert str(place.library) in done.err + done.out
        assert "Traceback" not in done.err


# --- the model's answers -----------------------------------------------------------------------

KEYS = {"recency_weight": "recency_weight", "recency_half_life_days": "half_life_days"}


def config_text(args: dict[str, Any]) -> str:
    """Return the config that gives a search the model's arguments."""
    lines = [f"  {KEYS[name]}: {value}" for name, value in args.items() if name in KEYS]
    lines[:0] = ["search:"]
    if "allowed_sources" in args:
        lines += ["sources:", f"  allowed: {json.dumps(args['allowed_sources'])}"]
    return "\n".join(lines) + "\n"


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((GOLDEN / name).read_text(encoding="utf-8"))
    return found


SEARCHES = json.loads((GOLDEN / "search.json").read_text(encoding="utf-8"))["cases"]
# A pool below 10 is nothing that a config may ask for.
SEARCHES = [case for case in SEARCHES if "candidate_pool" not in case["args"]]


@pytest.mark.parametrize(
    "case", SEARCHES, ids=lambda case: ascii(f"{case['query'][:20]} {case['args'] or ''}")
)
def test_search_answers_like_the_model(case: dict[str, Any], place: Place) -> None:
    shutil.copy(GOLDEN / "jezero-0.1.0.db", library := place.user / "jezero.db")
    place.write_config(config_text(case["args"]))
    options = [
        f"--{name}={case['args'][name]}"
        for name in ("limit", "project", "source", "since")
        if name in case["args"]
    ]
    answer = place.json(
        "--library", library, "--as-of", NOW, "search", *options, "--", case["query"]
    )
    assert sorted(answer) == ["count", "match", "query", "results"]
    assert (answer["query"], answer["match"]) == (case["query"], case["match"])
    found, right = answer["results"], case["expected"]
    assert [hit["id"] for hit in found] == [hit["id"] for hit in right]
    assert answer["count"] == len(found)
    for hit, wanted in zip(found, right, strict=True):
        assert sorted(hit) == sorted(HIT)
        assert hit["score"] == pytest.approx(wanted["score"], rel=0, abs=1e-9)
        assert hit["relevance"] == pytest.approx(wanted["relevance"], rel=0, abs=1e-9)


def test_limits(place: Place) -> None:
    place.put(*(item(1, "word", external_id=f"x{n}") for n in range(60)))
    seen = 0
    for case in cases("limits.json"):
        limit, tool = case["limit"], case["tool"]
        if tool == "later" or limit is True:  # no command yet; nothing that a shell can say
            continue
        config = {"limit": case.get("default", 10), "max_limit": case.get("max", 50)}
        place.write_config(f"search: {json.dumps(config)}\n")
        argv = [] if limit is None else ["--limit", limit]
        answer = place.json(tool, *(["word"] if tool == "search" else []), *argv)
        assert answer["count"] == case["result"], case
        seen += 1
    assert seen >= 25


def test_the_models_file_is_never_changed(place: Place) -> None:
    shutil.copy(GOLDEN / "jezero-0.1.0.db", library := place.user / "jezero.db")
    for command in (("search", "consent"), ("timeline",), ("show", 1), ("check",)):
        assert place.run("--library", library, *command).code == 0
    assert library.read_bytes() == (GOLDEN / "jezero-0.1.0.db").read_bytes()


def test_timeline_is_newest_first_with_copies_once(golden: Place) -> None:
    answer = golden.json("timeline", "--limit", 50)
    assert sorted(answer) == ["count", "items"]
    times = [found["occurred_at"] for found in answer["items"]]
    assert times == sorted(times, reverse=True)
    ids = {found["id"] for found in answer["items"]}
    assert ids == set(range(1, 18)) - {3}  # 15 is a copy of 3, of the same time and a higher id
    assert all(sorted(found) == sorted(LISTED) for found in answer["items"])


def test_filters(golden: Place) -> None:
    shop = golden.json(
        "timeline",
        "--project",
        "shop",
        "--since",
        "2026-09-10",
        "--until",
        "2026-09-20T11:00:00+02:00",
    )
    assert [found["id"] for found in shop["items"]] == [2]
    source = golden.json("timeline", "--source", "agent-codex-desk")
    assert {found["source"] for found in source["items"]} == {"agent-codex-desk"}
    for nothing in ("--project=Shop", "--project=", "--source=agent-*", "--since=2030-01-01"):
        assert golden.json("timeline", nothing)["items"] == []
        assert golden.json("search", "consent", nothing)["results"] == []


def test_the_config_says_which_sources_may_be_read(golden: Place) -> None:
    golden.write_config("sources:\n  allowed: [agent-codex-*]\n")
    assert {f["source"] for f in golden.json("timeline")["items"]} <= {
        "agent-codex-desk",
        "agent-codex-copy",
    }
    assert golden.run("show", 1).code == 1
    assert golden.json("show", 3)["found"]


# --- show --------------------------------------------------------------------------------------


def test_show_gives_an_item_whole(place: Place) -> None:
    place.put_golden()
    for id_, made in enumerate(golden_items(), 1):
        answer = place.json("show", id_)
        assert sorted(answer) == ["found", "item"]
        found = answer["item"]
        assert found.pop("id") == id_
        assert found.pop("ingested_at")
        right = made._asdict()
        del right["original"]
        right["questions"] = list(made.questions)
        right["atoms"] = [atom._asdict() for atom in made.atoms]
        assert found == right


@pytest.mark.parametrize(
    "id_", ["0", "-1", "18", str(2**31), str(2**63 - 1), str(2**63), str(-(2**63) - 1), "9" * 30]
)
def test_show_of_no_item(id_: str, golden: Place) -> None:
    done = golden.run("show", id_)
    assert (done.code, done.out) == (1, "")
    assert done.err == (f"jezero-hook: there is no item {id_}; `jezero-hook timeline` lists some\n")
    done = golden.run("show", id_, "--json")
    assert (done.code, done.json, done.err) == (1, {"found": False, "item": None}, "")


def test_show_with_the_original(place: Place) -> None:
    place.put(item(1, original="> asked\n\nanswered\n"), item(2))
    assert "original" not in place.json("show", 1)["item"]
    assert place.json("show", 1, "--original")["item"]["original"] == "> asked\n\nanswered\n"
    assert place.json("show", 2, "--original")["item"]["original"] is None
    assert "jezero-hook show 1 --original" in place.run("show", 1).out
    assert "--original" not in place.run("show", 2).out
    assert "> asked\n\nanswered\n" in place.run("show", 1, "--original").out


# --- as of ---------------------------------------------------------------------------------------


def test_as_of_leaves_out_what_occurred_at_that_time_or_later(place: Place) -> None:
    place.put(*(item(n, "banner") for n in (1, 2, 3)))
    assert place.json("timeline", "--as-of", "2026-09-02T10:00:00Z")["count"] == 1
    assert place.json("timeline", "--as-of", "2026-09-02T10:00:00.000001Z")["count"] == 2
    assert place.json("timeline", "--as-of", "2026-09-02T12:00:00+02:00")["count"] == 1
    assert place.json("search", "banner", "--as-of", "2026-09-02T12:00:01+02:00")["count"] == 2
    assert place.json("timeline", "--as-of", "2026-09-03", "--until", "2026-09-02")["count"] == 1
    assert place.json("timeline", "--as-of", "2026-09-02", "--until", "2026-09-04")["count"] == 1
    assert place.run("show", 2, "--as-of", "2026-09-02").code == 1
    assert place.run("show", 1, "--as-of", "2026-09-02").code == 0


def test_as_of_ages_count_from_that_time(place: Place) -> None:
    place.put(item(1, "banner"), *(item(1, "soup", external_id=f"x{n}") for n in range(5)))
    scores = []
    for as_of in ("2026-09-01T10:00:01Z", "2026-11-30T10:00:00Z", "2126-09-01"):
        (hit,) = place.json("search", "banner", "--as-of", as_of)["results"]
        scores.append(hit["score"] / hit["relevance"])
    # Now, one half-life of 90 days later, and when only what does not age is left.
    assert scores == pytest.approx([1.0, 0.7 + 0.3 / 2, 0.7], abs=1e-6)


# --- streams -----------------------------------------------------------------------------------

FOREIGN = "«Ñandú» 東京 naïve — 🦙"


@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONIOENCODING": "cp932"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "C"},
    ],
    ids=str,
)
def test_an_old_terminal(variables: dict[str, str], place: Place) -> None:
    place.put(item(1, FOREIGN, summary=FOREIGN * 3, questions=(FOREIGN,), project="東京"))
    assert place.process("show", "1", **variables)[::2] == (0, "")
    for command, key in (("timeline", "items"), ("search naïve", "results")):
        done = place.process("--json", *command.split(), **variables)
        assert (done.code, done.err) == (0, ""), command
        (found,) = done.json[key]
        assert (found["title"], found["project"]) == (FOREIGN, "東京")


def test_a_word_of_another_encoding_than_ours(place: Place) -> None:
    place.put(item(1, "año nuevo"))
    for word in (b"\xff\xf1\xed\xa0\x80 nuevo", "año nuevo".encode()):
        for argv in (
            ["search", word],
            ["search", "nuevo", b"--project=" + word],
            ["timeline", b"--source=" + word],
            ["--dry-run", b"--prompt=" + word],
        ):
            ended = subprocess.run(
                [*PROGRAM, "--json", *argv],
                env=place.variables(),
                capture_output=True,
                timeout=60,
                check=False,
            )
            assert (ended.returncode, ended.stderr) == (0, b""), argv
            answer = json.loads(ended.stdout)
            assert (answer.get("count") == 1) is (argv[1] == word)


@pytest.mark.parametrize(
    "argv",
    [
        ("--json", "timeline"),
        ("timeline",),
        ("search", "word"),
        ("show", "1"),
        ("check",),
        ("--help",),
        ("--version",),
    ],
)
def test_a_reader_that_has_seen_enough(argv: tuple[str, ...], place: Place) -> None:
    place.put(*(item(1, f"word {n} " + "x" * 200, external_id=f"x{n}") for n in range(50)))
    reading, writing = os.pipe()
    os.close(reading)  # as `| head` when it has gone
    try:
        ended = subprocess.run(
            [*PROGRAM, *argv],
            env=place.variables(),
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_what_is_stored_cannot_steer_a_terminal(place: Place) -> None:
    wild = "a\x1b[31mred\x07 \u202eright\r\nnext [bold]markup[/bold] :smile: \x9b2J"
    place.put(item(1, wild, summary=wild, questions=(wild,), project=wild, original=wild))
    for command in (("timeline",), ("search", "red"), ("show", 1, "--original")):
        out = place.run(*command).out
        assert not set(out) & set("\x1b\x07\r\u202e\x9b"), command
        assert "[bold]markup[/bold] :smile:" in out
    assert place.json("show", 1)["item"]["title"] == wild


def test_no_line_is_broken_where_the_output_is_no_terminal(place: Place) -> None:
    long = "word " * 100
    place.put(item(1, long.strip()))
    out = place.run("search", "word").out
    assert long.strip() in out


def test_nothing_found_is_said_and_is_no_fault(golden: Place) -> None:
    assert golden.run("search", "zzzzzz") == (0, "Nothing found.\n", "")
    done = golden.run("search", "ab", "x")
    assert (done.code, done.err) == (0, "")
    assert "3 characters" in done.out
    answer = golden.json("search", "ab")
    assert answer == {"query": "ab", "match": None, "count": 0, "results": []}
    assert golden.run("timeline", "--project", "none") == (0, "No items.\n", "")


def test_several_words_are_one_query(golden: Place) -> None:
    words = golden.json("search", "consent", "banner")
    assert words["match"] == '"consent" OR "banner"'
    assert golden.json("search", "consent banner")["match"] == words["match"]
    assert golden.json("search", '"consent banner"')["match"] == '"consent banner"'


# --- faults of ours --------------------------------------------------------------------------


def test_a_fault_of_ours_is_3_and_says_so(place: Place) -> None:
    code = (
        "import sys, jezero_hooks.answers as answers\n"
        "def timeline(call): raise ZeroDivisionError('ours')\n"
        "answers.timeline = timeline\n"
        "from jezero_hooks.cli import main\n"
        "sys.exit(main(['timeline']))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=place.variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "ZeroDivisionError: ours" in ended.stderr
    assert "a fault of ours" in ended.stderr.splitlines()[-1]


def test_interrupted_is_130(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(call: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("jezero_hooks.answers.timeline", interrupted)
    assert place.run("timeline") == (130, "", "jezero-hook: interrupted\n")


def test_the_hooks_are_commands_too(place: Place) -> None:
    place.put(item(1, "Consent banner fails on checkout", project="orion"))
    (place.home / "import.stamp").touch()  # none is due: it would outlive the test
    payload = {
        "session_id": "s",
        "cwd": str(place.folder),
        "source": "startup",
        "prompt": "the consent banner fails",
    }
    for name in ("session-start", "first-prompt", "session-end"):
        ended = subprocess.run(
            [*PROGRAM, name],
            input=json.dumps(payload).encode(),
            cwd=place.folder,
            env=place.variables(),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert (ended.returncode, ended.stderr) == (0, b"")
        text = (
            json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"]
            if (ended.stdout)
            else ""
        )
        assert ("[1] 2026-09-01 Consent banner" in text) is (name != "session-end")


# --- times -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("2026-09-10", "2026-09-10T00:00:00+00:00"),
        (" 2026-09-10 ", "2026-09-10T00:00:00+00:00"),
        ("20260910", "2026-09-10T00:00:00+00:00"),
        ("2026-09-10T08:30", "2026-09-10T08:30:00+00:00"),
        ("2026-09-10 08:30:15", "2026-09-10T08:30:15+00:00"),
        ("2026-09-10T08:30:00Z", "2026-09-10T08:30:00+00:00"),
        ("2026-09-10T08:30:00+02:00", "2026-09-10T06:30:00+00:00"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00+00:00"),
        ("2026-09-10T08:30:00.123Z", "2026-09-10T08:30:00.123000+00:00"),
        ("2026-09-10T08:30:00.123456-05:30", "2026-09-10T14:00:00.123456+00:00"),
        ("0001-01-01", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31T23:59:59", "9999-12-31T23:59:59+00:00"),
    ],
)
def test_utc_iso(text: str, right: str) -> None:
    assert utc_iso(text) == right
    assert utc_iso(right) == right


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "now",
        "10.9.2026",
        "2026-02-30",
        "2026-09-10T25:00",
        "1757491200",
        "2026-09-10T08:30:00 CET",
        "2026-9-1",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
    ],
)
def test_utc_iso_refuses_what_is_no_time(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the text is for the caller to say)
        utc_iso(text)


def test_unix_s() -> None:
    assert unix_s("1970-01-02T00:00:00+00:00") == 86_400
    assert unix_s("2026-09-10T08:30:00.5+02:00") == 1_789_021_800.5


def test_main_takes_the_processs_own_arguments(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["jezero-hook", "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert __version__ in capsys.readouterr().out


def test_the_script_of_the_distribution_is_this_program() -> None:
    assert 'jezero-hook = "jezero_hooks.cli:main"' in (ROOT / "pyproject.toml").read_text()
