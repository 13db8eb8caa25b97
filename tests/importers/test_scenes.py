"""Real transcripts of two client versions, scene by scene: what a timeline shows of them.

scenes.json was read by eye, item by item; a change there is a change of what people see.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jezero_hooks.importers.transcript import prompt_uuids
from jezero_hooks.importers.walk import session_files, sidecar_title
from jezero_hooks.model import NewItem
from tests.importers.transcripts_read import HERE, items_of, session_at, texts_of

TRANSCRIPTS = HERE / "transcripts"
SCENES: dict[str, list[dict[str, Any]]] = json.loads((HERE / "scenes.json").read_text("utf-8"))
FORKED = [scene for scene in SCENES if scene.endswith("12_forked")]


def files_of(scene: str) -> list[Path]:
    return sorted(Path(path) for path in session_files(str(TRANSCRIPTS / scene)))


def shown(item: NewItem) -> dict[str, Any]:
    fields = item._asdict()
    kept = ("external_id", "occurred_at", "title", "summary", "project")
    return {
        **{field: fields[field] for field in kept},
        "questions": list(item.questions),
        "atoms": [list(atom) for atom in item.atoms],
    }


def test_every_scene_has_its_expectation() -> None:
    there = {str(path.parent.relative_to(TRANSCRIPTS)) for path in TRANSCRIPTS.glob("2.*/*/-*")}
    assert there == set(SCENES)


@pytest.mark.parametrize("scene", SCENES)
def test_scene(scene: str) -> None:
    items = [item for path in files_of(scene) for item in items_of(session_at(path))]
    items.sort(key=lambda item: (item.occurred_at, item.external_id))
    assert [shown(item) for item in items] == SCENES[scene]
    for item in items:
        assert item.source == "claude-code"
        assert item.trust == "own"
        assert item.original_ref is None


@pytest.mark.parametrize("scene", SCENES)
def test_nothing_that_a_hook_injected_comes_back(scene: str) -> None:
    for path in files_of(scene):
        assert "CTX-" in path.read_text("utf-8")
        for item in items_of(session_at(path)):
            assert "CTX-" not in "\n".join(texts_of(item))


@pytest.mark.parametrize("scene", SCENES)
def test_no_line_of_a_real_transcript_is_bad(scene: str) -> None:
    assert [session_at(path).skipped for path in files_of(scene)] == [()] * len(files_of(scene))


@pytest.mark.parametrize("scene", FORKED)
@pytest.mark.parametrize("order", [1, -1])
def test_a_fork_repeats_nothing_whichever_comes_first(scene: str, order: int) -> None:
    owned: set[str] = set()
    asked: list[str] = []
    for path in files_of(scene)[::order]:
        session = session_at(path)
        asked += [q for item in items_of(session, set(owned)) for q in item.questions]
        owned.update(prompt_uuids(session))
    assert sorted(asked) == ["Remember the word maíz.", "What was the word?"]


def test_the_dialogue_is_kept_as_text_with_a_line_a_tool() -> None:
    (path,) = files_of("2.1.332/03_tools_and_errors")
    (item,) = items_of(session_at(path))
    assert item.original == (
        "User: Fix suma() in app.py and add a test, then tell me.\n\n"
        "Assistant: I'll look.\n\n"
        "Tool: Bash ls -la && git log --oneline\n\n"
        "Tool: Bash python3 -c 'import nope_module' (failed)\n\n"
        "Tool: Bash exit 3 (failed)\n\n"
        "Tool: Read /home/dev/proyectos/demo/missing.txt (failed)\n\n"
        "Tool: Read /home/dev/proyectos/demo/app.py\n\n"
        "Tool: Edit /home/dev/proyectos/demo/app.py\n\n"
        "Tool: Write /home/dev/proyectos/demo/tests/test_app.py\n\n"
        "Tool: Bash for i in $(seq 1 2000); do echo line $i; done\n\n"
        "Tool: NoSuchTool (failed)\n\n"
        "Assistant: Fixed the bug in app.py and added a test."
    )


def test_the_newest_client_keeps_a_title_beside_the_transcript() -> None:
    (path,) = files_of("2.1.332/14_titled")
    assert sidecar_title(str(path)) == "facturas"
    assert sidecar_title(str(files_of("2.1.197/14_titled")[0])) is None
