"""The clock of a hook: its budget counts from the start of its process. Source: RULES 7."""

from __future__ import annotations

import os
import time
from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Of the budget: the full question must be answered by then, so that a smaller one has time left;
# the smaller one by then, so that there is time to write; and then the hook is ended, so that
# there is time for a line in the log, and for the system to let go of the process.
FULL_SHARE, ANSWER_SHARE, END_SHARE = 0.5, 0.9, 0.92
EXIT_SHARE = 0.96
# An older process did not begin with this hook (or the system's figure means something else).
AGE_S = 5.0


class Clock:
    """A budget in seconds, of which ``age_s`` are spent; ``now`` gives seconds.

    ``doing`` says what takes the time, for the log; those in ``at_end`` are called when a hook is
    ended by its clock.
    """

    def __init__(
        self, limit_s: float, *, age_s: float = 0.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._now = now
        self._began_s = now() - age_s
        self._unclaimed = allocate_lock()
        self._changed = allocate_lock()
        self._changed.acquire()
        self._waits_until_s = float("inf")
        self.doing = "stdin"
        self.at_end: list[Callable[[], None]] = []
        self.allow(limit_s)

    def allow(self, limit_s: float) -> None:
        """Change the budget; it counts from the same beginning."""
        self.limit_s = limit_s
        # Who waits too short looks again by itself; to be woken costs both threads their turn.
        if self._spent_at_s(END_SHARE) < self._waits_until_s and self._changed.locked():
            self._changed.release()

    def budget(self) -> str:
        """Return the budget as the log and --dry-run name it."""
        return f"{self.limit_s * 1000:.0f} ms (hooks.budget_ms)"

    def left_s(self, share: float = 1.0) -> float:
        """Return the seconds until a share of the budget is spent, 0 where it is."""
        return max(self._spent_at_s(share) - self._now(), 0.0)

    def full_is_over(self) -> bool:
        """Return whether the time for the full question is over."""
        return not self.left_s(FULL_SHARE)

    def is_over(self) -> bool:
        """Return whether the time for any answer is over."""
        return not self.left_s(ANSWER_SHARE)

    def wait(self) -> None:
        """Return when the time is over to end the hook, however often the budget changes."""
        while self.left_s(END_SHARE):
            self._waits_until_s = until_s = self._spent_at_s(END_SHARE)
            if until_s == self._spent_at_s(END_SHARE):  # else it has changed before this was told
                self._changed.acquire(timeout=max(until_s - self._now(), 0.0))

    def _spent_at_s(self, share: float) -> float:
        return self._began_s + share * self.limit_s

    def claim(self) -> bool:
        """Return True to the first who asks: it alone may answer, or end the hook without."""
        return self._unclaimed.acquire(False)


def end_in_time(clock: Clock) -> None:
    """End the process with exit code 0 when the budget is spent.

    A thread of its own, since a read of stdin or a call of the system cannot be interrupted
    otherwise. What is to do at the end is done in one more, for that may hang as well; a hook
    that answers already has until the very end.
    """

    def watch() -> None:
        clock.wait()
        if clock.claim():
            done = allocate_lock()
            done.acquire()
            start_new_thread(_call, (*clock.at_end, done.release))
            done.acquire(timeout=clock.left_s(EXIT_SHARE))
        else:
            time.sleep(clock.left_s(EXIT_SHARE))
        os._exit(0)

    start_new_thread(watch, ())


def _call(*calls: Callable[[], None]) -> None:
    for call in calls:
        try:
            call()
        except OSError:
            continue


def process_age_s() -> float:
    """Return how long ago this process was started, its launcher's time included.

    Where the system does not tell, the processor time that it has used: less, but no guess.
    """
    try:
        handle = os.open("/proc/self/stat", os.O_RDONLY)
        try:
            fields = os.read(handle, 4096).rpartition(b")")[2].split()
        finally:
            os.close(handle)
        started_s = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - started_s
    except (OSError, ValueError, IndexError, AttributeError):
        age_s = -1.0
    return age_s if 0 <= age_s < AGE_S else min(time.process_time(), AGE_S / 100)
