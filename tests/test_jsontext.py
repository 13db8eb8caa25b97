"""Our JSON against the json module: the same values, the same text, the same refusals."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jezero_hooks import jsontext
from jezero_hooks.jsontext import dump, load, quote
from tests.commands import ROOT

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.text(st.characters(categories=["Cs", "Cc", "Zs", "Zl"]))
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


def by_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_or_refusal(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda name: 1 // 0)
    except (ValueError, ZeroDivisionError, RecursionError):
        return ValueError


def ours_or_refusal(text: str) -> Any:
    try:
        return load(text)
    except ValueError:
        return ValueError


@given(VALUES)
def test_dump_writes_what_json_writes(value: object) -> None:
    assert dump(value) == by_json(value)


@given(VALUES)
def test_load_gives_back_what_dump_wrote(value: object) -> None:
    assert load(dump(value)) == value
    assert json.loads(dump(value)) == value


@given(VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_load_reads_what_json_writes(value: object, ascii_only: bool, indent: Any) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert load(f" \n\t\r{text}\r\n ") == json.loads(text)


@given(st.text() | st.text('[]{}",:0123456789.eE+-truefalsn\\u \n\t\r\x0b\xa0\ufeff'))
@settings(max_examples=400)
def test_any_text_is_read_or_refused_as_json_does(text: str) -> None:
    assert ours_or_refusal(text) == json_or_refusal(text)


@given(VALUES, st.data())
def test_a_text_cut_or_with_a_character_changed(value: object, draw: st.DataObject) -> None:
    text = dump(value)
    at = draw.draw(st.integers(0, len(text)))
    for changed in (text[:at], text[:at] + draw.draw(st.characters()) + text[at + 1 :]):
        assert ours_or_refusal(changed) == json_or_refusal(changed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "nul",
        "NaN",
        "Infinity",
        "-Infinity",
        "[NaN]",
        '{"a": NaN}',
        "{} {}",
        "[1] x",
        "1 2",
        "'a'",
        "[1,]",
        '{"a":1,}',
        "{a: 1}",
        "{1: 1}",
        "[",
        "{",
        '"',
        '"\\',
        '"\\u12"',
        '"\\x"',
        '"a\nb"',
        '"\t"',
        "01",
        "1.",
        ".5",
        "+1",
        "0x1",
        "--1",
        "True",
        "\ufeff{}",
        "{}\x00",
        "\xa0{}",
        "\x0b1",
        "9" * 5_000,
        "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 100_000 + "]" * 100_000,
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_what_is_not_one_json_value_is_a_valueerror(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (the json module's own words)
        load(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None), ("0", 0), ("-0", 0), ("1e3", 1000.0), ("-1.5E-3", -0.0015),
        ('"\\ud83e\\udd99"', "🦙"), ('"\\ud83e"', "\ud83e"), ('"\\u0000\\/"', "\0/"),
        ('{"a":1,"a":2}', {"a": 2}), ("[]", []), ("{}", {}), ("\t\r\n 1 \n", 1),
        ("1e400", math.inf),
    ],
)  # fmt: skip
def test_load(text: str, value: object) -> None:
    assert load(text) == value
    assert type(load(text)) is type(value)


def test_dump_of_tuples_and_of_what_is_no_json() -> None:
    assert dump(("a", ("b", [None]))) == '["a",["b",[null]]]'
    for value in (object(), b"a", {1}, [1j]):
        with pytest.raises(TypeError, match="is no JSON value"):
            dump(value)


@given(VALUES)
@settings(max_examples=20)
def test_where_the_interpreter_has_no_scanner_json_does_the_work(value: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsontext, "_make_scanner", None)
        assert load(dump(value)) == value
        assert dump(value) == by_json(value)
        assert quote('"\n') == '"\\"\\n"'
        with pytest.raises(ValueError, match="NaN"):
            load("NaN")


def test_a_good_text_costs_no_json_module() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from jezero_hooks.jsontext import dump, load\n"
        "text = dump({'a': ['ñ', 1.5, None, True]})\n"
        "assert load(text) == {'a': ['ñ', 1.5, None, True]}\n"
        "print(sorted({'json', 're', 'enum', 'typing'} & sys.modules.keys()))"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout == "[]\n"
