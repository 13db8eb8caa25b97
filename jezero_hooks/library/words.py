"""The words of the library: how many items hold each, kept in step with the items."""

from __future__ import annotations

from collections import Counter

from ..jsontext import dump
from ..rules.evidence import whole_words
from . import sql

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .engine import apsw

# All items hold it: its count is the number of items.
EVERY_ITEM = ""


def words_of(title: str, summary: str) -> set[str]:
    """Return the words that an item counts for, the empty one too."""
    return {EVERY_ITEM, *whole_words(title, summary)}


class WordChanges:
    """How the counts change in a transaction, written at its end: of many items all at once."""

    def __init__(self) -> None:
        self._changes: Counter[str] = Counter()

    def note(self, before: set[str], after: set[str]) -> None:
        """Note that an item that held the words ``before`` now holds those ``after``.

        An item that was not there, or is no more, holds none.
        """
        self._changes.update(after)
        self._changes.subtract(before)

    def write(self, db: apsw.Connection) -> None:
        """Write what was noted into the counts. A word that no item holds any more goes."""
        # What came and went within the transaction never was.
        changes = {word: change for word, change in self._changes.items() if change}
        self.drop()
        if changes:
            # In the table's order, in which they lie beside one another.
            db.executemany(sql.COUNT_WORD, sorted(changes.items()))
        if lost := [word for word, change in changes.items() if change < 0]:
            db.execute(sql.FORGET_LOST_WORDS, {"words": dump(lost)})

    def drop(self) -> None:
        """Forget what was noted: the transaction is rolled back."""
        self._changes.clear()


def count_all(db: apsw.Connection) -> None:
    """Count the words of all items anew, in the caller's transaction: about 0.1 ms an item."""
    db.execute(sql.FORGET_WORDS)
    db.executemany(sql.COUNT_WORD, sorted(true_counts(db).items()))


def miscounted(db: apsw.Connection) -> int:
    """Return of how many words the count is not true; a library without counts has none."""
    if db.execute(sql.HAS_TABLE, {"name": "hooks_words"}).fetchone() is None:
        return 0
    noted = {str(word): items for word, items in db.execute(sql.ALL_WORDS)}
    counted = true_counts(db)
    return sum(noted.get(w) != counted.get(w) for w in noted.keys() | counted.keys())


def true_counts(db: apsw.Connection) -> dict[str, int]:
    """Return how many items hold each word, from the items themselves."""
    counts: dict[str, int] = {}
    for title, summary in db.execute(sql.ALL_TEXTS):
        for word in words_of(str(title), str(summary)):
            counts[word] = counts.get(word, 0) + 1
    return counts
