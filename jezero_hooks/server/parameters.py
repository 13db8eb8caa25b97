"""The parameters of the HTTP API, as OpenAPI describes them."""

from __future__ import annotations

from typing import Any

from ..model import NamedTuple
from ..rules.limits import MAX_ID

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}
TRUTH: Json = {"type": "string", "enum": ["0", "1", "false", "true"]}
NUMBER_OF: Json = {"type": "integer", "minimum": 1, "maximum": MAX_ID}


class Parameter(NamedTuple):
    """A parameter of an endpoint."""

    name: str
    schema: Json
    description: str
    place: str = "query"
    required: bool = False

    def described(self) -> Json:
        """Return it as OpenAPI writes it."""
        return {
            "name": self.name,
            "in": self.place,
            "required": self.required,
            "schema": self.schema,
            "description": self.description,
        }


QUERY = Parameter("q", TEXT, "Words and, of items, quoted phrases. Blank: nothing is found.")
PROJECT = Parameter("project", TEXT, "Only this project, by its exact name. Blank: all.")
SOURCE = Parameter("source", TEXT, "Only this source, by its exact name. Blank: all.")
SINCE = Parameter("since", TEXT, "From this time on: ISO 8601, in UTC if not said.")
UNTIL = Parameter("until", TEXT, "Before this time: ISO 8601.")
FILTERS = (PROJECT, SOURCE, SINCE, UNTIL)
LIMIT = Parameter(
    "limit", WHOLE, "How many; zero or less means the default, nothing above the config's most."
)
PAGE_LIMIT = Parameter(
    "limit", {**WHOLE, "minimum": 1}, "How many; nothing above the config's most."
)
OFFSET = Parameter(
    "offset", {**WHOLE, "minimum": 0}, "How many to pass over; the config bounds it."
)
TYPE = Parameter("type", TEXT, "Only documents of this type. Blank: all.")
ID = Parameter("id", NUMBER_OF, "The number of an item.", "path", True)
ID_ASKED = Parameter("id", NUMBER_OF, "The number of an item.", "query", True)
DOCUMENT_ID = Parameter("id", NUMBER_OF, "The number of a document.", "path", True)
ORIGINAL = Parameter("original", TRUTH, "With its dialogue.")
NEWER = Parameter("newer", TRUTH, "With what is newer.")
PROMPT = Parameter("prompt", TEXT, "The first prompt of a session. Missing: an example.")
FOLDER = Parameter(
    "folder", TEXT, "Instead of a project: the working folder, a whole path or one below ~."
)
