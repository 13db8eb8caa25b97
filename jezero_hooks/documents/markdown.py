"""Markdown → the words that a reader sees, as one line of plain text."""

from __future__ import annotations

import functools
import html
import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from ..model import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from markdown_it.token import Token

# A tag begins with a letter: `1 < 2 and 3 > 2` has none.
TAG = re.compile(r"</?[A-Za-z][^<>]*>|<[!?][^<>]*>")
# What stands between these is for the browser, or for whoever writes the page.
UNSEEN = tuple(
    (re.compile(opening, re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for opening, end in (
        (r"<script\b[^<>]*>", r"</script\s*>"),
        (r"<style\b[^<>]*>", r"</style\s*>"),
        ("<!--", "-->"),
    )
)
# In MDX an attribute's value may be an expression in braces, with > inside.
JSX_TAG = re.compile(
    r"</?>|</?[A-Za-z][\w.:-]*"
    r"(?:[^<>{}\"']|\"[^\"<>]{0,500}\"|'[^'<>]{0,500}'|\{(?:[^{}]|\{[^{}]{0,500}\}){0,500}\}){0,300}>"
)
JSX_COMMENT = re.compile(r"\{/\*"), re.compile(r"\*/\}")
IMPORT = re.compile(r"import\s+(?:[\w*{][^;]*\sfrom\s+)?['\"]|import\s*\{[^}]*$")
EXPORT = re.compile(r"export\s+(?:const|let|var|default|function|async|class|type|\{|\*)")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Text(NamedTuple):
    """What a page says: its first heading ("" without one), and all of its text."""

    heading: str
    text: str


def read_markdown(markdown: str, *, mdx: bool = False) -> Text:
    """Return first heading and text of Markdown, or of MDX, without its markup.

    Blanks are collapsed, control characters out. Source: RULES 12.2.
    """
    if mdx:
        markdown = _without_modules(markdown)
    tokens = _parser(mdx).parse(markdown)
    heading, pieces = "", list[str]()
    for index, token in enumerate(tokens):
        pieces.extend(_pieces(token, mdx))
        if token.type == "heading_open" and not heading:
            heading = one_line(" ".join(_pieces(tokens[index + 1], mdx)))
    return Text(heading, one_line(" ".join(pieces)))


def one_line(text: str) -> str:
    """Return a text with its blanks collapsed, control characters being blanks."""
    return " ".join(CONTROL.sub(" ", text).split())


@functools.cache
def _parser(mdx: bool) -> MarkdownIt:
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    # In MDX what is indented is no code, for JSX is nested by indenting, and a tag may hold
    # expressions, which as HTML would end at their first >.
    return made.disable(["code", "html_block", "html_inline"]) if mdx else made


def _pieces(token: Token, mdx: bool) -> Iterator[str]:
    if token.type == "inline":
        yield _inline(token.children or [], mdx)
    elif token.type in ("fence", "code_block"):
        yield token.content
    elif token.type == "html_block":
        text = token.content
        for opening, end in UNSEEN:
            text = _without(text, opening, end)
        yield html.unescape(TAG.sub(" ", text))
    elif token.type == "list_item_open" and token.info:
        yield token.info + token.markup  # a numbered step's number


def _inline(children: Iterable[Token], mdx: bool) -> str:
    """Return the text of a paragraph; in MDX tags are sought where no code stands."""
    text, between = "", ""
    for child in children:
        if child.type == "code_inline":
            text += (_without_jsx(between) if mdx else between) + child.content
            between = ""
        elif child.type == "image":
            between += _inline(child.children or [], mdx)
        elif child.type in ("softbreak", "hardbreak"):
            between += " "
        elif child.type != "html_inline":
            between += child.content
        elif child.content.lower().startswith("<br"):
            between += " "
    return text + (_without_jsx(between) if mdx else between)


def _without_jsx(text: str) -> str:
    if "<" not in text and "{" not in text:
        return text
    return JSX_TAG.sub(" ", _without(text, *JSX_COMMENT))


def _without(text: str, opening: re.Pattern[str], end: re.Pattern[str]) -> str:
    """Return a text without what lies from each opening to its end.

    After an opening that has no end none has one: to seek on would take the square of the time.
    """
    kept, at = list[str](), 0
    for begin in opening.finditer(text):
        if begin.start() < at:
            continue
        found = end.search(text, begin.end())
        if found is None:
            break
        kept += (text[at : begin.start()], " ")
        at = found.end()
    return "".join((*kept, text[at:]))


def _without_modules(markdown: str) -> str:
    """Return MDX without its lines of import and export, but for those in code."""
    kept, fence, depth = list[str](), "", 0
    for line in markdown.splitlines():
        opening = FENCE.match(line)
        if depth > 0:  # an export goes on until its brackets are closed
            depth = max(depth + _opened(line), 0) if line.strip() else 0
            continue
        if fence:
            fence = "" if opening and opening[1].startswith(fence) else fence
        elif opening:
            fence = opening[1]
        elif IMPORT.match(line) or EXPORT.match(line):
            depth = max(_opened(line), 0)
            continue
        kept.append(line)
    return "\n".join(kept)


def _opened(line: str) -> int:
    return sum(map(line.count, "{[(")) - sum(map(line.count, "}])"))
