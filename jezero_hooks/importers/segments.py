"""Turns of a session to segments: one item each. Pure."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from ..model import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .session import Turn


class Segment(NamedTuple):
    """A stretch of a session: the line index (from 0) of its first record, and its turns."""

    position: int
    turns: tuple[Turn, ...]


def segments_of(turns: Iterable[Turn], prompts: int, idle_hours: float) -> list[Segment]:
    """Return the segments: a new one at a compaction, after so many idle hours or prompts.

    Only what lies before a turn decides where it belongs, so a file that grows never moves
    what is finished. What the agent goes on to do after a compaction in the middle of a turn
    stays with that turn: the new segment begins with the next prompt, and its first record
    is the compaction's.
    """
    found: list[Segment] = []
    current: list[Turn] = []
    start, active_at, idle = 0, None, timedelta(hours=idle_hours)
    for turn in turns:
        paused = bool(active_at and turn.asked_at and turn.asked_at - active_at >= idle)
        if current and (turn.compaction is not None or paused or len(current) >= prompts):
            found.append(Segment(start, tuple(current)))
            current = []
        if not current:
            start = turn.position if turn.compaction is None else turn.compaction
        current.append(turn)
        active_at = turn.last_at or active_at
    if current:
        found.append(Segment(start, tuple(current)))
    return found


def living(turns: Iterable[Turn]) -> list[Turn]:
    """Return the turns without dead branches: a prompt taken back before any output.

    The client puts it back in the input box; the next prompt is then its sibling, under the
    same parent.
    """
    kept: list[Turn] = []
    for turn in turns:
        if kept and not kept[-1].steps and turn.parent and kept[-1].parent == turn.parent:
            kept.pop()
        kept.append(turn)
    return kept
