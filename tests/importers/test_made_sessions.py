"""The generated sessions are what the benchmarks take them for."""

from __future__ import annotations

from pathlib import Path

from benchmarks.sessions import write
from jezero_hooks.importers.walk import session_files
from tests.importers.transcripts_read import items_of, session_at


def made(folder: Path, seed: int) -> dict[str, tuple[bytes, float]]:
    write(str(folder), sessions=12, seed=seed)
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime)
        for path in folder.rglob("*.jsonl")
    }


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    first = made(tmp_path / "a", seed=3)
    assert len(first) == 12
    assert made(tmp_path / "b", seed=3) == first
    assert made(tmp_path / "c", seed=4) != first


def test_each_gives_an_item_and_no_bad_line(tmp_path: Path) -> None:
    write(str(tmp_path), sessions=12)
    for path in session_files(str(tmp_path)):
        session = session_at(Path(path))
        assert session.skipped == ()
        assert items_of(session)
