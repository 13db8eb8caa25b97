"""The run of an evaluation: each case through the very functions of the hooks and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..answers import hits_of, item_of
from ..hook import first_prompt_block
from ..library.reader import Filters
from ..model import NamedTuple
from ..newer import newer_than
from ..payload import asked
from ..rules.measures import Answer
from ..times import unix_s

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..config import Config
    from ..library.reader import Reader
    from ..model import Hit, Item, ListedItem
    from .cases import Case


class Given(NamedTuple):
    """An item that came, and whether it was expected."""

    id: int
    external_id: str
    expected: bool


class Result(NamedTuple):
    """What came of a case; unknown are the items it names that cannot be read there."""

    case: Case
    given: tuple[Given, ...]
    unknown: tuple[int | str, ...]

    def answer(self) -> Answer:
        marks = tuple(given.expected for given in self.given)
        return Answer(self.case.door, bool(self.case.expect), marks)

    def missing(self) -> list[int | str]:
        """Return the expected items that did not come."""
        came = {name for given in self.given for name in given[:2]}
        return [name for name in self.case.expect if name not in came]


def run_cases(
    reader: Reader, config: Config, cases: Sequence[Case], *, now_s: float, before: str | None
) -> list[Result]:
    """Return what comes of each case; one without ``as_of`` is asked at the time given.

    Raises LibraryError.
    """
    named = {name for case in cases for name in (case.asked, *case.expect) if _is_text(name)}
    run = _Run(reader, config, reader.ids_of(sorted(map(str, named))))
    return [run.result(case, now_s=now_s, before=before) for case in cases]


def _is_text(name: object) -> bool:
    return isinstance(name, str)


class _Run(NamedTuple):
    """A library, a config, and the ids of the external ids that the cases name."""

    reader: Reader
    config: Config
    ids: dict[str, list[int]]

    def result(self, case: Case, *, now_s: float, before: str | None) -> Result:
        if case.as_of:
            now_s, before = unix_s(case.as_of), case.as_of
        filters = Filters(allowed=self.config.sources.allowed, before=before)
        came = self._came(case, filters, now_s)
        names = (*case.expect, *([case.asked] if case.door == "later" else []))
        return Result(
            case,
            tuple(Given(i.id, i.external_id, _is_expected(i, case)) for i in came),
            tuple(name for name in names if self._item(name, filters) is None),
        )

    def _came(self, case: Case, filters: Filters, now_s: float) -> Iterable[Hit | ListedItem]:
        if case.door == "first_prompt":
            prompt = asked(str(case.asked))
            return first_prompt_block(
                self.reader, self.config, prompt, now_s=now_s, before=filters.before
            ).shown
        if case.door == "search":
            filters = filters._replace(project=case.project, source=case.source)
            return hits_of(
                self.reader,
                self.config,
                str(case.asked),
                limit=case.limit,
                now_s=now_s,
                filters=filters,
            )[1]
        item = self._item(case.asked, filters)
        if item is None:
            return ()
        return newer_than(
            self.reader, item, case.query, limit=case.limit, config=self.config, filters=filters
        ).items

    def _item(self, name: int | str, filters: Filters) -> Item | None:
        """Return the item of an id or external id; of several the one stored first."""
        ids = self.ids.get(name, []) if isinstance(name, str) else [name]
        items = (item_of(self.reader, id_, filters) for id_ in ids)
        return next((item for item in items if item is not None), None)


def _is_expected(item: Hit | ListedItem, case: Case) -> bool:
    return item.id in case.expect or item.external_id in case.expect
