"""Words of an item: tables."""

from __future__ import annotations

import pytest

from jezero_hooks.importers.prompts import says_something, typed
from jezero_hooks.importers.wording import (
    cut,
    named_title,
    plain,
    questions_of,
    summary_of,
    title_of,
)

LONG = "The consent banner on the landing page of the shop, which we changed in spring, flickers"


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Explain the module layout.", "Explain the module layout"),
        ("Why?", "Why?"),
        ("¿Por qué falla? Mañana hay que entregar.", "¿Por qué falla?"),
        ("Hola.\n\nRevisa el README, por favor.", "Revisa el README, por favor"),
        ("Hi! Please look at this. The banner flickers.", "The banner flickers"),
        ("Fix. The banner flickers.", "The banner flickers"),
        ("Flickering! The banner does it.", "Flickering! The banner does it"),
        ("# Banner flickers on Safari\n\nSteps: …", "Banner flickers on Safari"),
        ("# Task\n\nFix the banner.\n- a\n- b", "Fix the banner"),
        (
            "Fix this:\n\n```py\nx = 1\n```\n\nIt raises a KeyError.",
            "Fix this: It raises a KeyError",
        ),
        ("```\nTraceback\nKeyError: 'x'\n```", "Traceback KeyError: 'x'"),
        ("- fix the banner\n- add a test", "fix the banner"),
        ("Two steps:\n- fix the banner\n- add a test", "Two steps: fix the banner"),
        ("1. fix the banner", "fix the banner"),
        (
            "Use `suma()` in **app.py**, e.g. for v. 2. Then stop.",
            "Use suma() in app.py, e.g. for v. 2",
        ),
        ("See [the issue](https://x.test/i/1) and fix it", "See the issue and fix it"),
        ("Fix https://github.com/a/b/issues/12?x=1#top now", "Fix github.com/a/b/issues/12 now"),
        ("Read https://u:p@x.test/" + "a" * 80 + " first", "Read x.test first"),
        ('Look at @src/app.py and @"my file.md", not at @dataclass', None),
        ("mail ana@example.test about it", "mail ana@example.test about it"),
        ("/saluda Ana", "/saluda Ana"),
        ("修复横幅。然后测试。", "修复横幅。"),
        ("Compare C# and C++", "Compare C# and C++"),
        ("... ", "..."),
        (f"{LONG} and flickers", LONG),
        ("a" * 300, "a" * 90),
    ],
)
def test_title_of(prompt: str, title: str | None) -> None:
    if title is None:
        title = 'Look at src/app.py and "my file.md", not at @dataclass'
    assert title_of(prompt, 90) == title


@pytest.mark.parametrize("part", [1, 2, 12])
@pytest.mark.parametrize("name", ["Fix the banner", LONG + " and flickers again", "b" * 200])
def test_a_title_has_room_for_its_part(name: str, part: int) -> None:
    title = named_title(name, part, 90)
    assert len(title) <= 90
    assert title.endswith(f" (part {part})") is (part > 1)
    assert name.startswith(title.partition(" (part")[0])


@pytest.mark.parametrize(
    ("text", "chars", "expected"),
    [
        ("one two three", 13, "one two three"),
        ("one two three", 12, "one two"),
        ("one two, three", 9, "one two"),
        ("one two (three", 9, "one two"),
        ("one (two three four", 11, "one (two"),
        ("abcdefghij kl", 6, "abcdef"),
    ],
)
def test_cut_ends_on_a_word(text: str, chars: int, expected: str) -> None:
    assert cut(text, chars) == expected


SAYS_NOTHING = (
    *("ok", "OK!", "continue", "Continue.", "yes", "sí", "Sí, sigue.", "sigue", "gracias", "dale"),
    *("go on", "go ahead, please", "perfecto, gracias", "vale", "do it", "hazlo", "looks good"),
    *("1", "y", "?", "👍", "", "/review", "/plugin:do-it", "hola", "thanks!!", "继续", "Continúa"),
)
SAYS_SOMETHING = (
    *("Why?", "¿Por qué?", "fix the banner", "ok, now the footer", "/saluda Ana", "run tests"),
    *("continúa sin eso", "修复", "/home/dev/x.py", "commit", "yes, but only on Safari"),
)


