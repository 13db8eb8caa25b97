"""Measure all of it and print one report: hooks, search, import, disk, instructions.

    ./benchmarks/run [--quick | --full] [--sizes 1000,10000] [--rounds 15] [--draw DIR]
                     [--jezero PYTHON]

All data is made on the way (seeded, invented words) and thrown away. Each figure stands beside a
floor of the same round: the hooks beside the bare interpreter, the search beside the plain FTS5
statement of the same rules, the import beside Python's json reading the same bytes. Ratios wander
less than milliseconds: compare those. --quick only shows that it runs; --full adds a library of
1,000,000 items (about an hour); --draw draws how hooks and search grow, as growth.png and
growth.svg (needs matplotlib); --jezero measures Jezero too, by a Python that has it
(benchmarks/jezero.py says how).
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import apsw  # noqa: E402
import import_sessions  # noqa: E402
import instructions  # noqa: E402
import jezero  # noqa: E402
import search  # noqa: E402
import timing  # noqa: E402
from timing import Timed  # noqa: E402

import hooks  # noqa: E402

SIZES = (1_000, 10_000, 60_000, 100_000)
FULL = 1_000_000
QUICK_ITEMS, QUICK_ROUNDS, QUICK_SESSIONS = 300, 2, 20
SESSIONS = 2_500
# Fewer would not give an answer to every question.
LEAST_ITEMS = 50


class Growth(NamedTuple):
    """What is drawn of one size: medians in ms by name, and the disk."""

    items: int
    medians_ms: dict[str, float]
    disk: search.Disk


def main() -> int:
    options = arguments()
    if options.jezero and (why := jezero.fault(options.jezero)):
        print(f"benchmarks: Jezero is left out: {why}", file=sys.stderr)
        options.jezero = None
    if options.draw and find_spec("matplotlib") is None:  # better now than after an hour
        print("benchmarks: --draw needs matplotlib", file=sys.stderr)
        return 1
    print(machine())
    # First: to the system a process has needed no less memory than the one that started it.
    with tempfile.TemporaryDirectory() as folder:
        rows, _, _ = import_sessions.time_imports(folder, options.sessions)
    import_sessions.show(rows, f"{options.sessions:,} sessions, {rows[0].megabytes:.0f} MB")
    grown = [measure(items, options) for items in options.sizes]
    show_disk(grown)
    if options.draw:
        draw(grown, options.draw)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run", description=(__doc__ or "\n").split("\n")[0]
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="tiny: only shows that it runs")
    size.add_argument("--full", action="store_true", help="with a library of 1,000,000 items")
    parser.add_argument("--sizes", type=sizes, metavar="N,N…", help="items of the libraries")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--draw", type=Path, metavar="DIR", help="draw growth.png, growth.svg")
    parser.add_argument("--jezero", metavar="PYTHON", help="a Python that has Jezero")
    options = parser.parse_args()
    options.sessions = QUICK_SESSIONS if options.quick else SESSIONS
    if options.quick:
        options.rounds = QUICK_ROUNDS
    usual = (QUICK_ITEMS,) if options.quick else (*SIZES, *([FULL] if options.full else []))
    options.sizes = options.sizes or usual
    return options


def sizes(text: str) -> tuple[int, ...]:
    """Return the numbers of a list. Raises ValueError where one is none, or too small."""
    found = tuple(sorted(int(part.replace("_", "")) for part in text.split(",")))
    if found[0] < LEAST_ITEMS:
        raise ValueError(f"{found[0]} items are too few")
    return found


def machine() -> str:
    """Return what the figures depend on, in a line."""
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    return (
        f"{time.strftime('%Y-%m-%d')}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores (load {load}), Python {platform.python_version()}, "
        f"SQLite {apsw.sqlite_lib_version()}"
    )


def measure(items: int, options: argparse.Namespace) -> Growth:
    """Measure hooks and search with a library of so many items; print the tables."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/library.db"
        prompt = hooks.fill(path, items)
        of_hooks = hooks.time_hooks(path, prompt, options.rounds)
        if options.jezero:
            of_hooks += jezero.time_hooks(options.jezero, path, prompt, options.rounds)
        timing.show(f"hooks, {items:,} items (whole processes)", of_hooks)
        of_search = searches(path, options)
        timing.show(f"search, {items:,} items (library opened each time)", of_search)
        if not options.quick and items == options.sizes[0]:
            if instructions.available():
                instructions.show(instructions.count(path, prompt), items)
            else:
                print("\nno instructions counted: valgrind is not installed")
        medians = {row.name: row.median_ms for row in of_hooks + of_search}
        return Growth(items, medians, search.disk(path))


def searches(path: str, options: argparse.Namespace) -> list[Timed]:
    """Return the rows of the search, with Jezero's (loaded, its library open) where it is."""
    rows = []
    for kind, timed in search.time_search(path, options.rounds).items():
        rows += timed
        if options.jezero:
            asked = search.questions(path, options.rounds + 1)[kind]
            taken = jezero.search_ms(options.jezero, path, asked)[1:]
            rows.append(Timed(f"{kind}: Jezero, warm", taken, timed[0].taken_ms))
    return rows


def show_disk(grown: list[Growth]) -> None:
    """Print what an item takes."""
    print(f"\n{'disk, bytes an item':<36}{'index':>8}{'library':>11}")
    for one in grown:
        name = f"{one.items:,} items"
        print(f"{name:<36}{one.disk.index_bytes:>8,.0f}{one.disk.library_bytes:>11,.0f}")


def draw(grown: list[Growth], folder: Path) -> None:
    """Draw how the medians grow with the library."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "growth"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 6), layout="constrained")
    drawn = (
        ("an answer", "#1a7f37", "-", "first-prompt hook with an answer, whole process"),
        ("session start", "#0969da", "-", "session-start hook, whole process"),
        (hooks.FLOOR, "#656d76", "-", "python -I -S -c pass"),
        ("20 common words: search", "#cf222e", "-", "search for 20 of the 200 commonest words"),
        ("20 common words: plain FTS5", "#cf222e", ":", "the same, plain FTS5"),
        ("8 words: search", "#9a6700", "-", "search for 8 words"),
        ("8 words: plain FTS5", "#9a6700", ":", "the same, plain FTS5"),
        ("20 common words: Jezero, warm", "#8250df", ":", "20 common words, Jezero (warm)"),
        ("Jezero, server warm: an answer", "#8250df", "-", "Jezero's hook, its server warm"),
    )
    for name, colour, line, told in drawn:
        points = [(one.items, one.medians_ms[name]) for one in grown if name in one.medians_ms]
        if points:
            axes.plot(*zip(*points, strict=True), f"o{line}", color=colour, label=told)
    axes.set(xscale="log", yscale="log", xlabel="items in the library", ylabel="ms (median)")
    axes.grid(which="major", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "growth.png", dpi=120)
    figure.savefig(folder / "growth.svg", metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main())
