"""The site: the HTTP API and the page, behind a gate; it only reads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..errors import JezeroError, UsageError
from ..model import NamedTuple
from ..tuning import tuned
from .endpoints import ENDPOINTS, Endpoint
from .gate import Refusal, headers_of, key_of, refuse, stranger
from .openapi import description
from .page import page, policy
from .parameters import FOLDER
from .query import Asked, asked_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import Message, Receive, Scope, Send

    from ..config import Serve
    from .desk import Client
    from .keys import Key

# The endpoint that other sites may be given, as the model's is.
DOCUMENT_SEARCH = "/api/search"
# Each answer opens the library, which takes memory.
ANSWERS_AT_ONCE = 8
METHODS = "GET, HEAD"
HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    # An answer that CORS lets out is not asked for this.
    "cross-origin-resource-policy": "same-origin",
}
API_POLICY = "default-src 'none'; frame-ancestors 'none'"


class Door(NamedTuple):
    """Who may come in: by these Host headers, and, where there are keys, with one of them."""

    hosts: frozenset[str]
    keys: tuple[Key, ...]


class Site:
    """The one ASGI application."""

    def __init__(self, client: Client, door: Door, serve: Serve) -> None:
        self._client, self._door, self._serve = client, door, serve
        self._limiter = CapacityLimiter(ANSWERS_AT_ONCE)
        html = page()
        self._page_policy = policy(html)
        routes = [
            Route("/", partial(_always, Response(html, media_type="text/html; charset=utf-8"))),
            Route("/openapi.json", partial(_always, JSONResponse(description(ENDPOINTS)))),
            *(Route(one.path, partial(self._answer, one)) for one in ENDPOINTS),
        ]
        refusals: Any = {HTTPException: _http_refusal, JezeroError: _our_refusal}
        self._app = Starlette(routes=routes, exception_handlers=refusals)
        self._app.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = headers_of(scope)
        key: Key | Refusal | None = self._stranger(scope, headers)
        if key is None and self._door.keys and scope["path"] != "/":
            key = key_of(headers, self._door.keys)
        answer = partial(_send, send, self._headers(scope["path"]))
        if isinstance(key, Refusal):
            await refuse(answer, key, allow=METHODS)
            return
        client = self._client._replace(allowed=key.allowed) if key else self._client
        scope["state"] = {"client": client, "is_guest": self._is_guest(scope["path"], headers)}
        await self._app(scope, receive, answer)

    def _stranger(self, scope: Scope, headers: dict[str, str]) -> Refusal | None:
        if scope["method"] not in METHODS.split(", "):
            return Refusal(405, "there are only GET and HEAD: this server only reads")
        if self._is_guest(scope["path"], headers):
            headers = {name: text for name, text in headers.items() if name != "origin"}
        elif scope["path"] != "/" and _is_foreign(headers):
            # Without an Origin, as an image: the time that an answer takes would tell something.
            return Refusal(403, "pages of other sites may not ask")
        return stranger(headers, self._door.hosts)

    def _is_guest(self, path: str, headers: dict[str, str]) -> bool:
        """Return whether a page of another origin asks what the config lets it ask."""
        origin, welcome = headers.get("origin"), self._serve.cors_origin
        if path != DOCUMENT_SEARCH or not welcome or not origin:
            return False
        return welcome in ("*", origin) and stranger(headers, self._door.hosts) is not None

    def _headers(self, path: str) -> dict[str, str]:
        headers = {**HEADERS, "cache-control": "no-store", "content-security-policy": API_POLICY}
        if path == "/":
            headers["content-security-policy"] = self._page_policy
        if path == DOCUMENT_SEARCH:
            if self._serve.cache_s:
                kind = "private" if self._door.keys else "public"
                headers["cache-control"] = f"{kind}, max-age={self._serve.cache_s}"
            if self._serve.cors_origin:
                headers["access-control-allow-origin"] = self._serve.cors_origin
                headers["vary"] = "origin"
        return headers

    async def _answer(self, endpoint: Endpoint, request: Request) -> Response:
        """Answer in a thread: a locked library must not keep the others waiting."""
        known = [one.name for one in endpoint.parameters if one.place == "query"]
        if self._door.keys and FOLDER.name in known:
            known.remove(FOLDER.name)  # whoever comes from elsewhere has no folder here
        ranks = endpoint.ranks and not request.state.is_guest
        asking = partial(
            asked_of, request.scope["query_string"], request.path_params, known, ranks=ranks
        )
        work = partial(_found, endpoint, request.state.client, asking)
        status, body = await anyio.to_thread.run_sync(
            work, abandon_on_cancel=True, limiter=self._limiter
        )
        return JSONResponse(body, status)


def _found(
    endpoint: Endpoint, client: Client, asking: Callable[[], Asked]
) -> tuple[int, dict[str, Any]]:
    asked = asking()
    with endpoint.desk(client) as desk:
        return endpoint.run(desk._replace(config=tuned(desk.config, asked.settings)), asked)


def _is_foreign(headers: dict[str, str]) -> bool:
    return headers.get("sec-fetch-site", "none") not in ("none", "same-origin")


async def _always(response: Response, request: Request) -> Response:
    return response


async def _send(send: Send, headers: dict[str, str], message: Message) -> None:
    """Pass an answer on with these headers; what may not be cached or shown elsewhere is not."""
    if message["type"] == "http.response.start":
        given = MutableHeaders(scope=message)
        for name, text in headers.items():
            given[name] = text
        if message["status"] >= 401:
            given["cache-control"] = "no-store"
    await send(message)


async def _http_refusal(request: Request, fault: HTTPException) -> Response:
    if fault.status_code == 404:
        text = "there is nothing here; /openapi.json lists what there is"
    else:
        text = fault.detail
    return JSONResponse({"error": text}, fault.status_code, headers=fault.headers)


async def _our_refusal(request: Request, fault: JezeroError) -> Response:
    status = 400 if isinstance(fault, UsageError) else 503
    return JSONResponse({"error": "; ".join(str(fault).splitlines())}, status)
