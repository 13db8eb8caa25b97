"""The library without the session that a prompt was typed in: the prompt must not find itself."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from heapq import nsmallest
from typing import TYPE_CHECKING

from ..library.export import Exporter
from ..library.reader import EVERYTHING, Filters
from ..model import NamedTuple
from ..rules.evidence import whole_words
from ..rules.related import Counts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..model import Hit
    from ..rules.ranking import Ranking


class Prompt(NamedTuple):
    """A later prompt of a session, and the project that the session's item has."""

    text: str
    session: str
    project: str


class Sample(NamedTuple):
    """Some of the later prompts, of how many, and the number of items of each project."""

    prompts: list[Prompt]
    of: int
    projects: Counter[str | None]


def session_of(external_id: str) -> str:
    """Return what the segments of a session, and its copies in other sources, have in common."""
    return external_id.partition("#")[0]


class OtherSessions(Exporter):
    """A library as it would be without one session and, if one is left out, a project's items.

    The session is gone from the counts of words too; a project that is left out is not.
    """

    session = ""
    without_project: str | None = None
    _words: dict[str, list[set[str]]]

    def sample(self, filters: Filters, number: int, asks: Callable[[str], bool]) -> Sample:
        """Return so many later prompts that ask something, the same ones on each call.

        Those of the least hash; a prompt that a copy of its session has too counts once.
        """
        seen: dict[bytes, Prompt] = {}
        projects: Counter[str | None] = Counter()
        for item in self.items(filters, original=False):
            projects[item.project] += 1
            session = session_of(item.external_id)
            for text in item.questions[1:] if item.project else ():
                if asks(text):
                    mark = sha256(f"{session}\n{text}".encode("utf-8", "replace")).digest()
                    seen.setdefault(mark, Prompt(text, session, str(item.project)))
        prompts = [seen[mark] for mark in nsmallest(number, seen)]
        self._words = {prompt.session: [] for prompt in prompts}
        for item in self.items(EVERYTHING, original=False):
            own = self._words.get(session_of(item.external_id))
            if own is not None:
                own.append(whole_words(item.title, item.summary))
        return Sample(prompts, len(seen), projects)

    def search(
        self,
        match: str | None,
        *,
        now_s: float,
        limit: int,
        ranking: Ranking | None = None,
        filters: Filters = EVERYTHING,
    ) -> list[Hit]:
        """Return the best hits that the library would give without what is left out."""
        pool = ranking.candidate_pool if ranking else limit
        found = super().search(match, now_s=now_s, limit=pool, ranking=ranking, filters=filters)
        return [hit for hit in found if self._is_there(hit)][:limit]

    def _is_there(self, hit: Hit) -> bool:
        out = self.without_project is not None and hit.project == self.without_project
        return not out and session_of(hit.external_id) != self.session

    def word_counts(self, words: Sequence[str]) -> Counts | None:
        """Return the counts as if the session had never been."""
        counts = super().word_counts(words)
        own = self._words.get(self.session, [])
        if counts is None or not own:
            return counts
        left = {word: n - sum(word in of for of in own) for word, n in counts.holding.items()}
        return Counts(counts.items - len(own), {word: n for word, n in left.items() if n > 0})
