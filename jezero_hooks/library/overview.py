"""Overview: the projects of a library, and how much was done on each day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ..model import NamedTuple
from . import sql
from .reader import Reader, filter_values

if TYPE_CHECKING:
    from .reader import Filters


class ProjectItems(NamedTuple):
    """A project, how many items it has, and the time of the newest."""

    name: str
    items: int
    newest: str


class Day(NamedTuple):
    """A day in UTC (``2026-11-18``), and how many items occurred on it."""

    day: str
    items: int


def overview_of(reader: Reader) -> Overview:
    """Return what counts with the same connection."""
    return Overview(reader._db, reader.path)


class Overview(Reader):
    """A reader that counts."""

    def projects(self, limit: int, filters: Filters) -> list[ProjectItems]:
        """Return the projects of what may be read, that of the newest item first."""
        with self._faults():
            values = filter_values(filters, self._sources(filters.allowed))
            rows = self._db.execute(sql.PROJECTS, {**values, "limit": limit})
            return [ProjectItems(*row) for row in rows]

    def activity(self, days: int, now_s: float, filters: Filters) -> list[Day]:
        """Return that many days, oldest first, the last one that of ``now_s``."""
        # The calendar must not end before the first of them.
        today = datetime.fromtimestamp(max(now_s, days * 86_400.0), UTC).date()
        names = [(today - timedelta(days=ago)).isoformat() for ago in reversed(range(days))]
        with self._faults():
            values = filter_values(filters._replace(since=names[0]), self._sources(filters.allowed))
            found = dict(self._db.execute(sql.ACTIVITY, values))
        return [Day(name, found.get(name, 0)) for name in names]
