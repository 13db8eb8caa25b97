"""forget: the command, and what no later import brings back; import.exclude; <private>."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any

import apsw
import pytest

from jezero_hooks.importers.exclude import excluding, nothing_excluded
from tests.commands import PROGRAM, Place, item

SECRET = "qzxwvkj"
PUBLIC = "why does the lighthouse turn at night"
PRIVATE = f"why does the {SECRET} engine stall on start"


def ids(place: Place) -> dict[str, int]:
    items = place.json("timeline", "--limit", 50)["items"] if place.library.exists() else []
    return {item["external_id"]: item["id"] for item in items}


def counts(place: Place, *argv: object) -> dict[str, int]:
    """Import; return the counts that are not zero."""
    report = place.json("import", *argv)
    return {name: count for name, count in report.items() if count}


def bytes_of_home(place: Place) -> bytes:
    return b"".join(p.read_bytes() for p in sorted(place.home.rglob("*")) if p.is_file()).lower()


def append(path: Path, session: str, prompt: str, *, at: str, uuid: str, cwd: str = "/w") -> None:
    """Add a prompt to a transcript; its time tells whether it is a new segment."""
    record = {
        "type": "user", "uuid": uuid, "timestamp": at, "sessionId": session, "cwd": cwd,
        "isSidechain": False, "message": {"role": "user", "content": prompt},
    }  # fmt: skip
    with path.open("a") as file:
        file.write(json.dumps(record) + "\n")


def history(place: Place, *asked: tuple[str, str, str]) -> None:
    """Write the client's prompt history: session, folder, prompt."""
    lines = [
        json.dumps(
            {"display": prompt, "timestamp": 1_788_000_000_000 + n, "project": folder,
             "sessionId": session}
        )
        for n, (session, folder, prompt) in enumerate(asked)
    ]  # fmt: skip
    place.client.mkdir(exist_ok=True)
    (place.client / "history.jsonl").write_text("".join(line + "\n" for line in lines))


# --- the command -----------------------------------------------------------------------------


def test_a_forgotten_session_leaves_no_byte_and_does_not_come_back(place: Place) -> None:
    kept, _ = place.session(1, PUBLIC)
    session, path = place.session(2, PRIVATE, folder=f"/w/{SECRET}")
    history(place, (session, "/w", PRIVATE))
    assert counts(place) == {"inserted": 2}
    assert SECRET.encode() in bytes_of_home(place)
    shown = place.json("forget", ids(place)[session], "--dry-run")
    assert [shown["removed"], shown["dry_run"]] == [0, True]
    assert [item["external_id"] for item in shown["items"]] == [session]
    assert PRIVATE in shown["items"][0]["title"]
    assert len(ids(place)) == 2

    done = place.json("forget", ids(place)[session], "--yes")
    assert done["removed"] == 1
    assert [item["external_id"] for item in done["items"]] == [session]
    assert list(ids(place)) == [kept]
    for _ in range(2):
        left = bytes_of_home(place)
        assert SECRET.encode() not in left
        assert session.encode() not in left
        assert kept.encode() in left
        assert counts(place) == {"unchanged": 1, "left_out": 1}
    append(path, session, f"more on the {SECRET}", at="2026-09-01T10:30:00Z", uuid="new-1")
    append(path, session, f"next day the {SECRET}", at="2026-09-03T10:30:00Z", uuid="new-2")
    assert counts(place) == {"unchanged": 1, "left_out": 1}
    assert counts(place, path) == {"left_out": 1}
    path.unlink()
    history(place, (session, "/w", PRIVATE), (session, "/w", f"{SECRET} again"))
    assert counts(place) == {"unchanged": 1, "left_out": 1}
    assert SECRET.encode() not in bytes_of_home(place)
    assert place.json("check")["ok"]


def test_again_is_well(place: Place) -> None:
    place.put(item(1), item(2))
    assert place.json("forget", 1, "--yes")["removed"] == 1
    again = place.json("forget", 1, "--yes")
    assert (again["removed"], again["missing"]) == (0, [1])
    done = place.run("forget", 1, 2**70, -1, "--yes")
    assert done.code == 0
    assert f"there is no item {2**70}" in done.out


