"""A session as values: its prompts, each with what the agent did upon it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model import ImportFailure, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class Answer(NamedTuple):
    """What the agent wrote; records with one message id are one message."""

    text: str
    message_id: str | None


class Call(NamedTuple):
    """A tool that the agent used: outcome None is unknown, "" is well, else the failure's text."""

    tool: str
    target: str
    folder: str | None
    outcome: str | None = None


class Outage(NamedTuple):
    """An API error that the client showed in place of an answer."""

    text: str


class Turn(NamedTuple):
    """A prompt and all that follows up to the next one. position is its line index, from 0.

    Times are None where none is valid; compaction is the line index of one just before.
    """

    position: int
    uuid: str | None
    parent: str | None
    prompt: str
    folder: str | None
    asked_at: datetime | None
    last_at: datetime | None
    compaction: int | None
    steps: tuple[Answer | Call | Outage, ...]


class Session(NamedTuple):
    """What one transcript holds. folder is where it began, mtime the file's, in seconds."""

    session_id: str
    path: str
    mtime: float
    folder: str | None
    custom_title: str | None
    client_title: str | None
    turns: tuple[Turn, ...]
    skipped: tuple[ImportFailure, ...]
