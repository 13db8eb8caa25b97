"""Lines of one transcript to a session."""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

from ..model import ImportFailure
from .prompts import TEXT_CHARS, bounded, prompt_of, without_added
from .records import record_of, text_of, time_of
from .session import Answer, Call, Outage, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from .records import Record

# A file that is no transcript at all would otherwise give one failure a line.
MAX_SKIPPED = 100
# A tool's input says what it did in one of these; the first that is there is shown.
TARGETS = (
    *("command", "file_path", "notebook_path", "pattern", "query", "url"),
    *("description", "skill", "subject", "path"),
)
TARGET_CHARS = 8_000
# No item shows more of a session than this; of what comes later a beginning is enough.
SESSION_CHARS, LATE_TEXT_CHARS = 8_000_000, 8_000
# The client gives its own title "x" to nothing; two letters are no title to find again.
SHORTEST_TITLE = 3

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")


def read_session(
    path: str, lines: Iterable[bytes], mtime: float, named: str | None = None
) -> Session:
    """Return the session of a transcript; one without prompts has no turns. Never raises.

    Lines that are no records are in `skipped`, with their numbers from 1. `named` is a title
    from beside the file (walk.sidecar_title), which goes before the titles in it.
    """
    reader = _TurnReader()
    skipped: list[ImportFailure] = []
    faults = 0
    for index, line in enumerate(lines):
        try:
            record = record_of(line)
        except ValueError as fault:
            faults += 1
            if faults <= MAX_SKIPPED:
                skipped.append(ImportFailure(path, index + 1, str(fault)))
            continue
        if record is not None:
            reader.take(index, record)
    if faults > MAX_SKIPPED:
        skipped.append(
            ImportFailure(path, None, f"{faults - MAX_SKIPPED} more lines are no records")
        )
    reader.close()
    stem = os.path.basename(path).removesuffix(".jsonl")
    session_id = stem if _UUID.match(stem) or not reader.session_id else reader.session_id
    custom, client = reader.titles({session_id, stem})
    return Session(
        session_id, path, mtime, reader.first_folder, text_of(named).strip() or custom, client,
        tuple(reader.turns), tuple(skipped),
    )  # fmt: skip


