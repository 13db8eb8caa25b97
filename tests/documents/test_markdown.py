"""Markdown to text: what a reader sees stays, what makes it look so goes."""

from __future__ import annotations

from typing import Any

import pytest

from jezero_hooks.documents.markdown import (
    JSX_COMMENT,
    UNSEEN,
    _without,
    read_markdown,
)


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("# A\n\n## B\ntext", "A B text"),
        ("- a\n  - b\n- [ ] c", "a b [ ] c"),
        ("| a | b |\n|---|---|\n| 1 | **2** |", "a b 1 2"),
        ("![a *cat*](x.png) ![](y.png)", "a cat"),
        ("```py\nx = a_b < 3\n```", "x = a_b < 3"),
        ("~~~\n# no heading\n~~~", "# no heading"),
        ("    indented = code", "indented = code"),
        ("call `f(a, b)` now", "call f(a, b) now"),
        ("`<b>` and <b>bold</b>", "<b> and bold"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a<br>b", "a b"),
        ("<div>\nin &amp; out 1 < 2\n</div>", "in & out 1 < 2"),
        ("<!-- not\nseen -->\n\nseen", "seen"),
        ("<script>\nlet x = 1\n</script>\n\nseen", "seen"),
        ("<STYLE>\n<b>\n</style > a <script>b</script>c<!-- d --> e <!-- f", "a c e <!-- f"),
        ("snake_case_name, __bold__, ~~gone~~", "snake_case_name, bold, gone"),
        ("&lt;tag&gt; &copy;", "<tag> ©"),
        ("<https://example.org/a> [b](http://x)", "https://example.org/a b"),
        ("[ref][1]\n\n[1]: http://x", "ref"),
        ("a\x07b \x1b[31m c\x9b", "a b [31m c"),
        ("a\u00a0 b\u2003c", "a b c"),
        ("import data first\n\nexport it", "import data first export it"),
        ("", ""),
    ],
)
def test_text(markdown: str, text: str) -> None:
    assert read_markdown(markdown).text == text


@pytest.mark.parametrize(
    ("mdx", "text"),
    [
        ("import A from 'a'\nimport { B } from \"b\"\n\n# T", "T"),
        ("export const meta = {\n  title: 'x',\n}\n\ntext", "text"),
        ("import './x.css'\nexport default Layout\ntext", "text"),
        ("import the data first", "import the data first"),
        ('<Note kind={a > b ? 1 : 2} x="1">\n\nInside **it**\n\n</Note>', "Inside it"),
        ("<Tabs>\n    <Tab>deep</Tab>\n</Tabs>", "deep"),
        ("a <Chart data={[1, 2]} /> b", "a b"),
        ("<>x</>", "x"),
        ("{/* a note */}\n\nx", "x"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("`<Note a={1}>`", "<Note a={1}>"),
        ("```js\nimport a from 'a'\n<Note/>\n```", "import a from 'a' <Note/>"),
    ],
)
def test_mdx(mdx: str, text: str) -> None:
    assert read_markdown(mdx, mdx=True).text == text


@pytest.mark.parametrize(
    ("markdown", "heading"),
    [
        ("text\n\n## The *first* `one`\n\n# B", "The first one"),
        ("Under\n=====\n", "Under"),
        ("```\n# code\n```\n# H", "H"),
        ("no heading", ""),
    ],
)
def test_heading(markdown: str, heading: str) -> None:
    assert read_markdown(markdown).heading == heading


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 20_000,
        "> " * 5_000,
        "*a " * 20_000,
        "<a " * 20_000,
        "<a {" * 20_000,
        "`" * 20_000,
        '<A x="' * 10_000,
        "- " * 5_000,
        "<script>\n" * 20_000,
        "<!--\n" * 20_000,
        "{/*\n" * 10_000,
    ],
    ids=lambda text: ascii(text[:6]),
)
def test_hostile_pages_end(hostile: str) -> None:
    read_markdown(hostile)
    read_markdown(hostile, mdx=True)


class Counted:
    """The end of something, counting how often it is sought; it is never found."""

    sought = 0

    def search(self, text: str, at: int) -> None:
        self.sought += 1


@pytest.mark.parametrize("opening", [opening for opening, _ in (*UNSEEN, JSX_COMMENT)])
def test_an_end_that_is_nowhere_is_sought_once(opening: Any) -> None:
    """Sought for every opening it would take the square of the time."""
    end: Any = Counted()
    text = "<script> <style> <!-- {/* " * 3
    assert _without(text, opening, end) == text
    assert end.sought == 1
