"""The stop lists: files of words that say nothing about what a prompt is about (RULES 4)."""

from __future__ import annotations

import os

from .jsontext import BOM
from .model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Ours are 5 kB each; a file beyond this is no stop list, and a hook cannot wait for it.
FILE_BYTES = 1_000_000


class StopListFault(NamedTuple):
    """What is wrong in a stop list: the file, its line (None: the whole file), and why."""

    path: str
    line: int | None
    reason: str


def stop_list_folder() -> str:
    """Return the folder of the lists that come with us: in the wheel, or beside it in a clone."""
    package = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(package, "stoplists")
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(package), "stoplists")


def load_stop_list(
    folder: str, names: tuple[str, ...], extra: tuple[str, ...] = ()
) -> frozenset[str]:
    """Return the words of the named lists and the extra ones, which are folded already.

    A list that cannot be read gives no words, a faulty line what can be made of it:
    ``stop_list_faults`` tells. Never raises.
    """
    words = list(extra)
    for name in names:
        try:
            text = _read(_path(folder, name)).removeprefix(BOM).decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
        first, *commented = text.split("#")
        for part in (first, *(part.partition("\n")[2] for part in commented)):
            words += part.split()
    return frozenset(words)


def stop_list_faults(
    folder: str, names: tuple[str, ...], fold: Callable[[str], str]
) -> tuple[StopListFault, ...]:
    """Return what is wrong in the named lists, in their order; empty when all is well.

    A word that is not folded can never meet a prompt's word, and would seem to be listed.
    """
    faults: list[StopListFault] = []
    for name in names:
        path = _path(folder, name)
        try:
            lines = _read(path).removeprefix(BOM).decode().split("\n")
        except UnicodeDecodeError as fault:
            before = fault.object[: fault.start]
            faults.append(StopListFault(path, before.count(b"\n") + 1, "is not UTF-8"))
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or str(fault)
            faults.append(StopListFault(path, None, f"cannot be read: {reason}"))
        else:
            faults += _line_faults(path, lines, fold)
    return tuple(faults)


def _line_faults(path: str, lines: list[str], fold: Callable[[str], str]) -> list[StopListFault]:
    faults: list[StopListFault] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if len(words) > 1:
            faults.append(StopListFault(path, number, "holds more than one word"))
        for word in words:
            if fold(word) != word:
                reason = f"'{word}' is not folded: write '{fold(word)}'"
                faults.append(StopListFault(path, number, reason))
            if word in seen:
                reason = f"'{word}' stands in line {seen[word]} already"
                faults.append(StopListFault(path, number, reason))
            seen.setdefault(word, number)
    return faults


def _path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.txt")


def _read(path: str) -> bytes:
    # Not blocking: a pipe in a list's place gives nothing instead of a hook that waits.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        return os.read(handle, FILE_BYTES)
    finally:
        os.close(handle)