@pytest.mark.parametrize("prompt", SAYS_NOTHING)
def test_says_nothing(prompt: str) -> None:
    assert not says_something(prompt)


@pytest.mark.parametrize("prompt", SAYS_SOMETHING)
def test_says_something(prompt: str) -> None:
    assert says_something(prompt)


def test_questions_first_and_last_before_middle_ones() -> None:
    prompts = [f"question {n}" for n in range(10)]
    kept = ("question 0", "question 1", "question 2", "question 7", "question 8", "question 9")
    assert questions_of(prompts, 200, 6) == kept
    assert questions_of(prompts, 200, 3) == ("question 0", "question 1", "question 9")
    assert questions_of(prompts, 200, 0) == ()


def test_questions_once_each_one_line_and_cut() -> None:
    prompts = ["Fix  the\nbanner", "ok", "fix the BANNER", "gracias", "xy " * 300]
    first, second = questions_of(prompts, 200, 6)
    assert first == "Fix the banner"
    assert second == ("xy " * 67).strip()


@pytest.mark.parametrize(
    ("answer", "ended"),
    [
        ("Fixed the bug.\n\nThe tests pass.", "Fixed the bug."),
        ("## Summary\n\n**Fixed** the `bug`.", "Fixed the bug."),
        ("## Summary\nFixed the bug.", "Fixed the bug."),
        (
            "What I did:\n\n- fixed the bug\n- added a test",
            "What I did: fixed the bug added a test",
        ),
        ("| a | b |\n|---|---|\n\n---\n\nFixed.", "Fixed."),
        ("```py\nx = 1\n```\n\nThat was it.", "That was it."),
        ("## Only a heading", "Only a heading"),
        ("see __init__.py and *.py", "see __init__.py and *.py"),
    ],
)
def test_summary_ends_with_the_answers_first_paragraph(answer: str, ended: str) -> None:
    assert summary_of("Fix\nit", answer, 300, 500) == f"Fix it → {ended}"


def test_summary_sizes_and_missing_halves() -> None:
    whole = summary_of("ask " * 200, "end " * 200, 300, 500)
    asked, _, ended = whole.partition(" → ")
    assert asked == ("ask " * 75).strip()
    assert ended == ("end " * 125).strip()
    assert summary_of("ask", "", 300, 500) == "ask"
    assert summary_of("```\nKeyError: x\n```", "", 300, 500) == "KeyError: x"
    assert summary_of("", "end", 300, 500) == "→ end"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<system-reminder>\nnot mine\n</system-reminder>\nmine", "mine"),
        ("mine <system-reminder>a</system-reminder> too", "mine  too"),
        ("<ide_opened_file>x</ide_opened_file>fix it", "fix it"),
        ("what does `<system-reminder>` mean?", "what does `<system-reminder>` mean?"),
        ("<task-notification>\n<task-id>1", ""),
        ("[Request interrupted by user for tool use]", ""),
        ("use <private>my key</private> here", "use  here"),
        ("use <private>my key", "use"),
        ("see [Image #1] and [Pasted text #2 +14 lines]", "see  and"),
        ("[Image: source: /tmp/x.png]", ""),
        ("an [Image of Rome] stays", "an [Image of Rome] stays"),
        (
            "<command-message>saluda</command-message>\n<command-name>/saluda</command-name>\n"
            "<command-args>Ana</command-args>",
            "/saluda Ana",
        ),
        ("<command-name>/saluda</command-name> <command-args>Ana</command-args>", "/saluda Ana"),
        (
            "<command-message>review</command-message>\n<command-name>/review</command-name>",
            "/review",
        ),
        ("<command-name>/model</command-name>\n<command-args>opus</command-args>", ""),
        (
            "<command-name>/brandnew</command-name>\n            <command-message>brandnew"
            "</command-message>\n            <command-args>x</command-args>",
            "",
        ),
    ],
)
def test_typed(text: str, expected: str) -> None:
    assert typed(text) == expected


def test_typed_stays_linear_on_hostile_text() -> None:
    hostile = "<system-reminder>" * 100_000 + "<private>" * 10 + "```" * 1_001 + "[a](" * 50_000
    assert typed(hostile) == ""
    assert typed("x" + hostile).startswith("x")
    assert plain("[" * 100_000 + "](" * 100_000)
