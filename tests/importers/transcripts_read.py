"""What the tests of the import share: transcripts on disk and made ones, to items."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

from jezero_hooks.importers.records import lines
from jezero_hooks.importers.transcript import Limits, Session, items, read_session
from jezero_hooks.model import NewItem

HERE = Path(__file__).parent
SESSION = "11111111-0000-4000-8000-000000000001"
MTIME = 1_788_566_400.0  # 2026-09-05


def session_at(path: Path, mtime: float = MTIME) -> Session:
    with path.open("rb") as stream:
        return read_session(str(path), lines(stream), mtime)


def session_of(*records: dict[str, Any] | bytes, session_id: str = SESSION) -> Session:
    """Read records (a line each; bytes as they are) as the transcript of a session."""
    rows = [r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in records]
    return read_session(f"/p/{session_id}.jsonl", lines(BytesIO(b"".join(rows))), MTIME)


def items_of(session: Session, foreign: set[str] = frozenset(), **limits: Any) -> list[NewItem]:
    found, _ = items(
        session,
        foreign=foreign,
        project_of=lambda folder: Path(folder).name,
        redact=lambda text: (text, 0),
        limits=Limits(**limits),
    )
    return found


def texts_of(item: NewItem) -> list[str]:
    """Every text of an item that is stored, the original last."""
    return [
        *(item.title, item.summary),
        *item.questions,
        *(atom.text for atom in item.atoms),
        item.original or "",
    ]


class Made:
    """Makes records as the client writes them: each a minute after the one before."""

    def __init__(self, session_id: str = SESSION, cwd: str = "/home/dev/code/orion") -> None:
        self.session_id, self.cwd = session_id, cwd
        self.minutes = 0
        self.count = 0

    def _record(self, kind: str, content: object, **more: Any) -> dict[str, Any]:
        self.count += 1
        self.minutes += 1
        day, minute = divmod(self.minutes, 24 * 60)
        at = f"2026-09-{1 + day:02}T{minute // 60:02}:{minute % 60:02}:00.000Z"
        return {
            "parentUuid": None,
            "isSidechain": False,
            "type": kind,
            "uuid": f"{kind[0]}{self.count}",
            "timestamp": at,
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "message": {"role": kind, "content": content},
            **more,
        }

    def user(self, content: object, **more: Any) -> dict[str, Any]:
        return self._record("user", content, **more)

    def answer(self, text: str, message_id: str | None = None, **more: Any) -> dict[str, Any]:
        record = self._record("assistant", [{"type": "text", "text": text}], **more)
        record["message"]["id"] = message_id or f"msg_{self.count}"
        return record

    def tool(
        self, name: str, values: dict[str, Any], result: object = "fine", failed: bool = False
    ) -> list[dict[str, Any]]:
        """A tool's call and its result."""
        call_id = f"toolu_{self.count}"
        call = {"type": "tool_use", "id": call_id, "name": name, "input": values}
        back = {"type": "tool_result", "tool_use_id": call_id, "content": result}
        return [
            self._record("assistant", [call]),
            self._record("user", [back | {"is_error": failed}]),
        ]

    def compaction(self) -> dict[str, Any]:
        return self._record("system", None, subtype="compact_boundary")
