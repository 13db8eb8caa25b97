"""documents search and the options, as a person and a script see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from jezero_hooks.documents.command import _snippet
from tests.commands import Place


@pytest.fixture(autouse=True)
def notes(place: Place) -> Path:
    folder = place.user / "notes"
    folder.mkdir()
    for name, date in (("old", "2026-01-01"), ("new", "2026-09-01"), ("later", "2027-01-01")):
        text = f"---\ndate: {date}\ntype: {name}\n---\n# The {name} grid\n\nwith 1 < 2 columns"
        (folder / f"{name}.md").write_text(text)
    place.json("documents", "index", folder)
    return folder


def test_json(place: Place) -> None:
    found = place.json("--as-of", "2026-10-01", "documents", "search", "grid", "columns")
    assert (found["query"], found["match"], found["count"]) == (
        "grid columns",
        '"grid" "columns"*',
        2,
    )
    first, second = found["results"]
    assert (first["title"], first["type"], first["date"]) == ("The new grid", "new", "2026-09-01")
    assert first["snippet"] == "The new <mark>grid</mark> with 1 &lt; 2 <mark>columns</mark>"
    assert first["score"] < second["score"] < 0 < second["relevance"]
    assert first["score"] == pytest.approx(
        -first["relevance"] * (1 + 0.35 * (1 - 30 / 1095)), rel=1e-9
    )


def test_a_person_reads_score_date_type_title_and_snippet(place: Place) -> None:
    out = place.run("--as-of", "2026-10-01", "documents", "search", "columns").out
    assert "2026-09-01" in out
    assert "The new grid  new" in out
    assert "with 1 < 2 columns" in out
    assert "mark" not in out
    assert "later" not in out


def test_marks_are_bold() -> None:
    text = _snippet("a 1 &lt; 2 <mark>c&amp;</mark> d")
    assert text.plain.strip() == "a 1 < 2 c& d"
    (span,) = text.spans
    assert (text.plain[span.start : span.end], span.style) == ("c&", "bold")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ((), ["later", "new", "old"]),
        (("--type", "old"), ["old"]),
        (("--type", "none"), []),
        (("--limit", "2"), ["later", "new"]),
        (("--limit", "2", "--offset", "2"), ["old"]),
        (("--limit", "-1"), ["later", "new", "old"]),
    ],
)
def test_options(options: tuple[str, ...], names: list[str], place: Place) -> None:
    results = place.json("documents", "search", "grid", *options)["results"]
    assert [Path(hit["path"]).stem for hit in results] == names


def test_a_word_of_all_pages_scores_nothing_with_no_sign(place: Place) -> None:
    out = place.run("documents", "search", "grid").out
    assert "0.00" in out
    assert "-0.00" not in out


@pytest.mark.parametrize("offset", ["-1", "201", "x"])
def test_an_offset_has_bounds(offset: str, place: Place) -> None:
    assert place.run("documents", "search", "grid", "--offset", offset).code == 2


def test_weights_and_recency_hold_without_indexing_again(place: Place) -> None:
    place.write_config("documents:\n  recency_boost: 0\n  weights:\n    title: 2.5\n")
    results = place.json("documents", "search", "grid")["results"]
    assert all(hit["score"] == -hit["relevance"] for hit in results)


def test_sources_allowed_holds_for_documents(place: Place) -> None:
    place.write_config("sources:\n  allowed: [claude-code]\n")
    assert place.json("documents", "search", "grid")["results"] == []
    place.write_config("sources:\n  allowed: [claude-code, documents]\n")
    assert len(place.json("documents", "search", "grid")["results"]) == 3


def test_words_for_nothing(place: Place, notes: Path) -> None:
    assert "2 characters" in place.run("documents", "search", "g").out
    assert "Nothing found." in place.run("documents", "search", "zebra").out
    place.json("documents", "forget", notes)
    assert "documents index DIR" in place.run("documents", "search", "zebra").out


@pytest.mark.parametrize("argv", [("documents",), ("documents", "search"), ("documents", "forget")])
def test_usage(argv: tuple[str, ...], place: Place) -> None:
    done = place.run(*argv)
    assert (done.code, done.out) == (2, "")


def test_as_of_is_for_searching(place: Place, notes: Path) -> None:
    for doing in ("index", "forget"):
        assert place.run("--as-of", "2026-10-01", "documents", doing, notes).code == 2
    assert place.json("documents", "search", "grid")["count"] == 3
