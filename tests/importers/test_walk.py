"""Which files are transcripts of sessions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jezero_hooks.importers.walk import session_files, sidecar_title


def put(path: Path, age_s: int = 0, text: str = "{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    os.utime(path, (1_788_256_800 - age_s,) * 2)
    return path


def test_newest_first_and_only_sessions(tmp_path: Path) -> None:
    old = put(tmp_path / "-home-a" / "old.jsonl", 50)
    new = put(tmp_path / "-home-b" / "new.jsonl", 10)
    same = put(tmp_path / "-home-a" / "same.jsonl", 10)
    put(tmp_path / "-home-a" / "agent-1.jsonl")
    put(tmp_path / "-home-a" / "old" / "subagents" / "agent-2.jsonl")
    put(tmp_path / "-home-a" / "old" / "subagents" / "3.jsonl")
    put(tmp_path / "-home-a" / "old" / "tool-results" / "4.jsonl")
    put(tmp_path / "-home-a" / "notes.md")
    put(tmp_path / "-home-a" / "empty.jsonl", text="")
    put(tmp_path / "1" / "2" / "3" / "4" / "deep.jsonl")
    assert session_files(str(tmp_path)) == [str(same), str(new), str(old)]
    assert session_files(f"{tmp_path}/-home-b/") == [str(new)]
    assert session_files(str(tmp_path / "nowhere")) == []


def test_linked_projects_are_read_once_and_circles_end(tmp_path: Path) -> None:
    elsewhere = put(tmp_path / "elsewhere" / "s.jsonl").parent
    projects = tmp_path / "projects"
    projects.mkdir()
    (projects / "-home-a").symlink_to(elsewhere, target_is_directory=True)
    (elsewhere / "up").symlink_to(projects, target_is_directory=True)
    (projects / "gone.jsonl").symlink_to(tmp_path / "nothing")
    assert session_files(str(projects)) == [str(projects / "-home-a" / "s.jsonl")]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('{"customTitle":"facturas","by":"user"}', "facturas"),
        ('{"customTitle":"  "}', None),
        ('{"customTitle":7}', None),
        ("[]", None),
        ("{", None),
        ("\udcff", None),
    ],
)
def test_sidecar_title(tmp_path: Path, text: str, title: str | None) -> None:
    (tmp_path / "s1").mkdir()
    (tmp_path / "s1" / "custom-title.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert sidecar_title(str(tmp_path / "s1.jsonl")) == title
    assert sidecar_title(str(tmp_path / "s2.jsonl")) is None
