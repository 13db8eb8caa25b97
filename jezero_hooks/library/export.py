"""Export: the library's items as they came in."""

from __future__ import annotations

from ..model import NewItem
from . import sql
from .reader import Filters, Reader, filter_values, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Exporter(Reader):
    """A reader that gives whole items, in the order of their ids."""

    def items(self, filters: Filters, *, original: bool) -> Iterator[NewItem]:
        """Yield the items, copies too, as one moment of the library; originals only if asked."""
        with self._faults():
            values = filter_values(filters, self._sources(filters.allowed))
            for row in self._db.execute(sql.EXPORTED, {**values, "original": original}):
                fields: list[Any] = [*row[:5], *parsed(row[5], row[6]), *row[7:]]
                yield NewItem(*fields)
