"""Promises of the import, whatever a transcript holds."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jezero_hooks.importers.history import read_history
from jezero_hooks.importers.records import lines
from jezero_hooks.importers.transcript import Limits, prompt_uuids, read_session
from tests.importers.transcripts_read import MTIME, SESSION, items_of, texts_of

ATOMIC = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
ANY = st.recursive(
    ATOMIC,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
WORDS = st.sampled_from(
    [
        *("ok", "continue", "fix the banner", "¿Por qué falla?", "/review", "", "```", "**x**"),
        *("<system-reminder>a</system-reminder>", "<command-name>/x</command-name>", "a\ud800b"),
        *("word " * 120, "[Request interrupted by user]", "# T\n\n- a\n- b", "<private>x"),
    ]
)
BLOCK = st.one_of(
    ANY,
    st.fixed_dictionaries({"type": st.just("text"), "text": WORDS | ANY}),
    st.fixed_dictionaries(
        {
            "type": st.just("tool_use"),
            "id": st.sampled_from(["t1", "t2", "t3"]) | ANY,
            "name": st.sampled_from(["Bash", "Edit", "Read"]) | ANY,
            "input": st.fixed_dictionaries(
                {}, optional={"command": WORDS | ANY, "file_path": WORDS | ANY}
            )
            | ANY,
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("tool_result"),
            "tool_use_id": st.sampled_from(["t1", "t2", "t3"]) | ANY,
            "content": WORDS | ANY,
            "is_error": st.booleans() | ANY,
        }
    ),
)
TIMES = st.datetimes().map(lambda at: at.isoformat() + "Z") | ANY
RECORD = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["user", "assistant", "system", "custom-title", "summary", "odd"]),
        "message": st.fixed_dictionaries(
            {
                "content": WORDS | st.lists(BLOCK, max_size=4) | ANY,
                "id": st.sampled_from("mn") | ANY,
            }
        )
        | ANY,
        "timestamp": TIMES,
    },
    optional={
        "uuid": st.uuids().map(str) | ANY,
        "parentUuid": st.sampled_from(["p", "q", None]) | ANY,
        "subtype": st.just("compact_boundary") | ANY,
        "isSidechain": ANY,
        "isMeta": ANY,
        "cwd": st.sampled_from(["/a/b", "/c"]) | ANY,
        "sessionId": st.just(SESSION) | ANY,
        "origin": ANY,
        "customTitle": WORDS | ANY,
        "summary": WORDS | ANY,
        "leafUuid": ANY,
        "toolUseResult": ANY,
        "isApiErrorMessage": ANY,
    },
)
LINE = (RECORD | ANY).map(lambda value: json.dumps(value).encode() + b"\n") | st.binary(
    max_size=40
).map(lambda noise: noise.replace(b"\n", b"") + b"\n")
FILE = st.lists(LINE, max_size=8)
LIMITS = Limits()


@settings(max_examples=80, deadline=None)
@given(FILE)
def test_no_record_raises_and_every_field_keeps_its_size(rows: list[bytes]) -> None:
    session = read_session(f"/p/{SESSION}.jsonl", rows, MTIME)
    for item in items_of(session):
        assert 0 < len(item.title) <= LIMITS.title_chars
        assert "\n" not in item.title + item.summary + "".join(item.questions)
        assert len(item.summary) <= LIMITS.asked_chars + LIMITS.ended_chars + 3
        assert len(item.questions) <= LIMITS.questions
        assert all(0 < len(question) <= LIMITS.question_chars for question in item.questions)
        assert len(item.atoms) <= LIMITS.atoms
        assert all(0 < len(atom.text) <= LIMITS.atom_chars for atom in item.atoms)
        assert item.occurred_at.endswith("+00:00")
        assert not item.occurred_at.startswith("1")
        "\n".join(texts_of(item)).encode()  # no lone surrogate


@settings(max_examples=30, deadline=None)
@given(FILE, st.integers(1, 64))
def test_how_the_bytes_arrive_changes_nothing(rows: list[bytes], size: int) -> None:
    class Trickle(BytesIO):
        """A stream whose lines come in pieces of `size` bytes inside."""

        def readline(self, limit: int | None = -1, /) -> bytes:
            line = b""
            while not line.endswith(b"\n") and (piece := super().readline(size)):
                line += piece
            return line

    path = f"/p/{SESSION}.jsonl"
    whole = read_session(path, rows, MTIME)
    assert read_session(path, lines(BytesIO(b"".join(rows))), MTIME) == whole
    assert read_session(path, lines(Trickle(b"".join(rows))), MTIME) == whole
    assert items_of(whole) == items_of(read_session(path, iter(rows), MTIME))


def prompt(number: int, parent: str | None, hours: int) -> dict[str, Any]:
    day, hour = divmod(hours, 24)
    return {
        "type": "user",
        "uuid": f"u{number}",
        "parentUuid": parent,
        "timestamp": f"2026-01-{1 + day % 28:02}T{hour:02}:00:00Z",
        "message": {"content": f"question number {number}"},
    }


GROWING = st.lists(
    st.tuples(
        st.sampled_from(["prompt", "prompt", "prompt", "answer", "compaction"]),
        st.sampled_from([None, "p"]),
        st.integers(0, 12),
    ),
    min_size=2,
    max_size=30,
)


@settings(max_examples=200, deadline=None)
@given(GROWING, st.data())
def test_growth_moves_no_finished_segment(
    steps: list[tuple[str, str | None, int]], data: st.DataObject
) -> None:
    rows: list[bytes] = []
    hours = 0
    for number, (kind, parent, idle) in enumerate(steps):
        hours += idle
        record = prompt(number, parent, hours)
        if kind == "answer":
            record |= {"type": "assistant", "message": {"content": "an answer"}}
        elif kind == "compaction":
            record |= {"type": "system", "subtype": "compact_boundary"}
        rows.append(json.dumps(record).encode() + b"\n")
    cut = data.draw(st.integers(0, len(rows)))
    before = read_session(f"/p/{SESSION}.jsonl", rows[:cut], MTIME)
    after = read_session(f"/p/{SESSION}.jsonl", rows, MTIME)
    ids = [item.external_id for item in items_of(before, prompts=4)]
    grown = [item.external_id for item in items_of(after, prompts=4)]
    assert grown[: len(ids)] == ids
    finished = items_of(before, prompts=4)[:-1]
    assert items_of(after, prompts=4)[: len(finished)] == finished
    assert prompt_uuids(after)[: len(prompt_uuids(before))] == prompt_uuids(before)


@settings(max_examples=40, deadline=None)
@given(st.lists(LINE, max_size=8))
def test_no_history_raises(rows: list[bytes]) -> None:
    read_history("h", rows, project_of=lambda folder: None, redact=lambda text: (text, 0))
