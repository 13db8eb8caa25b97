"""The client's prompt history to thin items, for sessions whose transcripts are gone. Pure.

`history.jsonl` keeps `display`, `timestamp` (milliseconds), `project` (a folder) and
`sessionId` of every prompt; the client deletes transcripts after a while, the history never.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..model import ImportFailure, NamedTuple, NewItem
from . import wording
from .prompts import BUILT_IN_COMMANDS, says_something, typed
from .records import record_of, text_of, time_of
from .session import MAX_SKIPPED
from .transcript import SOURCE, Counted, Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Set as AbstractSet

    from .transcript import Redact


class Asked(NamedTuple):
    """A prompt of the history; asked_at is None where its time is not valid."""

    session_id: str
    prompt: str
    folder: str | None
    asked_at: datetime | None


def read_history(
    path: str, lines: Iterable[bytes]
) -> tuple[list[Asked], tuple[ImportFailure, ...]]:
    """Return the prompts of a history file in its order, and the lines that are none of it.

    Prompts without a session (clients before 2.0.30 wrote none), shell lines (`!ls`) and the
    client's own commands are left out. Never raises.
    """
    found: list[Asked] = []
    skipped: list[ImportFailure] = []
    for index, line in enumerate(lines):
        try:
            record = record_of(line)
        except ValueError as fault:
            if len(skipped) < MAX_SKIPPED:
                skipped.append(ImportFailure(path, index + 1, str(fault)))
            continue
        session_id, folder = (record or {}).get("sessionId"), (record or {}).get("project")
        prompt = _prompt(text_of((record or {}).get("display")))
        if record and prompt and isinstance(session_id, str) and session_id:
            at = time_of(record.get("timestamp"))
            found.append(Asked(session_id, prompt, folder if isinstance(folder, str) else None, at))
    return found, tuple(skipped)


def history_items(
    prompts: Iterable[Asked],
    mtime: float,
    *,
    known: AbstractSet[str],
    project_of: Callable[[str], str | None],
    redact: Redact,
    limits: Limits = Limits(),  # noqa: B008 (a tuple, never changed)
) -> tuple[list[NewItem], int]:
    """Return one thin item a session that is not known, and how many secrets were redacted.

    `known` holds the ids of the sessions that have a transcript or an item. A session whose
    prompts say nothing gives no item.
    """
    counted = Counted(redact)
    sessions: dict[str, list[Asked]] = {}
    for asked in prompts:
        if asked.session_id not in known:
            sessions.setdefault(asked.session_id, []).append(asked)
    found: list[NewItem] = []
    for session_id, mine in sessions.items():
        texts = [counted(asked.prompt) for asked in mine]
        first = next(filter(says_something, texts), None)
        if first is None:
            continue
        folder = next((asked.folder for asked in mine if asked.folder), None)
        last = max((asked.asked_at for asked in mine if asked.asked_at), default=None)
        found.append(
            NewItem(
                source=SOURCE,
                external_id=session_id,
                occurred_at=(last or datetime.fromtimestamp(mtime, UTC)).isoformat(),
                title=wording.title_of(first, limits.title_chars),
                summary=wording.summary_of(first, "", limits.asked_chars, limits.ended_chars),
                questions=wording.questions_of(texts, limits.question_chars, limits.questions),
                project=project_of(folder) if folder else None,
            )
        )
    return found, counted.secrets


def _prompt(display: str) -> str:
    text = typed(display)
    if text.startswith("!"):
        return ""
    own = text.startswith("/") and text[1:].split(None, 1)[:1]
    return "" if own and own[0].casefold() in BUILT_IN_COMMANDS else text
