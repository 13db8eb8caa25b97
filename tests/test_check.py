"""check: each line is well, or says what is wrong and what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import apsw

from jezero_hooks import __version__
from tests.commands import Place, item, without_root

SUBJECTS = [
    "config",
    "stop lists",
    "home",
    "library",
    "environment",
    "launcher",
    "transcripts",
    "hooks",
]


def wrong(place: Place, *argv: object) -> dict[str, str]:
    """Return what the check finds wrong, by subject; exit code and the two forms must agree."""
    done = place.run("--json", *argv, "check")
    findings = done.json["findings"]
    found = {f["subject"]: f["text"] for f in findings if not f["ok"]}
    assert done.json["ok"] is not bool(found)
    assert (done.code, done.err) == (int(bool(found)), "")
    lines = place.run(*argv, "check").out.splitlines()
    assert [line[:5].strip() for line in lines] == ["ok" if f["ok"] else "wrong" for f in findings]
    assert all(sorted(f) == ["ok", "subject", "text"] for f in findings)
    return found


def test_a_new_home_is_well(place: Place) -> None:
    assert wrong(place) == {}
    answer = place.json("check")
    assert [f["subject"] for f in answer["findings"]] == SUBJECTS
    texts = {f["subject"]: f["text"] for f in answer["findings"]}
    assert f"{place.config} is not there; the defaults hold" == texts["config"]
    assert f"{place.home} is not there yet" in texts["home"]
    assert f"{place.library} is not there yet; `jezero-hook import` makes it" == texts["library"]
    assert __version__ in texts["environment"]
    assert "SQLite 3." in texts["environment"]
    assert texts["hooks"] == "no fault noted"
    assert not place.home.exists()


def test_a_home_in_use_is_well(place: Place) -> None:
    place.put(item(1), item(2))
    place.write_config("search:\n  limit: 5\n")
    place.projects.mkdir(parents=True)
    assert wrong(place) == {}
    texts = {f["subject"]: f["text"] for f in place.json("check")["findings"]}
    assert texts["library"] == f"{place.library}, 2 items, trigram remove_diacritics 1"
    assert (texts["config"], texts["home"]) == (str(place.config), str(place.home))
    assert texts["transcripts"] == str(place.projects)


def test_each_fault_of_the_config_has_its_line(place: Place) -> None:
    place.write_config("serach: {}\nsearch:\n  limit: 0\n")
    done = place.run("check")
    assert done.code == 1
    told = [line for line in done.out.splitlines() if line.startswith("wrong")]
    assert len(told) == 2
    assert f"{place.config}:1: serach: unknown key; there are storage, search" in told[0]
    assert f"{place.config}:3: search.limit: must be a whole number from 1 to 5,000" in told[1]


def test_a_config_that_is_named_must_be_there(place: Place) -> None:
    assert wrong(place, "--config", place.user / "gone") == {
        "config": f"{place.user / 'gone'} is not there"
    }


def test_a_library_that_is_none(place: Place) -> None:
    place.home.mkdir(mode=0o700)
    place.library.write_text("no library, only a text of a few words\n" * 50)
    assert "is not a library" in wrong(place)["library"]


def test_a_damaged_library(place: Place) -> None:
    place.put(*(item(1, f"word {n} " * 50, external_id=f"x{n}") for n in range(200)))
    with place.library.open("r+b") as file:
        file.seek(20 * 4096)
        file.write(os.urandom(4096 * 20))
    assert "damaged" in wrong(place)["library"]


def test_an_item_that_is_not_indexed(place: Place) -> None:
    place.put(item(1), item(2))
    connection = apsw.Connection(str(place.library))
    connection.execute("DELETE FROM items_fts WHERE rowid = 1")
    connection.close()
    assert wrong(place)["library"] == (
        f"{place.library}: 1 of 2 items are indexed; run `jezero-hook rebuild`"
    )
    assert place.json("rebuild") == {
        "items": 2,
        "damaged": None,
        "documents": 0,
        "tokenizer": "trigram remove_diacritics 1",
        "next_step": None,
    }
    assert wrong(place) == {}


def test_a_tokenizer_that_the_config_does_not_ask_for(place: Place) -> None:
    place.put(item(1, "straße"))
    place.write_config("storage:\n  tokenizer: unicode61\n")
    said = wrong(place)["library"]
    assert "'trigram remove_diacritics 1'" in said
    assert "'unicode61'" in said
    assert "jezero-hook rebuild" in said
    assert place.run("import").code == 1
    assert place.json("rebuild")["tokenizer"] == "unicode61"
    assert wrong(place) == {}
    assert place.run("import").code == 0


def test_a_stop_list_that_is_not_there(place: Place) -> None:
    place.write_config("first_prompt:\n  stop_lists: [en, fr]\n")
    said = wrong(place)
    assert list(said) == ["stop lists"]
    assert "fr" in said["stop lists"]


def test_a_home_that_others_can_read(place: Place) -> None:
    place.home.mkdir(mode=0o755)
    place.home.chmod(0o755)
    said = wrong(place)
    assert said == {"home": f"{place.home} can be read by others; run: chmod 700 {place.home}"}
    subprocess.run(said["home"].split("run: ")[1].split(), check=True)
    assert wrong(place) == {}


def test_a_file_in_the_homes_place(place: Place) -> None:
    place.home.write_text("")
    said = wrong(place)
    assert said["home"] == f"{place.home} is no folder; move it away"


def test_a_home_that_may_not_be_written(place: Place) -> None:
    before = without_root()
    place.put(item(1))
    place.home.chmod(0o500)
    try:
        ended = subprocess.run(
            [
                *before,
                sys.executable,
                "-c",
                "import jezero_hooks.cli as c; exit(c.main(['check']))",
            ],
            env=place.variables(),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        place.home.chmod(0o700)
    assert (ended.returncode, ended.stderr) == (1, "")
    told = [line for line in ended.stdout.splitlines() if line.startswith("wrong")]
    assert told == [f"wrong  home        {place.home} may not be written; check its rights"]


def test_what_the_hooks_noted_lately(place: Place) -> None:
    place.home.mkdir(mode=0o700)
    log = place.home / "hooks.log"
    log.write_text(
        "".join(f"2026-09-0{n}T10:00:00+00:00 first-prompt: fault {n}\n" for n in range(1, 6))
    )
    said = wrong(place)
    assert list(said) == ["hooks"]
    assert str(log) in said["hooks"]
    assert [f"fault {n}" in said["hooks"] for n in range(1, 6)] == [False, False, True, True, True]
    week = time.time() - 8 * 86_400
    os.utime(log, (week, week))
    assert wrong(place) == {}


def test_a_log_of_bytes_that_are_no_text(place: Place) -> None:
    place.home.mkdir(mode=0o700)
    (place.home / "hooks.log").write_bytes(b"\xff\xfe\x1b[2J\x00 fault\n")
    out = place.run("check").out
    assert "fault" in out
    assert not set(out) & set("\x1b\x00")


def test_the_check_changes_nothing(place: Place) -> None:
    place.put(item(1))
    place.write_config("search:\n  limit: 5\n")
    before = {p.name: p.read_bytes() for p in place.home.iterdir()}
    wrong(place)
    after = {p.name: p.read_bytes() for p in place.home.iterdir()}
    assert {n: b for n, b in after.items() if not n.endswith(("-wal", "-shm"))} == before


def test_a_locked_library_is_told_as_that(place: Place) -> None:
    place.put(item(1))
    holder = apsw.Connection(str(place.library))
    for statement in ("PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"):
        holder.execute(statement).fetchall()
    try:
        assert "holds the library locked" in wrong(place)["library"]
    finally:
        holder.close()


def test_a_library_that_an_import_is_writing_to_is_well(place: Place) -> None:
    place.put(item(1))
    holder = apsw.Connection(str(place.library))
    holder.execute("BEGIN IMMEDIATE")
    try:
        began = time.monotonic()
        done = place.run("check")
        assert time.monotonic() - began < 10
        assert done.code == 0, done.out
    finally:
        holder.close()
