"""The client's prompt history to thin items, for sessions whose transcripts are gone. Pure.

`history.jsonl` keeps `display`, `timestamp` (milliseconds), `project` (a folder) and
`sessionId` of every prompt; the client deletes transcripts after a while, the history never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import ImportFailure, NamedTuple, NewItem
from . import wording
from .exclude import nothing_excluded
from .prompts import says_something, typed
from .reading import MAX_SKIPPED
from .records import record_of, text_of, time_of
from .transcript import SOURCE, Counted, Limits
from .wordlists import BUILT_IN_COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from .records import Record
    from .transcript import Redact


class Asked(NamedTuple):
    """A prompt of the history, redacted."""

    prompt: str
    folder: str | None
    asked_at: datetime


def read_history(
    path: str,
    lines: Iterable[bytes],
    *,
    project_of: Callable[[str], str | None],
    redact: Redact,
    wanted: Callable[[str], bool] = lambda session_id: True,
    limits: Limits = Limits(),  # noqa: B008 (a tuple, never changed)
    excluded: Callable[[str], bool] = nothing_excluded,
) -> tuple[list[NewItem], int, tuple[ImportFailure, ...]]:
    """Return one thin item a session, how many secrets were redacted, and the bad lines.

    `wanted` tells of a session whether it is missing; the prompts of others are not looked at.
    Left out: prompts
    without a session or a valid time, shell lines (`!ls`), the client's own commands, and
    sessions whose prompts say nothing or were typed in an excluded folder. Never raises.
    """
    counted = Counted(redact)
    sessions: dict[str, list[Asked] | None] = {}
    skipped: list[ImportFailure] = []
    for index, line in enumerate(lines):
        try:
            record = record_of(line)
        except ValueError as fault:
            if len(skipped) < MAX_SKIPPED:
                skipped.append(ImportFailure(path, index + 1, str(fault)))
            continue
        session_id = text_of(record.get("sessionId")) if record else ""
        if not record or not session_id:
            continue
        if session_id not in sessions:
            sessions[session_id] = [] if wanted(session_id) else None
        prompts = sessions[session_id]
        if prompts is not None and (asked := _asked(record, counted)) is not None:
            prompts.append(asked)
    found = [
        _item(session_id, asked, project_of, limits)
        for session_id, asked in sessions.items()
        if asked and not any(excluded(one.folder) for one in asked if one.folder)
    ]
    return [item for item in found if item is not None], counted.secrets, tuple(skipped)


def _asked(record: Record, redact: Callable[[str], str]) -> Asked | None:
    at = time_of(record.get("timestamp"))
    text = typed(text_of(record.get("display")))
    own = text.startswith("/") and text[1:].split(None, 1)[:1]
    if at is None or not text or text.startswith("!"):
        return None
    if own and own[0].casefold() in BUILT_IN_COMMANDS:
        return None
    folder = record.get("project")
    return Asked(redact(text), folder if isinstance(folder, str) and folder else None, at)


def _item(
    session_id: str,
    asked: Sequence[Asked],
    project_of: Callable[[str], str | None],
    limits: Limits,
) -> NewItem | None:
    prompts = [one.prompt for one in asked]
    first = next(filter(says_something, prompts), None)
    if first is None:
        return None
    folder = next((one.folder for one in asked if one.folder), None)
    return NewItem(
        source=SOURCE,
        external_id=session_id,
        occurred_at=max(one.asked_at for one in asked).isoformat(),
        title=wording.title_of(first, limits.title_chars),
        summary=wording.summary_of(first, "", limits.asked_chars, limits.ended_chars),
        questions=wording.questions_of(prompts, limits.question_chars, limits.questions),
        project=project_of(folder) if folder else None,
    )
