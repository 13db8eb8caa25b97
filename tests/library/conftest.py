"""Small libraries to ask."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jezero_hooks.library.writer import Writer
from jezero_hooks.model import NewItem

NOW = "2026-10-01T12:00:00+00:00"


def item(external_id: str, title: str, summary: str = "", **more: str) -> NewItem:
    return NewItem(
        source=more.get("source", "claude-code"),
        external_id=external_id,
        occurred_at=more.get("occurred_at", "2026-09-01T10:00:00+00:00"),
        title=title,
        summary=summary,
        project=more.get("project", "orion"),
        original=more.get("original"),
        original_ref=more.get("original_ref"),
    )


@pytest.fixture
def make_library(tmp_path: Path) -> Callable[..., str]:
    """Return a function that stores items in a library file and returns its path."""

    def make(*items: NewItem, name: str = "library.db") -> str:
        path = str(tmp_path / name)
        with Writer(path) as writer, writer.transaction():
            for new in items:
                writer.put(new, ingested_at=NOW)
        return path

    return make
