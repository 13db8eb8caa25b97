"""Payload: what the client writes to a hook's stdin, as far as it is of the right form."""

from __future__ import annotations

from .jsontext import BOM, load
from .model import Payload

# Longer than any prompt that a person pastes; what lies beyond is not read.
PAYLOAD_BYTES = 16_000_000


def parse_payload(raw: bytes) -> Payload | None:
    """Return the payload of one JSON object, None where the bytes are not one.

    A field of another type than text is as if it were missing; a BOM is passed over, bytes
    that are no UTF-8 are replaced, unknown fields do not matter.
    """
    try:
        value = load(raw.removeprefix(BOM).decode("utf-8", "replace"))
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    fields = [value.get(name) for name in Payload._fields]
    return Payload(*[field if isinstance(field, str) else None for field in fields])


def asked(prompt: str) -> str:
    """Return what a person asks with a prompt, "" for what is none and uses up nothing.

    No prompt are: blanks, what the client reports of a background task, a slash command
    without words of its own (of one with words, these count). Source: RULES 4.7.
    """
    text = prompt.strip()
    if text.startswith("<task-notification>"):
        return ""
    command, *words = text.split(maxsplit=1)[:2] if text.startswith("/") else ("",)
    # A path is no command: `/etc/hosts is wrong` is a prompt.
    if command and "/" not in command[1:]:
        return words[0] if words else ""
    return text
