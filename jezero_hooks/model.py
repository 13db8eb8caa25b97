"""The nouns: items, hits and the values that travel between the modules."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal
    from typing import NamedTuple as NamedTuple

    Trust = Literal["own", "external"]
else:
    try:
        from _collections import _tuplegetter as _getter  # as collections.namedtuple does
    except ImportError:  # another Python than CPython
        from operator import itemgetter

        def _getter(index, doc):
            return property(itemgetter(index), doc=doc)

    class NamedTuple(tuple):
        """A tuple with named fields, read from the annotations of the subclass.

        Stands in for typing.NamedTuple, whose import alone costs more than a silent
        hook may take. Same surface as far as it is used here.
        """

        __slots__ = ()

        def __init_subclass__(cls) -> None:
            cls._fields = tuple(cls.__annotations__)
            cls._field_defaults = {f: vars(cls)[f] for f in cls._fields if f in vars(cls)}
            for index, field in enumerate(cls._fields):
                setattr(cls, field, _getter(index, None))

        def __new__(cls, *values, **named):
            rest = cls._fields[len(values) :]
            if rest or named:
                both = {**cls._field_defaults, **named}
                if len(values) > len(cls._fields) or not named.keys() <= set(rest):
                    raise TypeError(f"{cls.__name__} takes {cls._fields}")
                try:
                    values += tuple([both[field] for field in rest])
                except KeyError as missing:
                    raise TypeError(f"{cls.__name__} lacks {missing}") from None
            elif len(values) > len(cls._fields):
                raise TypeError(f"{cls.__name__} takes {cls._fields}")
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return tuple.__new__(cls, values)

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def _replace(self, **named):
            return type(self)(**{**self._asdict(), **named})

        def __repr__(self):
            inside = ", ".join(f"{k}={v!r}" for k, v in self._asdict().items())
            return f"{type(self).__name__}({inside})"


class Atom(NamedTuple):
    """One small certain thing: kind is decision, rationale, fix, error, command, fact or risk."""

    kind: str
    text: str


class NewItem(NamedTuple):
    """An item on its way into the library; occurred_at is ISO 8601 in UTC (``…+00:00``)."""

    source: str
    external_id: str
    occurred_at: str
    title: str
    summary: str
    questions: tuple[str, ...] = ()
    atoms: tuple[Atom, ...] = ()
    project: str | None = None
    account: str | None = None
    original: str | None = None
    original_ref: str | None = None
    trust: Trust = "own"


class ImportFailure(NamedTuple):
    """What could not be imported: the file, its line (None: the whole file), and why."""

    path: str
    line: int | None
    reason: str


class Item(NamedTuple):
    """An item as the library holds it; questions and atoms parsed, original only on demand."""

    id: int
    source: str
    external_id: str
    occurred_at: str
    ingested_at: str
    title: str
    summary: str
    questions: tuple[str, ...]
    atoms: tuple[Atom, ...]
    project: str | None
    account: str | None
    original_ref: str | None
    trust: str


class ListedItem(NamedTuple):
    """What a line shows of an item: enough to list it, no more."""

    id: int
    external_id: str
    source: str
    project: str | None
    occurred_at: str
    title: str
    summary: str


class Hit(NamedTuple):
    """A listed item that a search found; relevance is BM25 (higher is better)."""

    id: int
    external_id: str
    source: str
    project: str | None
    occurred_at: str
    title: str
    summary: str
    relevance: float
    score: float


class Document(NamedTuple):
    """A page of the user's own, as the library holds it.

    content is its text without markup, tags its words separated by spaces, date ISO 8601 (a day
    as it was written, a time in UTC), None where it has none.
    """

    id: int
    path: str
    url: str
    type: str
    title: str
    description: str
    content: str
    tags: str
    date: str | None
    emoji: str


class DocumentHit(NamedTuple):
    """A document that a search found.

    score is BM25 with its recency, negative, the least is the best; relevance is positive and
    without recency. snippet is HTML: escaped, ``<mark>`` its only tag. All else is plain text.
    """

    id: int
    path: str
    url: str
    type: str
    title: str
    description: str
    date: str | None
    tags: str
    emoji: str
    snippet: str
    score: float
    relevance: float


class Source(NamedTuple):
    """Where items come from: how many there are, and the times of the oldest and the newest."""

    source: str
    items: int
    oldest: str
    newest: str


class Project(NamedTuple):
    """A project's name (NFC, lower case) and the rule that found it."""

    name: str
    rule: str


class Payload(NamedTuple):
    """What the client tells a hook; a field that was missing or of a wrong type is None."""

    session_id: str | None
    transcript_path: str | None
    cwd: str | None
    source: str | None
    prompt: str | None
