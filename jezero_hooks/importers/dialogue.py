"""What a stretch of a session said: its dialogue as text, and how it ended. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .session import Answer, Call
from .wording import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .session import Turn

CUT_MARK = "\n\n[…]\n\n"
TOOL_LINE_CHARS = 200
ACKNOWLEDGED = re.compile(
    r"(?:noted|acknowledged|understood|ok(?:ay)?|anotado|entendido)[.!]*\Z", re.I
)


def last_answer(turns: Sequence[Turn]) -> str:
    """Return the text of the last message, all blocks of it.

    One that only takes note (of a background agent's end) gives way to the one before it.
    """
    for turn in reversed(turns):
        messages: dict[str, list[str]] = {}
        for n, step in enumerate(turn.steps):
            if isinstance(step, Answer):
                messages.setdefault(step.message_id or f"#{n}", []).append(step.text)
        texts = ["\n".join(parts) for parts in messages.values()]
        if texts:
            return next((t for t in reversed(texts) if not ACKNOWLEDGED.match(t)), texts[-1])
    return ""


def dialogue(turns: Sequence[Turn]) -> str:
    """Return what was said as plain text; a tool's use is one short line."""
    said: list[str] = []
    for turn in turns:
        said.append(f"User: {turn.prompt}")
        for step in turn.steps:
            if isinstance(step, Call):
                line = cut(one_line(step.target), TOOL_LINE_CHARS)
                failed = " (failed)" if step.outcome else ""
                said.append(f"Tool: {step.tool} {line}".rstrip() + failed)
            elif isinstance(step, Answer):
                said.append(f"Assistant: {step.text}")
    return "\n\n".join(said)


def shortened(text: str, most_bytes: int) -> str:
    """Return text in at most so many bytes of UTF-8: its middle goes, start and end stay."""
    whole = text.encode()
    if len(whole) <= most_bytes:
        return text
    room = most_bytes - len(CUT_MARK.encode())
    if room <= 0:
        return ""
    first = whole[: room // 2].decode(errors="ignore")
    last = whole[len(whole) - (room - room // 2) :].decode(errors="ignore")
    return first + CUT_MARK + last
