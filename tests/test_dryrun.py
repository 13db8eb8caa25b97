"""--dry-run: to the byte what the hooks would inject, and it writes nothing."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from jezero_hooks.library.writer import Writer
from tests.commands import GOLDEN, TRANSCRIPTS, Place, item

PROMPTS = (
    "why does the consent banner fail on checkout again",
    "¿por qué falla el aviso de cookies en la página de pago?",
    "/review the consent banner of the checkout",
    "/etc/consent banner checkout",
    "/clear",
    "ok",
    "",
    "  \n ",
    "<task-notification>the consent banner</task-notification>",
    "please help me",
    "zzz yyy xxx www",
    'the "consent banner" -- OR NEAR(checkout) * ^ title:consent',
    "consent " * 2_000 + "banner",
    "\u202econsent\x07 banner\x1b[31m",
)
TOP = ["first_prompt", "library", "project", "project_rule", "session_start"]
SEARCHED = ["chance", "external_id", "id", "kept", "matched", "relevance", "score", "title", "why"]


def put_past(place: Place) -> None:
    place.put(
        item(1, "Consent banner fails on checkout", summary="test:consent broke", project="orion"),
        item(2, "Weekly menu", summary="Soup and bread", project="orion"),
        item(3, "Aviso de cookies en la página de pago", summary="Falla el aviso.", project="web"),
        item(4, "A <b>tag</b>\nand a line", summary="\x1b[31mred", project="orion"),
        item(5, "Consent checkout " + "long " * 100, summary="banner", project="orion"),
        item(6, "The banner of the consent", summary="checkout", project=None),
        item(7, "Consent banner", summary="once more", project="atlas"),
    )


def listing(*folders: Path) -> dict[str, tuple[int, int, int]]:
    """Return every path below the folders with its mode, size and time."""
    found = [path for folder in folders for path in (folder, *folder.rglob("*"))]
    status = {str(path): path.lstat() for path in found if os.path.lexists(path)}
    return {path: (s.st_mode, s.st_size, s.st_mtime_ns) for path, s in status.items()}


def everything(place: Place) -> dict[str, tuple[int, int, int]]:
    return listing(place.user.parent)


# --- equal to the hooks ------------------------------------------------------------------------


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda text: ascii(text[:20]))
def test_the_first_prompt_is_the_hooks_to_the_byte(prompt: str, place: Place) -> None:
    put_past(place)
    shown = place.json("--dry-run", "--prompt", prompt)["first_prompt"]
    payload = {"session_id": "s-1", "cwd": str(place.folder), "prompt": prompt}
    text = place.hook("first_prompt", payload)
    assert shown["text"] == text
    assert (shown["reason"] is None) is bool(text)
    assert shown["prompt"] == prompt


def test_some_of_these_prompts_are_answered_and_some_not(place: Place) -> None:
    put_past(place)
    answered = [
        bool(place.json("--dry-run", "--prompt", p)["first_prompt"]["text"]) for p in PROMPTS
    ]
    assert answered == [
        True,
        True,
        True,
        True,
        False,
        False,
        False,
        False,
        False,
        False,
        False,
        True,
        True,
        True,
    ]


CONFIGS = (
    "",
    "session_start:\n  items: 2\n  protocol: false\n",
    "first_prompt:\n  lines: 1\n  evidence_words: 3\n",
    "hooks:\n  block_chars: 1000\n  title_chars: 20\n",
    "sources:\n  allowed: [none]\n",
    "projects:\n  aliases:\n    orion: atlas\n",
    "search:\n  recency_weight: 1\n  half_life_days: 1\n",
    "first_prompt:\n  stop_words: [consent, banner]\n",
)


@pytest.mark.parametrize("config", CONFIGS)
def test_both_blocks_are_the_hooks_with_any_config(config: str, place: Place) -> None:
    put_past(place)
    place.write_config(config)
    shown = place.json("--dry-run", "--prompt", PROMPTS[0])
    payload = {
        "session_id": "s-1",
        "cwd": str(place.folder),
        "source": "startup",
        "prompt": PROMPTS[0],
    }
    assert shown["session_start"]["text"] == place.hook("session_start", payload)
    assert shown["first_prompt"]["text"] == place.hook("first_prompt", payload)


@pytest.mark.parametrize("folder", ["orion", "orion/src", ".", "../../elsewhere", "/"])
def test_the_folder_is_the_sessions(folder: str, place: Place) -> None:
    put_past(place)
    cwd = os.path.abspath(place.user / "code" / folder)
    shown = place.json("--dry-run", "--cwd", cwd)
    text = place.hook("session_start", {"session_id": "s", "cwd": cwd, "source": "startup"})
    assert shown["session_start"]["text"] == text
    assert shown["project"] == ("orion" if folder.startswith("orion") else shown["project"])


def test_the_clients_own_project_folder_comes_before_the_working_one(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_past(place)
    atlas = str(place.user / "code" / "atlas")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", atlas)
    shown = place.json("--dry-run")
    text = place.hook(
        "session_start", {"session_id": "s", "cwd": str(place.folder)}, CLAUDE_PROJECT_DIR=atlas
    )
    assert shown["project"] == "atlas"
    assert shown["session_start"]["text"] == text
    assert place.json("--dry-run", "--cwd", place.folder)["project"] == "orion"


def test_the_models_file(place: Place) -> None:
    place.home.mkdir(mode=0o700)
    shutil.copy(GOLDEN / "jezero-0.1.0.db", place.library)
    place.library.chmod(0o600)
    prompt = "does the consent banner gate the analytics script?"
    shown = place.json("--dry-run", "--cwd", "/w/shop", "--prompt", prompt)
    payload = {"session_id": "s", "cwd": "/w/shop", "source": "startup", "prompt": prompt}
    assert shown["session_start"]["text"] == place.hook("session_start", payload) != ""
    assert shown["first_prompt"]["text"] == place.hook("first_prompt", payload) != ""


# --- what it says ------------------------------------------------------------------------------


def test_every_key_of_the_json(place: Place) -> None:
    put_past(place)
    shown = place.json("--dry-run", "--prompt", PROMPTS[0])
    assert sorted(shown) == TOP
    assert (shown["project"], shown["project_rule"]) == ("orion", "folder below ~/code")
    assert shown["library"] == {"path": str(place.library), "items": 7, "origin": "library"}
    assert shown["session_start"]["items"] == [5, 4, 2, 1]
    first = shown["first_prompt"]
    assert first["words"] == ["consent", "banner", "fail", "checkout"]
    assert first["dropped"] == ["why", "does", "the", "on", "again"]
    assert all(sorted(hit) == SEARCHED for hit in first["searched"])
    kept = [hit["id"] for hit in first["searched"] if hit["kept"]]
    assert first["shown"] == kept[:3]
    assert first["shown_external_ids"] == [f"t{id_}" for id_ in first["shown"]]
    assert all(len(hit["matched"]) >= 2 for hit in first["searched"] if hit["kept"])
    assert all(len(hit["matched"]) < 2 for hit in first["searched"] if not hit["kept"])
    scores = [hit["score"] for hit in first["searched"]]
    assert scores == sorted(scores, reverse=True)
    assert first["reason"] is None


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("ok", "0 of the 2 distinctive words"),
        ("consent please", "1 of the 2 distinctive words"),
        ("zzzz yyyy", "the search finds nothing"),
        ("weekly checkup", "no hit holds 2 of the words"),
    ],
)
def test_why_nothing_is_shown(prompt: str, reason: str, place: Place) -> None:
    put_past(place)
    first = place.json("--dry-run", "--prompt", prompt)["first_prompt"]
    assert reason in first["reason"]
    assert (first["shown"], first["text"]) == ([], "")
    assert (
        f"First prompt: nothing: {first['reason']}"
        in place.run("--dry-run", "--prompt", prompt).out
    )


def test_as_of(place: Place) -> None:
    put_past(place)
    shown = place.json("--dry-run", "--prompt", PROMPTS[0], "--as-of", "2026-09-05T10:00:00Z")
    assert shown["library"]["items"] == 4
    assert shown["session_start"]["items"] == [4, 2, 1]
    assert {hit["id"] for hit in shown["first_prompt"]["searched"]} <= {1, 2, 3, 4}
    assert (
        "As of    2026-09-05T10:00:00+00:00"
        in place.run("--dry-run", "--as-of", "2026-09-05T10:00:00Z").out
    )


def test_a_person_reads_the_very_text(place: Place) -> None:
    put_past(place)
    shown = place.json("--dry-run", "--prompt", PROMPTS[0])
    done = place.run("--dry-run", "--prompt", PROMPTS[0])
    assert (done.code, done.err) == (0, "")
    for block in ("session_start", "first_prompt"):
        assert f"\n{shown[block]['text']}\n" in done.out
    for said in (
        "7 items",
        "orion (folder below ~/code)",
        "consent banner fail checkout",
        f"{len(shown['session_start']['text']):,} characters",
    ):
        assert said in done.out
    assert "\x1b" not in done.out


def test_without_a_prompt_it_takes_one_of_the_newest_work(place: Place) -> None:
    place.put(
        item(1, "Old one", project="orion"),
        item(
            2, "Consent banner", questions=("why does the consent banner fail?",), project="orion"
        ),
        item(3, "Elsewhere", project="atlas"),
    )
    assert place.json("--dry-run")["first_prompt"]["prompt"] == "why does the consent banner fail?"
    out = place.run("--dry-run").out
    assert "why does the consent banner fail? (an example; yours with --prompt)" in out


# --- it writes nothing -------------------------------------------------------------------------


def test_it_writes_nothing(place: Place) -> None:
    put_past(place)
    place.write_config("search:\n  limit: 7\n")
    place.take("01_single_turn")
    before = everything(place)
    assert place.process("--dry-run").code == 0
    assert everything(place) == before
    for argv in (("--json",), ("--prompt", PROMPTS[0]), ("--as-of", "2026-09-05")):
        assert place.run("--dry-run", *argv).code == 0
        assert everything(place) == before
    # Nothing is marked: the hook still takes the prompt for a session's first.
    assert place.hook("first_prompt", {"session_id": "s", "prompt": PROMPTS[0]})


@pytest.mark.parametrize("beside", ["-wal and -shm", "-wal alone", "an empty -wal"])
def test_it_writes_nothing_beside_what_a_writer_left(beside: str, place: Place) -> None:
    """An import that was killed, or one that runs, leaves its newest pages beside the library."""
    put_past(place)
    left = place.user / "left"
    left.mkdir()
    with Writer(str(place.library)) as writer:
        with writer.transaction():
            writer.put(
                item(8, "Consent banner of the killed import", project="orion"),
                ingested_at="2026-09-08T00:00:00+00:00",
            )
        for end in ("", "-wal", "-shm"):
            shutil.copy(f"{place.library}{end}", left / f"library.db{end}")
    if beside != "-wal and -shm":
        (left / "library.db-shm").unlink()
    if beside == "an empty -wal":
        (left / "library.db-wal").write_bytes(b"")
    before = listing(left)
    assert "library.db-wal" in str(before)
    done = place.process("--dry-run", "--json", "--library", left / "library.db")
    assert (done.code, done.err) == (0, "")
    assert done.json["library"]["items"] == (7 if beside == "an empty -wal" else 8)
    assert listing(left) == before


def test_a_running_import_is_not_disturbed(place: Place) -> None:
    put_past(place)
    holder = apsw.Connection(str(place.library))
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("UPDATE items SET title = 'half' WHERE id = 1")
    try:
        shown = place.json("--dry-run", "--prompt", PROMPTS[0])
        holder.execute("ROLLBACK")
    finally:
        holder.close()
    assert "Consent banner fails" in shown["first_prompt"]["text"]


def test_a_library_that_is_not_ours_to_write(place: Place) -> None:
    put_past(place)
    place.library.chmod(0o400)
    place.home.chmod(0o500)
    try:
        assert place.json("--dry-run")["library"]["items"] == 7
        assert [p.name for p in place.home.iterdir()] == ["library.db"]
    finally:
        place.home.chmod(0o700)


# --- no library yet ----------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2.1.197", "2.1.332"])
def test_without_a_library_it_reads_the_transcripts(version: str, place: Place) -> None:
    for scene in sorted((TRANSCRIPTS / version).iterdir()):
        if scene.is_dir():
            place.take(scene.name, version)
    before = everything(place)
    shown = place.json("--dry-run", "--cwd", "/home/dev/proyectos/demo")
    assert everything(place) == before
    assert shown["library"]["origin"] == "transcripts"
    assert shown["library"]["path"] is None
    assert shown["library"]["items"] >= 10
    assert shown["project"] == "demo"
    assert len(shown["session_start"]["items"]) == 5
    # The same as after the import, ids apart.
    assert place.run("import").code == 0
    kept = place.json("--dry-run", "--cwd", "/home/dev/proyectos/demo")
    assert kept["library"]["origin"] == "library"
    assert kept["session_start"] == shown["session_start"]


def test_without_a_library_it_reads_the_newest_200(place: Place) -> None:
    for n in range(1, 206):
        place.session(n, f"question no {n} about the banner")
    shown = place.json("--dry-run", "--prompt", "question about banner 205")
    assert shown["library"]["items"] == 200
    assert "question no 5 " not in json.dumps(shown)
    out = place.run("--dry-run").out
    assert "none yet: 200 items from your newest transcripts, read for this once" in out
    assert "jezero-hook import" in out
    assert not place.home.exists()


def test_the_items_of_fewer_transcripts_are_counted(place: Place) -> None:
    place.session(1, "why does the consent banner fail")
    out = place.run("--dry-run").out
    assert "none yet: 1 items from" in out.splitlines()[0]


def test_the_running_session_is_none_of_the_past(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, _ = place.session(1, "what runs now")
    place.session(2, "what ran before")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", running)
    assert place.json("--dry-run")["library"]["items"] == 1


@pytest.mark.parametrize("client", ["no folder", "an empty folder", "an unusable transcript"])
def test_with_nothing_at_all_it_shows_an_invented_library(client: str, place: Place) -> None:
    if client != "no folder":
        place.projects.mkdir(parents=True)
    if client == "an unusable transcript":
        (place.projects / "x").mkdir()
        (place.projects / "x" / "y.jsonl").write_text("no JSON\n")
    before = everything(place)
    shown = place.json("--dry-run")
    assert shown["library"] == {"path": None, "items": 7, "origin": "sample"}
    assert shown["session_start"]["text"]
    assert shown["first_prompt"]["text"]
    done = place.run("--dry-run")
    assert (done.code, done.err) == (0, "")
    assert "an invented one of 7 items" in done.out
    assert everything(place) == before


def test_the_invented_library_serves_every_folder(place: Place) -> None:
    for folder in ("/", place.user, "/nowhere/at/all", place.folder):
        shown = place.json("--dry-run", "--cwd", folder)
        assert len(shown["session_start"]["items"]) == 5
        assert shown["project"]


def test_an_empty_library_is_no_library(place: Place) -> None:
    place.put()
    assert place.json("--dry-run")["library"]["origin"] == "sample"
    place.session(1, "why does the banner fail")
    assert place.json("--dry-run")["library"]["origin"] == "transcripts"


@pytest.mark.parametrize("as_of", ["0001-01-02", "9999-12-31", "2020-01-01"])
def test_the_invented_library_at_any_time(as_of: str, place: Place) -> None:
    done = place.run("--dry-run", "--json", "--as-of", as_of)
    assert (done.code, done.err) == (0, "")
    assert done.json["library"]["origin"] == "sample"


def test_what_is_no_library_is_refused(place: Place) -> None:
    place.home.mkdir(mode=0o700)
    place.library.write_text("no library\n" * 100)
    done = place.run("--dry-run", "--json")
    assert done.code == 1
    assert "is not a library" in done.err
    assert done.err == f"jezero-hook: {done.json['error']}\n"


@pytest.mark.parametrize(
    ("columns", "encoding"), [("20", "cp932"), ("80", "ascii"), ("120", "utf-8")]
)
def test_any_terminal(columns: str, encoding: str, place: Place) -> None:
    put_past(place)
    done = place.process(
        "--dry-run", "--prompt", PROMPTS[0], COLUMNS=columns, PYTHONIOENCODING=encoding
    )
    assert (done.code, done.err) == (0, "")
    assert "[1] 2026-09-01 Consent banner fails on checkout" in done.out


def test_prompts_at_the_edge_of_a_shell(place: Place) -> None:
    put_past(place)
    value: Any = place.json("--dry-run", "--prompt=--json")
    assert value["first_prompt"]["prompt"] == "--json"


def test_what_may_not_be_read_is_not_counted_nor_taken_as_the_example(place: Place) -> None:
    put_past(place)
    with Writer(str(place.library)) as writer, writer.transaction():
        secret = item(99, "A private letter about the harbour", project="orion")
        writer.put(secret._replace(source="mail"), ingested_at=secret.occurred_at)
    place.config.write_text(f"sources:\n  allowed: [{item(1).source}]\n")
    shown = place.json("--dry-run", "--cwd", place.folder)
    assert shown["library"]["items"] == 7
    assert "private" not in json.dumps(shown)


def test_the_whole_reason_is_told_on_a_narrow_terminal(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_past(place)
    monkeypatch.setenv("COLUMNS", "40")
    shown = place.run("--dry-run", "--prompt", "consent").out
    assert "First prompt: nothing: the prompt has 1 of the 2 distinctive words it takes\n" in shown
