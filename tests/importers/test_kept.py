"""What an import has stored is not lost to a poorer file, an odd one, or a change of the rules."""

from __future__ import annotations

import os
import shutil

import pytest

from jezero_hooks.config import Config
from jezero_hooks.hook import first_prompt_block
from jezero_hooks.library.reader import open_library
from tests.commands import Place

PROMPTS = ("why does the consent banner fail", "and on the phone", "thanks, what about the menu")


def stored(place: Place) -> dict[str, tuple[str, ...]]:
    """Return the questions of each item, by its external id."""
    reader = open_library(str(place.library))
    items = [reader.item(listed.id) for listed in reader.timeline(limit=50)]
    return {item.external_id: item.questions for item in items if item}


@pytest.mark.parametrize("fault", ["an older copy", "an excerpt", "zeros", "only a title"])
def test_a_poorer_file_of_a_session_takes_nothing_away(place: Place, fault: str) -> None:
    session, path = place.session(1, *PROMPTS)
    place.json("import")
    before = stored(place)
    lines = path.read_bytes().splitlines(keepends=True)
    poorer = path
    if fault == "an older copy":
        poorer = path.parent.parent / "-elsewhere" / path.name
        poorer.parent.mkdir()
        poorer.write_bytes(b"".join(lines[:2]))
    elif fault == "an excerpt":
        poorer = place.folder / "excerpt.jsonl"
        poorer.write_bytes(b"".join(lines[:2]))
    elif fault == "zeros":
        path.write_bytes(bytes(500))
    else:
        path.write_text(f'{{"type":"custom-title","customTitle":"x","sessionId":"{session}"}}\n')
    place.run("import", poorer)
    assert stored(place) == before == {session: PROMPTS}


@pytest.mark.parametrize("field", ["uuid", "sessionId"])
def test_half_a_character_in_an_id_stops_nothing(place: Place, field: str) -> None:
    session, _ = place.session(1, *PROMPTS)
    _, odd = place.session(2, *PROMPTS)
    text = odd.read_text().replace(f'"{field}": "', f'"{field}": "\\ud800', 1)
    assert "\\ud800" in text
    odd.rename(odd.with_name("odd.jsonl"))
    odd.with_name("odd.jsonl").write_text(text)
    assert place.json("import")["failed"] == []
    assert session in stored(place)


def test_a_file_from_the_far_future(place: Place) -> None:
    session, path = place.session(1, *PROMPTS)
    os.utime(path, (10_500_000_000, 10_500_000_000))
    assert place.json("import")["inserted"] == 1
    assert place.json("import")["unchanged"] == 1
    assert list(stored(place)) == [session]


def test_another_name_for_a_project_reaches_the_past(place: Place) -> None:
    place.session(1, *PROMPTS, folder="/home/ana/code/oldname")
    place.json("import")
    place.config.write_text("projects:\n  aliases:\n    oldname: shop\n")
    assert place.json("import")["updated"] == 1
    assert place.json("timeline", "--project", "shop")["count"] == 1
    assert place.json("import")["unchanged"] == 1


def test_a_project_named_like_a_token_is_redacted(place: Place) -> None:
    token = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    place.session(1, *PROMPTS, folder=f"/home/ana/code/{token}")
    place.json("import")
    assert place.json("timeline")["items"][0]["project"] == "[redacted]"


def test_a_session_that_is_resumed_does_not_find_itself(place: Place) -> None:
    session, _ = place.session(1, *PROMPTS)
    other, _ = place.session(2, PROMPTS[0])
    place.json("import")
    reader = open_library(str(place.library))
    block = first_prompt_block(reader, Config(), PROMPTS[0], now_s=1.8e9, session_id=session)
    assert [hit.external_id for hit in block.shown] == [other]


def test_a_session_end_without_a_transcript_is_no_fault(place: Place) -> None:
    done = place.run("import", "--background", "--", place.folder / "none.jsonl")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert not place.library.exists()
    assert not (place.home / "hooks.log").exists()


def test_a_transcript_that_moved_is_imported_once(place: Place) -> None:
    session, path = place.session(1, *PROMPTS)
    place.json("import")
    moved = path.parent.parent / "-moved" / path.name
    moved.parent.mkdir()
    shutil.move(path, moved)
    assert place.json("import") | {"redacted": 0} == {
        "inserted": 0, "updated": 0, "unchanged": 1, "redacted": 0, "left_out": 0, "failed": [],
    }  # fmt: skip
    assert stored(place) == {session: PROMPTS}