class _TurnReader:
    """Takes records in the order of the file; turns holds the finished ones."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.session_id: str | None = None
        self.first_folder: str | None = None
        self._folder: str | None = None
        self._turn: Turn | None = None
        self._steps: list[Answer | Call | Outage] = []
        self._calls: dict[str, int] = {}
        self._last_at: datetime | None = None
        self._compaction: int | None = None
        self._uuids: set[str] = set()
        self._kept_chars = 0
        self._titles: list[tuple[str, str, str | None]] = []

    def take(self, index: int, record: Record) -> None:
        kind = record.get("type")
        if kind in ("custom-title", "ai-title", "summary"):
            self._take_title(record)
        if record.get("isSidechain") is True or kind not in ("user", "assistant", "system"):
            return
        uuid = _string(record.get("uuid"))
        if uuid is not None:
            if uuid in self._uuids:
                return  # a resume repeats records within the file
            self._uuids.add(uuid)
        self.session_id = self.session_id or _string(record.get("sessionId"))
        self._folder = _string(record.get("cwd")) or self._folder
        self.first_folder = self.first_folder or self._folder
        if kind == "system":
            if record.get("subtype") == "compact_boundary":
                self._compaction = index
        elif kind == "user":
            self._take_user(index, record)
        else:
            self._take_answer(record)

    def close(self) -> None:
        """End the turn that is open."""
        if self._turn is not None:
            self.turns.append(self._turn._replace(last_at=self._last_at, steps=tuple(self._steps)))
        self._turn, self._steps, self._calls, self._last_at = None, [], {}, None

    def titles(self, own_ids: set[str]) -> tuple[str | None, str | None]:
        """Return the user's title and the client's: the last of each that is this session's."""
        found: dict[str, str] = {}
        for kind, title, owner in self._titles:
            if kind == "summary":
                own, kind = owner in self._uuids, "ai-title"
            else:
                own = owner is None or owner in own_ids
            if own and (kind == "custom-title" or len(title) >= SHORTEST_TITLE):
                found[kind] = title
        return found.get("custom-title"), found.get("ai-title")

    def _take_title(self, record: Record) -> None:
        kind = str(record["type"])
        field = {"custom-title": "customTitle", "ai-title": "aiTitle"}.get(kind, "summary")
        title = text_of(record.get(field)).strip()
        owner = record.get("leafUuid" if kind == "summary" else "sessionId")
        if title:
            self._titles.append((kind, bounded(title, TARGET_CHARS), _string(owner)))

    def _take_user(self, index: int, record: Record) -> None:
        for block in _blocks(record):
            if block.get("type") == "tool_result":
                self._take_result(block, record)
        prompt = prompt_of(record)
        if prompt is None:
            return
        self.close()
        at = time_of(record.get("timestamp"))
        self._turn = Turn(
            index, _string(record.get("uuid")), _string(record.get("parentUuid")), prompt,
            self._folder, at, at, self._compaction, (),
        )  # fmt: skip
        self._last_at, self._compaction = at, None

    def _take_result(self, block: Record, record: Record) -> None:
        self._last_at = time_of(record.get("timestamp")) or self._last_at
        at = self._calls.get(_string(block.get("tool_use_id")) or "")
        if at is None:
            return
        step, result = self._steps[at], record.get("toolUseResult")
        if not isinstance(step, Call) or (isinstance(result, dict) and result.get("interrupted")):
            return
        outcome = ""
        if block.get("is_error") is True:
            outcome = self._kept(without_added(_result_text(block))) or "failed"
        self._steps[at] = step._replace(outcome=outcome)

    def _take_answer(self, record: Record) -> None:
        self._last_at = time_of(record.get("timestamp")) or self._last_at
        message = record.get("message")
        message_id = _string(message.get("id")) if isinstance(message, dict) else None
        for block in _blocks(record):
            if block.get("type") == "text":
                text = self._kept(text_of(block.get("text")).strip())
                if record.get("isApiErrorMessage") is True:
                    self._steps.append(Outage(text))
                elif text and text != "(no content)":
                    self._take_text(Answer(text, message_id))
            elif block.get("type") == "tool_use":
                self._take_call(block)

    def _kept(self, text: str) -> str:
        """Return as much of a text as is kept: little of each, once a session has said a lot."""
        text = bounded(text, TEXT_CHARS if self._kept_chars < SESSION_CHARS else LATE_TEXT_CHARS)
        self._kept_chars += len(text)
        return text

    def _take_text(self, answer: Answer) -> None:
        """Add an answer, or put it in the place of its own shorter version from the stream."""
        for at in range(len(self._steps) - 1, -1, -1):
            step = self._steps[at]
            if not isinstance(step, Answer):
                continue
            if answer.message_id is None or step.message_id != answer.message_id:
                break
            if answer.text.startswith(step.text):
                self._steps[at] = answer
                return
            if step.text.startswith(answer.text):
                return
        self._steps.append(answer)

    def _take_call(self, block: Record) -> None:
        call_id, values = _string(block.get("id")), block.get("input")
        if call_id is not None:
            if call_id in self._calls:
                return
            self._calls[call_id] = len(self._steps)
        values = values if isinstance(values, dict) else {}
        target = next((text for key in TARGETS if (text := text_of(values.get(key)).strip())), "")
        tool = text_of(block.get("name")).strip()[:100]
        self._steps.append(Call(tool, bounded(target, TARGET_CHARS), self._folder))


def _blocks(record: Record) -> list[Record]:
    """Return the blocks of a message; a content that is plain text is one text block."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list):
        return [block for block in content if isinstance(block, dict)]
    return []


def _result_text(block: Record) -> str:
    content = block.get("content")
    if isinstance(content, list):
        return "\n".join(text_of(part.get("text")) for part in content if isinstance(part, dict))
    return text_of(content)


def _string(value: object) -> str | None:
    # Half of a surrogate pair is no character, and no library can hold it.
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and value else None
