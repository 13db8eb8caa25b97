"""Where a tool call is answered: the config and the library as they are at that moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..config import Config
from ..configfile import read_config
from ..library.documents import SOURCE as DOCUMENTS
from ..library.reader import Filters, Reader, open_library
from ..library.writer import library_in_memory
from ..model import NamedTuple
from ..times import unix_s

# An agent can wait for an import's lock, though not so long that it takes the server for dead.
WAIT_MS = 4_000


class Client(NamedTuple):
    """Who asks, and of what: ``allowed`` are the globs of its key, None for no own ones."""

    library: str
    config: str
    before: str | None = None
    allowed: tuple[str, ...] | None = None


class Desk(NamedTuple):
    """What one call works with; ``filters`` hold what may be read at all."""

    reader: Reader
    config: Config
    filters: Filters
    now_s: float


@contextmanager
def desk_of(client: Client) -> Iterator[Desk]:
    """Open the library for one call.

    Opened anew each time, so that a library that was replaced meanwhile is the one that
    answers. Raises ConfigError and LibraryError, which name the file and the next step.
    """
    config = read_config(client.config)
    reader = open_library(client.library, wait_ms=WAIT_MS)
    try:
        yield _desk(client, config, reader)
    finally:
        reader.close()


@contextmanager
def desk_of_nothing(client: Client) -> Iterator[Desk]:
    """Give a library without items, for one call that can do with it. Raises ConfigError."""
    config = read_config(client.config)
    yield _desk(client, config, library_in_memory(config.storage.tokenizer).reader())


def _desk(client: Client, config: Config, reader: Reader) -> Desk:
    before = client.before
    return Desk(
        reader=reader,
        config=config,
        filters=Filters(allowed=_allowed(reader, config, client), before=before),
        now_s=time.time() if before is None else unix_s(before),
    )


def _allowed(reader: Reader, config: Config, client: Client) -> tuple[str, ...]:
    """Return the globs that hold: the config's; with a key of its own, what both allow."""
    if client.allowed is None:
        return config.sources.allowed
    both = set(_sources(reader, config.sources.allowed))
    names = [name for name in _sources(reader, client.allowed) if name in both]
    both_globs = (config.sources.allowed, client.allowed)
    if all(reader.documents(globs).may_be_read for globs in both_globs):
        names.append(DOCUMENTS)
    return tuple(_literal(name) for name in names)


def _sources(reader: Reader, globs: tuple[str, ...]) -> list[str]:
    return [source.source for source in reader.sources(Filters(allowed=globs))]


def _literal(name: str) -> str:
    """Return the glob that matches this name alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in name)
