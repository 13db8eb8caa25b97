"""The prompt history to thin items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jezero_hooks.importers.history import read_history
from jezero_hooks.model import ImportFailure, NewItem

START_MS = 1_788_256_800_000  # 2026-09-01 10:00 UTC


def line(display: object, session: str = "s1", minute: int = 0, **more: Any) -> bytes:
    record = {"display": display, "pastedContents": {}, "timestamp": START_MS + minute * 60_000}
    record |= {"project": "/home/dev/code/orion", "sessionId": session, **more}
    return json.dumps(record).encode() + b"\n"


def read(*rows: bytes) -> tuple[list[NewItem], int, tuple[ImportFailure, ...]]:
    return read_history(
        "history.jsonl",
        rows,
        project_of=lambda folder: Path(folder).name,
        redact=lambda text: (text.replace("S3CR3T", "[s]"), text.count("S3CR3T")),
    )


def test_one_thin_item_a_session() -> None:
    found, secrets, failures = read(
        line("Fix the banner. It flickers.", "s1", 0),
        line("explain the footer", "s2", 1),
        line("ok", "s1", 2),
        line("and now with S3CR3T?", "s1", 3),
    )
    assert found == [
        NewItem(
            source="claude-code",
            external_id="s1",
            occurred_at="2026-09-01T10:03:00+00:00",
            title="Fix the banner",
            summary="Fix the banner. It flickers.",
            questions=("Fix the banner. It flickers.", "and now with [s]?"),
            project="orion",
        ),
        NewItem(
            source="claude-code",
            external_id="s2",
            occurred_at="2026-09-01T10:01:00+00:00",
            title="explain the footer",
            summary="explain the footer",
            questions=("explain the footer",),
            project="orion",
        ),
    ]
    assert (secrets, failures) == (1, ())


def test_what_is_no_prompt_gives_no_item() -> None:
    found, _, failures = read(
        line("/clear "),
        line("/model opus"),
        line("!ls -la"),
        line("ok"),
        line("[Pasted text #1 +20 lines]"),
        line("no session", session=""),
        line("no time", timestamp=0),
        line(None),
        line(["a"]),
        b'{"display":"no session at all","timestamp":1788256800000}\n',
        b"{}\n",
    )
    assert (found, failures) == ([], ())


def test_a_custom_command_and_placeholders() -> None:
    (item,), _, _ = read(line("/saluda Ana"), line("see [Pasted text #1 +20 lines] here", minute=1))
    assert item.questions == ("/saluda Ana", "see here")
    assert item.title == "/saluda Ana"


def test_bad_lines_are_failures_and_cost_nothing_else() -> None:
    found, _, failures = read(b"}{\n", line("fix the banner"), b"[]\n", b"\xff\n", b"\n")
    assert [item.title for item in found] == ["fix the banner"]
    assert [(failure.path, failure.line) for failure in failures] == [
        ("history.jsonl", 1),
        ("history.jsonl", 3),
        ("history.jsonl", 4),
    ]


def test_no_project_without_a_folder() -> None:
    (item,), _, _ = read(line("fix the banner", project=None))
    assert item.project is None
