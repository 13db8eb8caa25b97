"""Front matter: taken as written; each fault with its line."""

from __future__ import annotations

import pytest

from jezero_hooks.documents.front_matter import (
    FrontMatterError,
    date_of,
    read_front_matter,
    tags_of,
)
from jezero_hooks.documents.page import Made, make_page
from jezero_hooks.library.documents_writer import Page
from jezero_hooks.model import ImportFailure


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-09-10", "2026-09-10"),
        ("2026-9-1", "2026-09-01"),
        ("2026-09-10T10:00:00Z", "2026-09-10T10:00:00+00:00"),
        ("2026-09-10 10:00:00", "2026-09-10T10:00:00+00:00"),
        ("2026-09-10 10:00:00.5 +02:00", "2026-09-10T08:00:00+00:00"),
        ("2026-09-10t10:00:00-0530", "2026-09-10T15:30:00+00:00"),
        ("2026-09-10T10:00+2", "2026-09-10T08:00:00+00:00"),
        (" 2026-09-10 ", "2026-09-10"),
        ("2026-02-30", None),
        ("1 June 2026", None),
        ("2026-09-10T25:00:00Z", None),
        ("2026-09-10T10:00:00+99:00", None),
        ("0001-01-01T00:00:00+23:00", None),
        ("2026", None),
        ("now", None),
        ("", None),
    ],
)
def test_dates(text: str, date: str | None) -> None:
    assert date_of(text) == date


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        (["css", "two words"], "css two words"),
        ("css, layout,x", "css layout x"),
        ("css layout", "css layout"),
        (None, ""),
        ([["deep"], {"a": "b"}, "x"], "x"),
        ({"a": "b"}, ""),
        ("~", ""),
    ],
)
def test_tags(value: object, tags: str) -> None:
    assert tags_of(value) == tags


def test_scalars_stay_as_written() -> None:
    values = read_front_matter("---\ntitle: 2026\nx: no\ndate: 2026-09-10\n---\nbody").values
    assert values == {"title": "2026", "x": "no", "date": "2026-09-10"}


@pytest.mark.parametrize(
    "text",
    ["no front matter", "---\nalone", "text\n---\ntitle: x\n---\n", "", "{not: json}", "+++"],
)
def test_without(text: str) -> None:
    assert read_front_matter(text).values == {}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("---\ntitle: a\nb: c: d\n---\n", 3),
        ("---\n- a\n- b\n---\n", 2),
        ("---\njust text\n---\n", 2),
        ("---\na: *none\n---\n", 2),
        ("---\na: " + "[" * 50 + "]" * 50 + "\n---\n", 2),
        ("---\na: '" + "x" * 70_000 + "'\n---\n", 2),
    ],
)
def test_faults_have_their_line(text: str, line: int) -> None:
    with pytest.raises(FrontMatterError) as fault:
        read_front_matter(text)
    assert abs(fault.value.line - line) <= 1
    assert str(fault.value)


def made(raw: str | bytes, path: str = "/n/a-page.md", **more: bool) -> Made | ImportFailure:
    raw = raw if isinstance(raw, bytes) else raw.encode()
    times = more.get("file_times", False)
    return make_page(path, raw, size=1, mtime_ns=10**18, type_="n", file_times=times)


def page(raw: str | bytes, path: str = "/n/a-page.md", **more: bool) -> Page:
    one = made(raw, path, **more)
    assert isinstance(one, Made)
    assert one.page is not None
    return one.page


def test_all_of_a_page() -> None:
    found = page(
        "---\ntitle: T\ndescription: D\ntags: [a, b]\ndate: 2026-09-10\ntype: adr\n"
        "url: https://example.org/t\nemoji: 🍱\n---\n# H\n\ntext"
    )
    assert found[1:9] == (
        "adr",
        "https://example.org/t",
        "T",
        "D",
        "H text",
        "a b",
        "2026-09-10",
        "🍱",
    )


def test_where_a_title_comes_from() -> None:
    assert page("---\ntitle: T\n---\n# H").title == "T"
    assert page("---\ntitle:\n---\n# H").title == "H"
    assert page("text").title == "a-page"


def test_a_url_leads_to_a_page_and_nowhere_else() -> None:
    assert page("x", "/n/a b#.md").url == "file:///n/a%20b%23.md"
    for bad in ("javascript:alert(1)", "//evil.example", "data:x", "~"):
        assert page(f"---\nurl: '{bad}'\n---\nx").url == "file:///n/a-page.md"
    assert page("---\nurl: /notes/x\n---\nx").url == "/notes/x"


@pytest.mark.parametrize("word", ["true", "True", "yes", "on"])
def test_a_draft_is_none(word: str) -> None:
    assert made(f"---\ndraft: {word}\n---\nx") == Made(None, None, 0)
    assert page("---\ndraft: false\n---\nx").content == "x"


def test_a_bad_date_is_reported_with_its_line() -> None:
    one = made("---\ntitle: T\ndate: 1 June 2026\n---\nx")
    assert isinstance(one, Made)
    assert one.page is not None
    assert one.page.date is None
    assert one.undated is not None
    assert one.undated.line == 3
    assert "1 June 2026" in one.undated.reason


def test_file_times_date_what_has_no_date() -> None:
    assert page("x").date is None
    assert page("x", file_times=True).date == "2001-09-09T01:46:40+00:00"
    assert page("---\ndate: 2026-09-10\n---\nx", file_times=True).date == "2026-09-10"


def test_odd_bytes() -> None:
    assert page(b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\nx\r\ny").title == "T"
    assert page(b"a\0b").content == "a b"
    assert made(b"a\nb\n\xff") == ImportFailure("/n/a-page.md", 3, "is not UTF-8; save it as UTF-8")


def test_secrets_are_redacted_in_each_field() -> None:
    secret = "ghp_" + "a1B2" * 9
    assert secret not in page(f"---\nurl: https://x:{secret}@example.org/\n---\nx").url
    one = made(f"---\ntitle: {secret}\ndescription: {secret}\ntags: [{secret}]\n---\nuse {secret}")
    assert isinstance(one, Made)
    assert secret not in repr(one)
    assert one.redacted == 4
