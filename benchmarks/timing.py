"""Jobs timed in turns, and the table of what they took."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple


class Timed(NamedTuple):
    """What a job took, round by round, and what the one beside it took in the same rounds."""

    name: str
    taken_ms: list[float]
    beside_ms: list[float]

    @property
    def median_ms(self) -> float:
        return statistics.median(self.taken_ms)

    @property
    def ratio(self) -> float:
        """The median of the rounds' own ratios: a slow moment of the machine hits both."""
        pairs = zip(self.taken_ms, self.beside_ms, strict=True)
        return statistics.median(one / base for one, base in pairs)


def milliseconds(do: Callable[[], object]) -> float:
    """Return how long a call takes."""
    start_s = time.perf_counter()
    do()
    return (time.perf_counter() - start_s) * 1000


def in_turns(jobs: dict[str, Callable[[int], float]], rounds: int) -> list[Timed]:
    """Run all jobs once a round; each is given the round and returns its milliseconds.

    They are told beside the first one, which is the floor.
    """
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for round_ in range(rounds):
        for name, job in jobs.items():
            taken[name].append(job(round_))
    floor = next(iter(taken.values()))
    return [Timed(name, times, floor) for name, times in taken.items()]


def show(title: str, rows: list[Timed]) -> None:
    """Print a table, the ratio first."""
    width = max(36, *(len(row.name) + 2 for row in rows))
    print(f"\n{title}")
    print(f"{'':<{width}}{'ratio':>8}{'median ms':>11}{'min':>9}{'max':>9}{'runs':>6}")
    for row in rows:
        print(
            f"{row.name:<{width}}{row.ratio:>7.2f}x{row.median_ms:>11.1f}"
            f"{min(row.taken_ms):>9.1f}{max(row.taken_ms):>9.1f}{len(row.taken_ms):>6}",
            flush=True,
        )
