"""Prompts and answers to the words of an item: title, questions, summary. Pure, no model.

Every text that comes in is redacted already: a cut never hides half of a secret.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..rules.fold import fold
from .prompts import names_subject, says_something

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# No label, for "asked" and "ended" would be words of every item and count as evidence.
ENDED_MARK = " → "
# The title and the ending lie at the start of a text; a pasted log behind them does not matter.
READ_CHARS = 8_000
# A first sentence shorter than this ("Fix.", "Task:") takes the next one along.
SHORT_SENTENCE_WORDS = 2
LONG_URL_CHARS = 60

# A title ends without these; a text that had to be cut also without what only opens.
TRAILING = " ,;:.…-–—"
DANGLING = TRAILING + "·•/\\|([{<«“‘¿¡→"
_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.S)
_LINK = re.compile(r"!?\[([^\[\]\n]{0,200})\]\([^()\s]{1,500}\)")
_URL = re.compile(r"\b(?:https?|ftp)://([^\s/<>\"'`?#]+)([^\s<>\"'`?#]*)[^\s<>\"'`]*")
_MENTION = re.compile(r"(?<!\S)@(?=\"[^\"\n]{1,300}\"|[\w~./-]*[/.\\]\w)")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$|[ \t]*\|")
_LINE_MARK = re.compile(r"^[ \t]*(?:#{1,6}|>+|[-*+•]|\d{1,2}[.)])(?:[ \t]+(?:\[[ xX]\][ \t]+)?|$)")
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”]*|(?=\n\n)")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|p\. ?ej|ej|etc|vs|cf|approx|aprox"
    r"|n[oº]|núm|pág|sra?|dr|mrs?|[^\W\d])$",
    re.I,
)


def one_line(text: str) -> str:
    """Return text as one line, every run of spaces one space."""
    return " ".join(text.split())


def cut(text: str, chars: int) -> str:
    """Return one line in at most so many characters, cut on a word's end, no comma dangling.

    A first word that is longer than half the room is broken, so that a text without spaces
    (Chinese, a path) is not lost.
    """
    if len(text) <= chars:
        return text
    end = text.rfind(" ", 0, chars + 1)
    return text[: end if end > chars // 2 else chars].rstrip(DANGLING)


def plain(text: str) -> str:
    """Return text without Markdown marks: fences out, links as their words, URLs short."""
    text = _LINK.sub(r"\1", _FENCE.sub("\n\n", text[:READ_CHARS]))
    text = _URL.sub(_short_url, text)
    return _MENTION.sub("", text).replace("**", "").replace("`", "")


def title_of(prompt: str, chars: int) -> str:
    """Return a title from a prompt: its first sentence that names a subject, one line.

    "Please help me. I have a problem. The export prints blank pages." is about the last. Where
    no sentence does, the first one that says anything at all.
    """
    paragraphs = _paragraphs(prompt, headings=True) or [prompt[:READ_CHARS].replace("`", "")]
    sentence = next(filter(None, (_sentence(one, names_subject) for one in paragraphs)), "")
    if not sentence:
        paragraph = next(filter(says_something, paragraphs), paragraphs[0])
        sentence = _sentence(paragraph, says_something) or one_line(paragraph)
    return cut(sentence, chars).rstrip(TRAILING) or sentence[:chars]


def _sentence(paragraph: str, tells: Callable[[str], bool]) -> str:
    """Return the first sentence that tells, with the next ones while it is too short; or ""."""
    start = 0
    for end in [*_sentence_ends(paragraph), len(paragraph)]:
        sentence = one_line(paragraph[start:end])
        if not tells(sentence):
            start = end  # "Hola." or "Ok." before the matter itself
        elif not _goes_on(sentence) or end == len(paragraph):
            return sentence
    return ""


def named_title(name: str, part: int, chars: int) -> str:
    """Return a title with "(part k)" behind it from the second part on, both within chars."""
    suffix = f" (part {part})" if part > 1 else ""
    return cut(one_line(name), chars - len(suffix)) + suffix


def questions_of(prompts: Iterable[str], chars: int, most: int) -> tuple[str, ...]:
    """Return the prompts that say something, in order, each once and one line.

    Of more than `most`, the first ones and the last ones stay: how it began and how it ended.
    """
    once: dict[str, str] = {}
    for prompt in prompts:
        question = cut(one_line(prompt[:READ_CHARS].replace("```", " ")), chars)
        if question and says_something(prompt):
            once.setdefault(fold(question), question)
    questions = list(once.values())
    if len(questions) > most:
        last = most // 2
        questions = questions[: most - last] + questions[len(questions) - last :]
    return tuple(questions)


def summary_of(asked: str, answer: str, asked_chars: int, ended_chars: int) -> str:
    """Return what was asked and, behind an arrow, how it ended: the answer's first paragraph."""
    ended = cut(_first_paragraph(answer), ended_chars)
    # A prompt that is nothing but a code block was asked all the same.
    asked = cut(one_line(plain(asked)) or one_line(asked[:READ_CHARS].strip("`~ ")), asked_chars)
    return (asked + (ENDED_MARK if asked else "→ ") + ended) if ended else asked


def _first_paragraph(text: str) -> str:
    """Return the first paragraph with words, one line; one that announces takes the next along."""
    return one_line((_paragraphs(text) or [plain(text)])[0])


def _paragraphs(text: str, headings: bool = False) -> list[str]:
    """Return the paragraphs with words: lines without marks, an empty line before a list's item.

    Rules and tables are none. A heading is one where a person wrote it (headings), and then
    only with as many words as a sentence needs. What only announces ("What I did:") is one
    with the next.
    """
    found: list[str] = []
    for block in re.split(r"\n[ \t]*\n", plain(text)):
        kept = [line for line in block.split("\n") if line.strip() and not _RULE.match(line)]
        while kept and _HEADING.match(kept[0]):
            heading = _unmarked([kept.pop(0)])
            if headings and len(heading.split()) >= SHORT_SENTENCE_WORDS:
                found.append(heading)
        if words := _unmarked(kept):
            if found and found[-1].endswith(":"):
                words = f"{found.pop()}\n{words}"
            found.append(words)
    if not found and not headings:
        found = [words for words in [_unmarked(plain(text).split("\n"))] if words]
    return found


def _unmarked(lines: Sequence[str]) -> str:
    rows = [_LINE_MARK.sub(r"\n" if n else "", line).rstrip() for n, line in enumerate(lines)]
    return "\n".join(rows).strip()


def _goes_on(sentence: str) -> bool:
    """Return whether a sentence needs the next one: too short, or it only announces."""
    short = len(sentence.split()) < SHORT_SENTENCE_WORDS and sentence[-1:] not in "。！？"
    return short or sentence.endswith(":")


def _sentence_ends(paragraph: str) -> list[int]:
    ends = []
    for end in _SENTENCE_END.finditer(paragraph):
        after = paragraph[end.end() : end.end() + 2]
        lower = not after.startswith("\n") and after.strip().islower()
        abbreviated = _ABBREVIATION.search(paragraph[max(end.start() - 8, 0) : end.start()])
        if end[0] != "." or not (lower or abbreviated):
            ends.append(end.end())
    return ends


def _short_url(url: re.Match[str]) -> str:
    host, path = url[1].rpartition("@")[2], url[2].rstrip("/")
    return host + path if len(host) + len(path) <= LONG_URL_CHARS else host
