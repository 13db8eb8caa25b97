"""What a person reads in a terminal: rich text for eyes, one JSON value for scripts."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .render import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from .model import Hit, ListedItem

    class Told(Protocol):
        """Is told how many of how many are done, and what else to say of it."""

        def __call__(self, done: int, of: int, said: str = "") -> None: ...


# Wide enough for a paragraph; a line of more is cut, since an item can be whole with `show`.
LINE_CHARS = 2_000


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise  # cli.py ends then, quietly; rich's own way out would be exit code 1


def console(*, stderr: bool = False) -> Console:
    """Return a console; text is never broken into lines where the output is no terminal."""
    made = _Console(stderr=stderr, highlight=False, emoji=False, markup=False)
    made.soft_wrap = not made.is_terminal
    return made


@contextlib.contextmanager
def progress(doing: str, unit: str, *, quiet: bool) -> Iterator[Told]:
    """Yield what is told of the work; a bar with the time left where a person looks on.

    Of bytes it shows how many a second.
    """
    out = console(stderr=True)
    if quiet or not out.is_terminal:
        yield lambda done, of, said="": None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    of_bytes = (TextColumn("{task.fields[said]}"), TransferSpeedColumn())
    of_others = (MofNCompleteColumn(), TextColumn(unit))

    bar = Progress(
        TextColumn(doing),
        BarColumn(),
        *(of_bytes if unit == "bytes" else of_others),
        TimeRemainingColumn(),
        console=out,
        transient=True,
    )
    with bar:
        task = bar.add_task(doing, total=None, said="")
        yield lambda done, of, said="": bar.update(task, completed=done, total=of, said=said)


def print_json(value: object) -> None:
    """Print one JSON value; escaped where the terminal's encoding has not every character."""
    plain = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    print(json.dumps(value, ensure_ascii=plain, indent=2))


def safe(text: str, max_chars: int = LINE_CHARS) -> str:
    """Return a stored text for a terminal: one line, no control characters."""
    return one_line(text, max_chars)


def print_facts(out: Console, facts: list[tuple[Text, str]]) -> None:
    """Print names and what is said of them; in a terminal long ones wrap below themselves."""
    if not out.is_terminal:
        for name, text in facts:
            out.print(Text.assemble(name, safe(text)))
        return
    table = Table.grid()
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in facts:
        table.add_row(name, Text(safe(text)))
    out.print(table)


def item_lines(item: ListedItem | Hit, score: float | None = None) -> list[Text]:
    """Return an item as a person scans it: id, date, project and title; then the summary."""
    head = Text.assemble(
        (f"[{item.id}]", "cyan"),
        " ",
        (safe(item.occurred_at[:10]) or "undated", "green"),
        "  ",
        (safe(item.title), "bold"),
    )
    if item.project:
        head.append(f"  {safe(item.project)}", "magenta")
    if score is not None:
        head.append(f"  {score:z.2f}", "dim")
    summary = safe(item.summary, 300)
    return [head, Text(f"     {summary}", "dim")] if summary else [head]
