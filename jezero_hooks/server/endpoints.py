"""The endpoints of the HTTP API: what each takes, gives, and answers with."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..library.overview import overview_of
from ..model import NamedTuple
from ..tuning import numbers
from . import schemas as schema
from .desk import Client, Desk, desk_of, desk_of_nothing
from .documents import document, documents_of, search_documents
from .hooks import hooks_shown
from .items import item, later, search_items, timeline
from .parameters import (
    DOCUMENT_ID,
    FILTERS,
    FOLDER,
    ID,
    ID_ASKED,
    LIMIT,
    NEWER,
    OFFSET,
    ORIGINAL,
    PAGE_LIMIT,
    PROJECT,
    PROMPT,
    QUERY,
    SOURCE,
    TYPE,
    Parameter,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .query import Asked

Json = dict[str, Any]

PROJECTS = 500
DAYS = 14


class Endpoint(NamedTuple):
    """A path, its parameters, and the function that gives status and answer.

    ``ranks``: takes settings. ``needs_library``: without one there is no answer.
    """

    path: str
    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    statuses: dict[int, Json]
    run: Callable[[Desk, Asked], tuple[int, Json]]
    ranks: bool = False
    needs_library: bool = True

    @contextlib.contextmanager
    def desk(self, client: Client) -> Iterator[Desk]:
        """Open what the endpoint works with. Raises ConfigError and LibraryError."""
        nothing = not self.needs_library and not os.path.lexists(client.library)
        with (desk_of_nothing if nothing else desk_of)(client) as desk:
            yield desk


def _overview(desk: Desk, asked: Asked) -> tuple[int, Json]:
    overview, filters = overview_of(desk.reader), desk.filters
    documents = documents_of(desk)
    asked_filters = filters._replace(project=asked.arguments.text("project"))
    asked_filters = asked_filters._replace(source=asked.arguments.text("source"))
    return 200, {
        "version": __version__,
        "library": {
            "path": desk.reader.path,
            "items": desk.reader.count(filters.before, filters.allowed),
            "tokenizer": desk.reader.tokenizer,
            "as_of": filters.before,
        },
        "documents": {"count": documents.count(filters.before), "types": documents.types()},
        "projects": [one._asdict() for one in overview.projects(PROJECTS, filters)],
        "sources": [
            {"name": one.source, "items": one.items, "oldest": one.oldest, "newest": one.newest}
            for one in desk.reader.sources(filters)
        ],
        "activity": [one._asdict() for one in overview.activity(DAYS, desk.now_s, asked_filters)],
        "settings": [number._asdict() for number in numbers(desk.config)],
    }


ENDPOINTS = (
    Endpoint(
        "/api/overview",
        "overview",
        "What there is: library, documents, projects, sources, 14 days of activity (of a project "
        "or a source where one is given), and the settings that can be tried.",
        (PROJECT, SOURCE),
        {200: schema.OVERVIEW},
        _overview,
    ),
    Endpoint(
        "/api/items/search",
        "search_items",
        "Items that hold any word of a query, best first.",
        (QUERY, *FILTERS, LIMIT),
        {200: schema.SEARCH},
        search_items,
        ranks=True,
    ),
    Endpoint(
        "/api/timeline",
        "timeline",
        "The newest items, newest first.",
        (*FILTERS, LIMIT),
        {200: schema.TIMELINE},
        timeline,
    ),
    Endpoint(
        "/api/later",
        "later",
        "What is newer than an item: on its subject, else in its project.",
        (ID_ASKED, QUERY, LIMIT),
        {200: schema.LATER, 404: schema.NO_LATER},
        later,
        ranks=True,
    ),
    Endpoint(
        "/api/items/{id}",
        "item",
        "One item whole.",
        (ID, ORIGINAL, NEWER),
        {200: schema.SHOW, 404: schema.NO_ITEM},
        item,
        ranks=True,
    ),
    Endpoint(
        "/api/search",
        "search_documents",
        "Documents that hold all words of a query, the last one also as a beginning; best first, "
        "the least score is the best.",
        (QUERY, PAGE_LIMIT, OFFSET, TYPE),
        {200: schema.DOCUMENTS},
        search_documents,
        ranks=True,
    ),
    Endpoint(
        "/api/documents/{id}",
        "document",
        "One document whole.",
        (DOCUMENT_ID,),
        {200: schema.DOCUMENT, 404: schema.NO_DOCUMENT},
        document,
    ),
    Endpoint(
        "/api/dry-run",
        "dry_run",
        "What both hooks would inject in a project or a folder, to the byte, and why. Without a "
        "prompt one of the newest work; without items those of an invented library.",
        (PROMPT, PROJECT, FOLDER),
        {200: schema.DRY_RUN},
        hooks_shown,
        ranks=True,
        needs_library=False,
    ),
)