def test_what_is_not_given_is_not_forgotten(place: Place) -> None:
    place.put(item(1, project="orion"), item(2, project="lyra"), item(3, source="codex"))
    for argv, fault in (
        (("forget", "--yes"), "name what to forget"),
        (("forget", "--project", "", "--yes"), "take a name"),
        (("forget", "--before", "soon", "--yes"), "--before soon"),
        (("forget", 1), "--yes"),
        (("forget", 1, "--json"), "--yes"),
        (("forget", 1, "--yes", "--as-of", "2026-01-01"), "--before TIME"),
        (("--dry-run", "forget", 1), "stands alone"),
    ):
        done = place.run(*argv)
        assert (done.code, fault in done.err) == (2, True), done
    assert len(ids(place)) == 3
    assert place.json("forget", "--project", "orion", "--source", "codex", "--yes")["removed"] == 0
    assert place.json("forget", "--project", "orion", "--yes")["removed"] == 1
    assert place.json("forget", "--before", "2026-09-03", "--yes")["removed"] == 1
    assert list(ids(place)) == ["t3"]


def test_there_is_no_library(place: Place) -> None:
    done = place.run("forget", 1, "--yes")
    assert (done.code, "is not there" in done.err) == (1, True)
    assert not place.library.exists()


@pytest.mark.parametrize("answer", ["y", "n", ""])
def test_a_person_is_asked(place: Place, answer: str) -> None:
    place.put(*(item(n, f"Title {n}") for n in range(1, 29)))
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "forget", "--source", "test"], env=place.variables(), cwd=place.folder,
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        out, err = process.communicate(timeout=30)
    os.close(ours)
    assert "[20] " in out
    assert "[21] " not in out
    assert "8 more" in out
    assert "Forget 28 items for good?" in out
    if answer == "y":
        assert (process.returncode, "28 items removed" in out) == (0, True)
        assert ids(place) == {}
    else:
        assert (process.returncode, "nothing was removed" in err) == (1, True)
        assert len(ids(place)) == 28


def test_old_copies_are_named(place: Place) -> None:
    place.put(item(1))
    copy = place.home / "library.db.damaged-20260901"
    copy.write_bytes(b"")
    assert place.json("forget", 1, "--yes")["old_copies"] == [str(copy)]
    assert str(copy) in place.run("forget", 1, "--yes").out.replace("\n", "")


def test_another_tokenizer_and_a_faulty_config_are_no_obstacle(place: Place) -> None:
    place.put(item(1))
    place.write_config("storage:\n  tokenizer: porter unicode61\nnonsense: 1\n")
    done = place.run("forget", 1, "--yes")
    assert (done.code, done.err) == (0, "")


# --- parts, forks, history, items ------------------------------------------------------------


def test_a_segment_alone(place: Place) -> None:
    session, path = place.session(1, PRIVATE)
    append(path, session, f"{SECRET} again", at="2026-09-01T10:30:00Z", uuid="p1")
    append(path, session, PUBLIC, at="2026-09-02T10:00:00Z", uuid="p2")
    append(path, session, f"also {PUBLIC}", at="2026-09-03T10:00:00Z", uuid="p3")
    assert counts(place) == {"inserted": 3}
    assert list(ids(place)) == [f"{session}#4", f"{session}#3", session]
    place.json("forget", ids(place)[session], "--yes")
    append(path, session, "and on it goes", at="2026-09-03T10:01:00Z", uuid="p4")
    append(path, session, "a new part comes", at="2026-09-05T10:01:00Z", uuid="p5")
    assert counts(place) == {"inserted": 1, "updated": 1, "unchanged": 1}
    assert set(ids(place)) == {f"{session}#{line}" for line in (3, 4, 6)}
    # Cut elsewhere, its prompts stay out all the same.
    place.write_config("import:\n  idle_hours: 0.2\n")
    path.touch()
    counts(place)
    assert set(ids(place)) == {f"{session}#{line}" for line in (3, 4, 6)}
    everything = json.dumps([place.json("show", n, "--original") for n in ids(place).values()])
    assert PUBLIC in everything
    assert SECRET not in everything
    path.unlink()
    history(place, (session, "/w", PRIVATE))
    place.json("forget", "--session", session, "--before", "2027-01-01", "--yes")
    assert counts(place) == {"left_out": 1}
    assert SECRET.encode() not in bytes_of_home(place)


