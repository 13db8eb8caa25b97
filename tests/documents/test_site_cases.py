"""Faults that people met in searches of sites, each with the right answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from jezero_hooks.library.documents import Documents, contending
from jezero_hooks.library.documents_writer import DocumentsWriter, Page
from jezero_hooks.library.match import DocumentBounds
from jezero_hooks.library.reader import open_library
from jezero_hooks.model import DocumentHit
from jezero_hooks.rules.ranking import Candidate, DocumentRanking, Scored, rank

NOW_S = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
Make = Callable[..., Documents]


def page(name: str, title: str, content: str, **more: str | None) -> Page:
    return Page(
        path=f"/{name}",
        type=str(more.get("type", "note")),
        url=f"/{name}",
        title=title,
        description="",
        content=content,
        tags=str(more.get("tags", "")),
        date=more.get("date"),
        emoji="",
        size=0,
        mtime_ns=0,
        hash="",
    )


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(*pages: Page, allowed: tuple[str, ...] | None = None) -> Documents:
        path = str(tmp_path / "library.db")
        with DocumentsWriter(path, items_tokenizer="unicode61") as writer, writer.transaction():
            for one in pages:
                writer.put_page(one, "/", None)
        return open_library(path).documents(allowed)

    return made


def search(documents: Documents, query: str, **more: object) -> list[DocumentHit]:
    asked = {"limit": 10, "now_s": NOW_S, **more}
    ranking = asked.pop("ranking", DocumentRanking())
    return documents.search(query, ranking=ranking, bounds=DocumentBounds(), **asked)[1]


def test_ss02_recency_never_orders_by_date_alone(make: Make) -> None:
    title, body = "Consent banner checkout guide", "consent banner checkout steps"
    documents = make(
        page("old", title, body, date="2016-01-01"),
        page("new", "Release notes", "various news " * 300 + "consent", date="2026-09-30"),
        page("same-new", title, body, date="2026-09-29"),
        page("future", title, body, date="2031-01-01"),
        page("nodate", title, body),
        *(page(f"f{n}", "Filler", "boats and rivers") for n in range(20)),
    )
    hits = {hit.url[1:]: hit for hit in search(documents, "consent banner checkout")}
    # All words must stand in a page: the one with consent alone is none of the hits.
    assert [*hits] == ["future", "same-new", "old", "nodate"]
    assert hits["future"].score == pytest.approx(hits["same-new"].score, rel=0.001)
    assert hits["nodate"].score >= hits["same-new"].score
    one = [hit.url[1:] for hit in search(documents, "consent")]
    assert set(one) == {"old", "new", "same-new", "future", "nodate"}
    assert one.index("same-new") < one.index("old") < one.index("new")


def test_ss03_a_snippet_shows_the_stemmed_word(make: Make) -> None:
    body = "alpha " * 400 + "the configuration of caches matters " + "omega " * 400
    documents = make(page("1", "Setup", body), page("2", "Café résumé", "naïve café text"))
    (hit,) = search(documents, "configure cache")
    assert hit.url == "/1"
    assert "<mark>configuration</mark>" in hit.snippet
    assert "<mark>caches</mark>" in hit.snippet
    assert len(hit.snippet.split()) <= 40
    for query in ("cafe", "CAFÉS"):
        (hit,) = search(documents, query)
        assert (hit.url, hit.snippet) == ("/2", "naïve <mark>café</mark> text")


def test_marks_that_were_written_are_no_marks(make: Make) -> None:
    documents = make(page("x", "<b>T</b>", "a <mark>grid</mark> & \x02grid\x03 <script>"))
    (hit,) = search(documents, "grid")
    bare = hit.snippet.replace("<mark>grid</mark>", "")
    assert "&lt;mark&gt;" in hit.snippet
    assert "<" not in bare
    assert hit.title == "<b>T</b>"  # plain text: whoever shows it escapes it


def test_as_written(make: Make) -> None:
    documents = make(
        page("cpp", "C++", "c " * 200 + "the C++ of C and C++20 " + "c " * 200),
        page("c", "C", "plain c, and ++"),
        page("snake", "Names", "call snake_case_name or snake case"),
        page("words", "Words", "snake case alone"),
        page("sharp", "Tag C#", "x"),
    )
    (cpp,) = search(documents, "c++")
    assert cpp.url == "/cpp"
    assert "<mark>C++</mark> of C and <mark>C++</mark>20" in cpp.snippet
    (snake,) = search(documents, "snake_case")
    assert snake.snippet == "call <mark>snake_case</mark>_name or snake case"
    assert [hit.url for hit in search(documents, "C#")] == ["/sharp"]
    assert {hit.url for hit in search(documents, "snake case")} == {"/snake", "/words"}


def test_before_leaves_out_later_pages_and_keeps_undated(make: Make) -> None:
    documents = make(
        page("old", "grid", "", date="2026-01-01"),
        page("at", "grid", "", date="2026-09-01"),
        page("later", "grid", "", date="2026-09-01T00:00:01+00:00"),
        page("none", "grid", ""),
    )
    found = search(documents, "grid", before="2026-09-01T00:00:00+00:00")
    assert {hit.url for hit in found} == {"/old", "/none"}
    assert documents.count("2026-09-01T00:00:00+00:00") == 2


def test_who_may_not_read_documents_sees_none(make: Make) -> None:
    documents = make(page("a", "grid", ""), allowed=("claude-code",))
    assert search(documents, "grid") == []
    assert (documents.count(), documents.types(), documents.document(1)) == (0, [], None)
    reader = open_library(documents.path)
    for globs in (("*",), ("doc*",), ("documents", "x"), None):
        assert reader.documents(globs).count() == 1
    assert reader.documents(("Documents",)).count() == 0


def test_a_library_without_documents_answers_with_nothing(tmp_path: Path) -> None:
    from jezero_hooks.library.writer import Writer

    path = str(tmp_path / "library.db")
    Writer(path).close()
    documents = open_library(path).documents()
    assert search(documents, "grid") == []
    assert (documents.count(), documents.types(), documents.document(1)) == (0, [], None)


def test_a_document_whole(make: Make) -> None:
    documents = make(page("a", "T", "content", type="b"), page("c", "T", "x", type="a"))
    found = documents.document(1)
    assert found is not None
    assert (found.path, found.content, found.date) == ("/a", "content", None)
    assert documents.types() == ["b", "a"]
    for missing in (0, -1, 3, 2**63, 2**70):
        assert documents.document(missing) is None


@pytest.mark.parametrize(
    "query",
    ["g", "", "\0", '"', "'\"`", "(", "grid AND", "NEAR(", "^grid", "{x}:y", "grid:", "é" * 99],
)
def test_no_query_is_an_error(query: str, make: Make) -> None:
    search(make(page("a", "grid", "")), query)


def test_what_recency_cannot_lift_is_not_looked_at() -> None:
    seen = []

    def candidates() -> object:
        for number in range(1, 1_000):
            seen.append(number)
            yield Candidate(number, 10 / number, NOW_S - (number % 7) * 1e7, "documents", "")

    ranking = DocumentRanking()
    few = rank(contending(candidates(), 1.35, 5), now_s=NOW_S, recency=ranking.recency(), limit=5)
    assert len(seen) < 10
    assert few == rank(candidates(), now_s=NOW_S, recency=ranking.recency(), limit=5)


def test_a_page_that_leaves_while_it_is_found_is_whole(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = make(page("a", "Apples", "grid"), page("b", "Bananas", "grid"))
    best = Documents._best

    def late(self: Documents, *args: Any, **named: Any) -> list[Scored]:
        found = best(self, *args, **named)
        with (
            DocumentsWriter(self.path, items_tokenizer="unicode61") as writer,
            writer.transaction(),
        ):
            writer.drop_page(1)
        return found

    monkeypatch.setattr(Documents, "_best", late)
    assert [hit.title for hit in search(documents, "grid")] == ["Bananas", "Apples"]
    monkeypatch.undo()
    assert [hit.title for hit in search(documents, "grid")] == ["Bananas"]


def test_words_of_a_page_that_leaves_while_it_is_found(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = make(page("a", "Apples", "grid"))
    rows = Documents._rows

    def late(self: Documents, best: list[Scored]) -> dict[int, list[Any]]:
        connection = apsw.Connection(self.path)
        connection.execute("DELETE FROM documents")
        connection.close()
        return rows(self, best)

    monkeypatch.setattr(Documents, "_rows", late)
    [hit] = documents.search_any(["grid"], ranking=DocumentRanking(), now_s=NOW_S, limit=3)
    assert hit.title == "Apples"
