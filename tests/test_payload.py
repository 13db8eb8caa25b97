"""The payload: what the client writes, as far as it is of the right form; and what is a prompt."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.model import Payload
from jezero_hooks.payload import asked, parse_payload

NOTHING = Payload(None, None, None, None, None)
WHOLE = {
    "session_id": "s-1",
    "transcript_path": "/t.jsonl",
    "cwd": "/w/orion",
    "source": "startup",
    "prompt": "hola",
}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"  \n",
        b'{"session_id":"s1","prompt":"hola',
        b"null",
        b"[]",
        b'"x"',
        b"7",
        b"\xff{}",
        b'{"prompt":NaN}',
        b'{"prompt":"a\nb"}',
        b"{} {}",
        b"{'prompt':'a'}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{}\0",
        b'{"a":' + b"1" * 10_000 + b"}",
    ],
    ids=lambda raw: repr(raw[:20]),
)
def test_what_is_not_one_object_is_none(raw: bytes) -> None:
    assert parse_payload(raw) is None


@pytest.mark.parametrize("wrong", [None, 7, 1.5, True, [], ["x"], {}, {"a": 1}])
def test_a_field_of_another_type_is_missing(wrong: object) -> None:
    assert parse_payload(json.dumps(dict.fromkeys(WHOLE, wrong)).encode()) == NOTHING
    for name in WHOLE:
        parsed = parse_payload(json.dumps({**WHOLE, name: wrong}).encode())
        assert parsed == Payload(**WHOLE)._replace(**{name: None})


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b" \r\n\t"])
@pytest.mark.parametrize("after", [b"", b"\n", b"\r\n", b"  "])
def test_a_bom_and_blanks_do_not_matter(before: bytes, after: bytes) -> None:
    raw = before + json.dumps({**WHOLE, "new_field": {"x": [1]}}).encode() + after
    assert parse_payload(raw) == Payload(**WHOLE)


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    parsed = parse_payload(b'{"prompt":"a\xf1o"}')
    assert parsed == NOTHING._replace(prompt="a\ufffdo")


@given(st.binary(max_size=200))
def test_no_bytes_raise(raw: bytes) -> None:
    parse_payload(raw)
    parse_payload(b'{"prompt":' + raw + b"}")


@given(st.dictionaries(st.sampled_from([*WHOLE, "other"]), st.text() | st.integers() | st.none()))
def test_any_text_comes_through_whole(fields: dict[str, object]) -> None:
    texts = {k: v for k, v in fields.items() if isinstance(v, str) and k in WHOLE}
    for ascii_only in (True, False):
        raw = json.dumps(fields, ensure_ascii=ascii_only).encode()
        assert parse_payload(raw) == NOTHING._replace(**texts)


ASKED = {
    "hola": "hola",
    "  dos\nlíneas \r\n": "dos\nlíneas",
    "": "",
    " \t\n": "",
    "/clear": "",
    " /clear \n": "",
    "/consent:banner": "",
    "/": "",
    "/saluda Ana": "Ana",
    "/saluda\n\nAna y  Luis": "Ana y  Luis",
    "/etc/hosts is wrong": "/etc/hosts is wrong",
    "//x y": "//x y",
    "<task-notification>\n<task-id>b1": "",
    "  <task-notification> x": "",
    "why <task-notification>?": "why <task-notification>?",
    "<task>": "<task>",
    "# título": "# título",
    "!ls": "!ls",
    "@file": "@file",
}


@pytest.mark.parametrize(("prompt", "words"), ASKED.items())
def test_asked(prompt: str, words: str) -> None:
    assert asked(prompt) == words


@given(st.text())
def test_what_is_asked_is_the_prompts_end(prompt: str) -> None:
    words = asked(prompt)
    assert prompt.strip().endswith(words)
    assert words == words.strip()
