"""Lines to records, and what a field may hold."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO

import pytest

from jezero_hooks.importers import records
from jezero_hooks.importers.records import lines, record_of, text_of, time_of

NOISE = (
    b'{"type":"api-request-blob","message":{"role":"user"',
    b'  {"type": "file-history-snapshot"}',
    b'{"parentUuid":null,"isSidechain":false,"attachment":{"type":"x"},"type":"attachment"}',
    b'{"parentUuid":"8f-1","isSidechain":true,"attachment":{"cut',
    b"",
    b" \t\r\n",
)


@pytest.mark.parametrize("line", NOISE)
def test_what_cannot_matter_is_not_parsed(line: bytes) -> None:
    assert record_of(line) is None


@pytest.mark.parametrize(
    "words",
    [
        '{"type":"api-request-blob"',
        '"isSidechain":false,"attachment":{',
        '{"parentUuid":null,"isSidechain":false,"attachment":{"type":"x"},"type":"attachment"}',
    ],
)
def test_words_in_a_prompt_do_not_make_its_record_noise(words: str) -> None:
    record = {"parentUuid": None, "isSidechain": False, "type": "user", "message": words}
    assert record_of(json.dumps(record, separators=(",", ":")).encode()) == record
    assert record_of(json.dumps({"type": "user", "message": words}).encode()) is not None


def test_a_record_inside_a_record_does_not_make_it_noise() -> None:
    inside = {"parentUuid": None, "isSidechain": False, "attachment": {}, "type": "attachment"}
    record = {"uuid": "u1", "type": "user", "toolUseResult": inside}
    assert record_of(json.dumps(record, separators=(",", ":")).encode()) == record


def test_images_are_taken_out_of_a_long_line_unparsed() -> None:
    words = '"data":"' + "QUJD" * 60 + '"'
    image = {"type": "image", "source": {"data": "iVBO" * 40_000}, "file": {"base64": "iVBO" * 90}}
    record = record_of(json.dumps({"type": "user", "text": words, "message": image}).encode())
    assert record is not None
    assert record["message"] == {"type": "image", "source": {"data": ""}, "file": {"base64": ""}}
    assert record["text"] == words


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b'{"a":"\xff"}', "not UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', "not UTF-8"),
        (b'{"a":"\x00"}', "not JSON"),
        (b'{"a":' + b"9" * 5_000 + b"}", "not JSON|limit"),
        (b"[" * 200_000, "nested too deep"),
    ],
)
def test_a_bad_line_has_a_reason(line: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        record_of(line)


def test_a_reason_quotes_nothing_of_the_line() -> None:
    with pytest.raises(ValueError, match="not JSON") as caught:
        record_of(b'{"password": hunter2Secret}')
    assert "hunter2" not in str(caught.value)


def test_a_line_without_end_is_cut_and_the_next_ones_keep_their_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(records, "LINE_BYTES", 10)
    found = list(lines(BytesIO(b"x" * 35 + b"\n{}\n" + b"y" * 9 + b"\nlast")))
    assert found == [b"x" * 10, b"{}\n", b"y" * 9 + b"\n", b"last"]
    with pytest.raises(ValueError, match="longer"):
        record_of(found[0])


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-09-01T10:00:00.000Z", datetime(2026, 9, 1, 10, tzinfo=UTC)),
        ("2026-09-01T12:00:00+02:00", datetime(2026, 9, 1, 10, tzinfo=UTC)),
        ("2026-09-01T10:00:00", datetime(2026, 9, 1, 10, tzinfo=UTC)),
        (1_788_256_800_000, datetime(2026, 9, 1, 10, tzinfo=UTC)),
        *((nonsense, None) for nonsense in (0, None, True, "", "yesterday", [], {}, -1, 1e300)),
        *((nonsense, None) for nonsense in (float("nan"), float("inf"), 10**40)),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("1970-01-01T00:00:00Z", None),
    ],
)
def test_time_of(value: object, moment: datetime | None) -> None:
    assert time_of(value) == moment


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\r\nb\rc", "a\nb\nc"),
        ("\ufefftab\tkept\x00\x07", "tab\tkept"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07end", "red end"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("see " + "QUJD" * 60 + "== here", "see … here"),
        (None, ""),
        (7, ""),
        (["a"], ""),
    ],
)
def test_text_of(value: object, text: str) -> None:
    assert text_of(value) == text
