"""The gate before an application: who names us, asks from our own page, and shows a key."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..model import NamedTuple
from .keys import Key, key_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.types import Scope, Send


class Refusal(NamedTuple):
    """Why a request is not let in: the HTTP status and one line."""

    status: int
    reason: str


def stranger(headers: dict[str, str], hosts: frozenset[str]) -> Refusal | None:
    """Return why a request is none of ours, by its Host and Origin; None where it is."""
    if headers.get("host", "").lower() not in hosts:
        return Refusal(421, "this server goes by another name; see --allow-host")
    origin = headers.get("origin")
    if origin is not None and origin.lower().partition("://")[2] not in hosts:
        return Refusal(403, "pages of other origins may not ask")
    return None


def key_of(headers: dict[str, str], keys: Sequence[Key]) -> Key | Refusal:
    """Return the key that a request shows, a refusal where it shows none of ours."""
    key = key_shown(headers.get("authorization", ""), list(keys))
    return key or Refusal(401, "show the key: Authorization: Bearer KEY")


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers; of one that stands twice nothing, since either could be meant."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = "" if key in found else value.decode("latin-1")
    return found


async def refuse(send: Send, refusal: Refusal, allow: str) -> None:
    """Answer a request with its refusal; ``allow`` names the methods that there are."""
    body = json.dumps({"error": refusal.reason}).encode()
    headers: list[Any] = [(b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    headers.append((b"x-content-type-options", b"nosniff"))
    if refusal.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if refusal.status == 405:
        headers.append((b"allow", allow.encode()))
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