def test_an_old_session_that_goes_on_is_imported(place: Place) -> None:
    session, path = place.session(1, PRIVATE)
    counts(place)
    place.json("forget", "--before", "2026-10-01", "--yes")
    append(path, session, "still the same day", at="2026-09-01T11:00:00Z", uuid="p2")
    assert counts(place) == {}
    append(path, session, PUBLIC, at="2026-11-01T10:00:00Z", uuid="p3")
    assert counts(place) == {"inserted": 1}
    assert list(ids(place)) == [f"{session}#3"]


def test_a_fork_does_not_bring_it_back(place: Place) -> None:
    session, path = place.session(1, PRIVATE)
    counts(place)
    place.json("forget", "--session", session, "--yes")
    fork, forked = place.session(2)
    lines = path.read_text().replace(session, fork)
    forked.write_text(lines)
    append(forked, fork, PUBLIC, at="2026-09-01T10:30:00Z", uuid="p2")
    assert counts(place) == {"inserted": 1, "left_out": 1}
    assert list(ids(place)) == [fork]
    assert SECRET.encode() not in bytes_of_home(place)


def test_a_session_that_was_never_imported(place: Place) -> None:
    kept, _ = place.session(1, PUBLIC)
    counts(place)
    session, _ = place.session(2, PRIVATE)
    done = place.run("forget", "--session", session, "--yes")
    assert (done.code, f"{session} will not be imported" in done.out) == (0, True)
    assert counts(place) == {"unchanged": 1, "left_out": 1}
    assert list(ids(place)) == [kept]


def test_thin_items(place: Place) -> None:
    history(place, ("one", "/w", PRIVATE), ("two", "/w", PUBLIC), ("three", "/w", PRIVATE))
    assert counts(place) == {"inserted": 3}
    place.json("forget", ids(place)["one"], "--yes")
    place.json("forget", ids(place)["three"], "--before", "2027-01-01", "--yes")
    history(place, ("one", "/w", PRIVATE), ("two", "/w", PUBLIC), ("three", "/w", PRIVATE),
            ("four", "/w", PUBLIC))  # fmt: skip
    assert counts(place) == {"inserted": 1, "unchanged": 1, "left_out": 2}
    assert set(ids(place)) == {"two", "four"}


def test_ready_made_items(place: Place) -> None:
    lines = [
        {"external_id": f"repo#{n}", "occurred_at": "2026-09-01", "title": f"Title {n}"}
        for n in (1, 2)
    ]
    file = place.user / "items.jsonl"
    file.write_text(json.dumps(lines[0]))
    assert counts(place, "--items", file, "--source", "notes") == {"inserted": 1}
    place.json("forget", ids(place)["repo#1"], "--yes")
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert counts(place, "--items", file, "--source", "notes") == {"inserted": 1, "left_out": 1}
    assert list(ids(place)) == ["repo#2"], "another item, though its id looks like a segment's"
    assert counts(place, "--items", file, "--source", "others") == {"inserted": 2}


def test_prompts_without_a_uuid(place: Place) -> None:
    session, path = place.session(1)
    records = ({"type": "user", "timestamp": "2026-09-01T10:00:00Z", "sessionId": session,
                "message": {"role": "user", "content": PRIVATE}},)  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    append(path, session, PUBLIC, at="2026-09-03T10:00:00Z", uuid="p2")
    counts(place)
    place.json("forget", ids(place)[session], "--yes")
    path.touch()
    counts(place)
    assert list(ids(place)) == [f"{session}#1"]


def test_a_thin_item_does_not_bring_back_a_part(place: Place) -> None:
    session, path = place.session(1)
    append(path, session, "ok", at="2026-09-01T10:00:00Z", uuid="p1")
    append(path, session, PRIVATE, at="2026-09-03T10:00:00Z", uuid="p2")
    counts(place)
    assert list(ids(place)) == [f"{session}#1"]
    place.json("forget", "--before", "2026-10-01", "--yes")
    path.unlink()
    history(place, (session, "/w", "ok"), (session, "/w", PRIVATE))
    assert counts(place) == {"left_out": 1}


def test_what_is_left_out_is_not_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    session, _ = place.session(1, PRIVATE)
    place.session(2, PRIVATE, folder="/w/acme")
    place.write_config("import:\n  exclude: [/w/acme]\n")
    counts(place)
    place.json("forget", "--session", session, "--yes")
    monkeypatch.delattr("jezero_hooks.importers.run.read_session")
    assert counts(place) == {"left_out": 2}


