"""The description of the HTTP API, OpenAPI 3.1: made from the endpoints themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import __version__
from ..config import Config
from ..tuning import numbers
from .schemas import ERROR

if TYPE_CHECKING:
    from .endpoints import Endpoint

Json = dict[str, Any]

ABOUT = """\
The library and the documents of one person, read only. Texts are as stored; only fields called \
snippet are HTML. Settings, whose names hold a dot, hold for that answer alone."""

# What may stop any answer, whatever is asked.
FAULTS = {
    400: "An argument is wrong, unknown or stands twice; `error` says which.",
    401: "No key is shown, and this address needs one.",
    403: "A page of another origin asks.",
    421: "The Host header is none of this server's names.",
    503: "Config or library cannot be used at this moment; `error` names the file.",
}


def description(endpoints: tuple[Endpoint, ...]) -> Json:
    """Return the description of these endpoints."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "jezero-hooks", "version": __version__, "description": ABOUT},
        "paths": {endpoint.path: {"get": _operation(endpoint)} for endpoint in endpoints},
        "components": {
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
            "schemas": {"Error": ERROR},
        },
        # On a loopback address none is needed.
        "security": [{}, {"key": []}],
    }


def _operation(endpoint: Endpoint) -> Json:
    settings = _settings() if endpoint.ranks else []
    return {
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": [*(one.described() for one in endpoint.parameters), *settings],
        "responses": {
            **{str(status): _json(schema) for status, schema in endpoint.statuses.items()},
            **{str(status): _error(text) for status, text in FAULTS.items()},
        },
    }


def _settings() -> list[Json]:
    return [
        {
            "name": number.key,
            "in": "query",
            "required": False,
            "schema": {
                "type": "integer" if number.integer else "number",
                "minimum": number.low,
                "maximum": number.high,
            },
            "description": f"In place of the config's value; its default is {number.default}.",
        }
        for number in numbers(Config())
    ]


def _json(schema: Json) -> Json:
    found = schema["properties"].get("found") == {"const": False}
    text = "There is none of this number." if found else "The answer."
    return {"description": text, "content": {"application/json": {"schema": schema}}}


def _error(text: str) -> Json:
    schema = {"$ref": "#/components/schemas/Error"}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
