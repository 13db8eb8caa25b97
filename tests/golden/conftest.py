"""The model's library, once as its own file and once made by our writer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from jezero_hooks.library.reader import Reader, open_library
from jezero_hooks.library.writer import library_in_memory
from jezero_hooks.model import Atom, NewItem

FOLDER = Path(__file__).parent


def golden(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def new_item(value: dict[str, Any]) -> NewItem:
    return NewItem(
        source=value["source"],
        external_id=value["external_id"],
        occurred_at=value["occurred_at"],
        title=value["title"],
        summary=value["summary"],
        questions=tuple(value["questions"]),
        atoms=tuple(Atom(**atom) for atom in value["atoms"]),
        project=value["project"],
        original_ref=value.get("original_ref"),
        trust=value.get("trust", "own"),
    )


@pytest.fixture(params=["jezero's own file", "made by our writer"])
def model_library(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    if request.param == "jezero's own file":
        copy = tmp_path / "jezero.db"
        shutil.copyfile(FOLDER / "jezero-0.1.0.db", copy)
        return open_library(str(copy))
    writer = library_in_memory()
    with writer.transaction():
        for value in golden("library")["items"]:
            writer.put(new_item(value), ingested_at="2026-10-01T12:00:00+00:00")
    return writer.reader()