# --- import.exclude --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("/w/acme", "/w/acme", True),
        ("/w/acme", "/w/acme/src/deep", True),
        ("/w/acme/", "/w/acme", True),
        ("/w/acme", "/w/acme-two", False),
        ("/w/acme", "/w", False),
        ("/w/acme", "/w/other/../acme", True),
        ("/w/acme", "/x/w/acme", False),
        ("~/acme", "/home/ana/acme/x", True),
        ("~/acme", "/home/bob/acme/x", False),
        ("~", "/home/ana/x", True),
        ("/w/*/secret", "/w/a/b/secret/c", True),
        ("/w/private-*", "/w/private-1/x", True),
        ("/w/private-?", "/w/private-12", False),
        ("scratch", "/w/scratch/x", True),
        ("scratch", "/scratch", True),
        ("scratch", "/w/my-scratch", False),
        ("*.tmp", "/w/a.tmp/x", True),
        ("/w/Acme", "/w/acme", False),
        ("/w/caf\u00e9", "/w/cafe\u0301/x", True),
        ("/w/[ab]", "/w/b", True),
        ("/", "/anything", True),
    ],
)
def test_what_a_pattern_means(pattern: str, path: str, expected: bool) -> None:
    assert excluding([pattern], "/home/ana")(path) is expected
    assert excluding(["/other", pattern], "/home/ana")(path) is expected


def test_without_patterns_nothing_is_looked_at() -> None:
    assert excluding([], "/home/ana") is nothing_excluded


def test_excluded_sessions_are_not_imported(place: Place) -> None:
    kept, kept_path = place.session(1, PUBLIC)
    place.session(2, PRIVATE, folder="/w/acme/src")
    moved, path = place.session(3, PUBLIC)
    append(path, moved, PRIVATE, at="2026-09-01T10:30:00Z", uuid="p2", cwd="/w/acme")
    place.session(4, PRIVATE, folder="/w/by-path")
    history(
        place,
        ("h1", "/w/acme", PRIVATE),
        ("h2", "/w/orion", PUBLIC),
        ("h3", "/w/orion", PUBLIC),
        ("h3", "/w/acme/x", PRIVATE),
    )
    place.write_config('import:\n  exclude: [/w/acme, "*/projects/-w-by-path"]\n')
    for _ in range(2):
        counts(place)
        assert set(ids(place)) == {kept, "h2"}
        assert SECRET.encode() not in bytes_of_home(place)
        assert b"acme" not in place.library.read_bytes()
    assert counts(place)["left_out"] == 3
    findings = place.json("check")["findings"]
    (found,) = [finding for finding in findings if finding["subject"] == "import"]
    assert found["text"].startswith("2 patterns")
    place.write_config("import:\n  exclude: []\n")
    counts(place)
    assert len(ids(place)) > 2, "the patterns gone, they are imported"
    assert kept_path.exists()


def test_a_dry_run_without_a_library_leaves_them_out(place: Place) -> None:
    place.session(1, PUBLIC)
    place.session(2, PRIVATE, folder="/w/acme")
    asked = ("--dry-run", "--prompt", f"the {SECRET} engine stall")
    assert len(place.json(*asked)["first_prompt"]["shown"]) == 1
    place.write_config("import:\n  exclude: /w/acme\n")
    assert place.json(*asked)["first_prompt"]["shown"] == []


# --- <private> -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [
        f"<private>{SECRET}</private>",
        f"<private>\n{SECRET}\n\n{SECRET}\n</private>",
        f"<PRIVATE>{SECRET}</Private>",
        f"<private>a<private>{SECRET}</private>{SECRET}</private>",
        f"<private >{SECRET}</private >",
        f"<private>{SECRET}</private> and <private>{SECRET}</private>",
        f"<private>{SECRET} for ever",
        f"<private>a</private><private>{SECRET}",
    ],
)
def test_what_is_private_reaches_no_field(place: Place, block: str) -> None:
    session, path = place.session(1, f"why does the lighthouse turn {block}")
    append(path, session, f"{block}", at="2026-09-01T10:30:00Z", uuid="p2")
    history(place, ("h1", "/w", f"why does the lighthouse turn {block}"))
    counts(place)
    assert set(ids(place)) == {session, "h1"}
    assert SECRET.encode() not in bytes_of_home(place)
    with apsw.Connection(str(place.library)) as db:
        rows: list[Any] = db.execute("SELECT title, original FROM items").fetchall()
    assert all("lighthouse" in title for title, _ in rows)
    assert not any("private" in str(row).lower() for row in rows)
