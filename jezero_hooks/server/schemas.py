"""The answers of the HTTP API as JSON Schema."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
TEXT_OR_NULL: Json = {"type": ["string", "null"]}
WHOLE: Json = {"type": "integer"}
COUNT: Json = {"type": "integer", "minimum": 0}
ID: Json = {"type": "integer", "minimum": 1}
NUMBER: Json = {"type": "number"}
TRUTH: Json = {"type": "boolean"}
NULL: Json = {"type": "null"}
HTML: Json = {"type": "string", "description": "HTML: escaped, <mark> is its only tag."}


def listed(schema: Json) -> Json:
    return {"type": "array", "items": schema}


def constant(value: object) -> Json:
    return {"const": value}


def closed(*optional: str, **properties: Json) -> Json:
    """Return the schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


LISTED: Json = {
    "id": ID,
    "external_id": TEXT,
    "source": TEXT,
    "project": TEXT_OR_NULL,
    "occurred_at": TEXT,
    "title": TEXT,
    "summary": TEXT,
}
HIT: Json = {**LISTED, "relevance": NUMBER, "score": NUMBER}
NEWER: Json = {
    "matched_by": {"enum": ["subject", "project_timeline"]},
    "count": COUNT,
    "later": listed(closed("relevance", "score", **HIT)),
}
ITEM = closed(
    "original",
    **LISTED,
    ingested_at=TEXT,
    questions=listed(TEXT),
    atoms=listed(closed(kind=TEXT, text=TEXT)),
    account=TEXT_OR_NULL,
    original_ref=TEXT_OR_NULL,
    trust=TEXT,
    original=TEXT_OR_NULL,
)

ERROR = closed(error=TEXT)

OVERVIEW = closed(
    version=TEXT,
    library=closed(path=TEXT, items=COUNT, tokenizer=TEXT, as_of=TEXT_OR_NULL),
    documents=closed(count=COUNT, types=listed(TEXT)),
    projects=listed(closed(name=TEXT, items=COUNT, newest=TEXT)),
    sources=listed(closed(name=TEXT, items=COUNT, oldest=TEXT, newest=TEXT)),
    activity={
        **listed(closed(day={**TEXT, "format": "date"}, items=COUNT)),
        "minItems": 14,
        "maxItems": 14,
    },
    settings=listed(
        closed(
            key=TEXT,
            section=TEXT,
            value=NUMBER,
            default=NUMBER,
            low=NUMBER,
            high=NUMBER,
            integer=TRUTH,
        )
    ),
)
SEARCH = closed(
    query=TEXT,
    match=TEXT_OR_NULL,
    count=COUNT,
    results=listed(closed(**HIT, matched=listed(TEXT), snippet=HTML)),
)
TIMELINE = closed(count=COUNT, items=listed(closed(**LISTED)))
LATER = closed(found=constant(True), item=closed(id=ID, occurred_at=TEXT), **NEWER)
NO_LATER = closed(
    found=constant(False),
    item=NULL,
    matched_by=NULL,
    count=constant(0),
    later={"type": "array", "maxItems": 0},
)
SHOW = closed("newer", found=constant(True), item=ITEM, newer=closed(**NEWER))
NO_ITEM = closed(found=constant(False), item=NULL)
DOCUMENTS = closed(
    query=TEXT,
    count=COUNT,
    results=listed(
        closed(
            id=ID,
            title=TEXT,
            url=TEXT,
            type=TEXT,
            date=TEXT,
            tags=TEXT,
            emoji=TEXT,
            snippet=HTML,
            score={**NUMBER, "maximum": 0},
        )
    ),
)
DOCUMENT = closed(
    found=constant(True),
    document=closed(
        id=ID,
        path=TEXT,
        url=TEXT,
        type=TEXT,
        title=TEXT,
        description=TEXT,
        content=TEXT,
        tags=TEXT,
        date=TEXT_OR_NULL,
        emoji=TEXT,
    ),
)
NO_DOCUMENT = closed(found=constant(False), document=NULL)
SIZE: Json = {"chars": COUNT, "tokens": COUNT}
DRY_RUN = closed(
    project=TEXT_OR_NULL,
    project_rule=TEXT_OR_NULL,
    library=closed(path=TEXT_OR_NULL, items=COUNT, origin={"enum": ["library", "sample"]}),
    session_start=closed(text=TEXT, items=listed(ID), late=TEXT_OR_NULL, **SIZE),
    first_prompt=closed(
        "documents",
        prompt=TEXT,
        words=listed(TEXT),
        dropped=listed(TEXT),
        asked=closed(words=COUNT, why=TEXT_OR_NULL),
        searched=listed(
            closed(
                id=ID,
                external_id=TEXT,
                title=TEXT,
                score=NUMBER,
                relevance=NUMBER,
                matched=listed(TEXT),
                kept=TRUTH,
                chance={"type": ["number", "null"]},
                why=TEXT,
            )
        ),
        documents=listed(
            closed(
                id=ID,
                path=TEXT,
                title=TEXT,
                score=NUMBER,
                relevance=NUMBER,
                matched=listed(TEXT),
                kept=TRUTH,
                shown=TRUTH,
                why=TEXT,
            )
        ),
        shown=listed(ID),
        shown_external_ids=listed(TEXT),
        text=TEXT,
        reason=TEXT_OR_NULL,
        **SIZE,
    ),
)
