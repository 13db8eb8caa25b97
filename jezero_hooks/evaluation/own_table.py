"""eval --own for eyes: a row for each chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

from ..console import console

if TYPE_CHECKING:
    from .own import Row

NAMES = ("chance", "speaks", "lines", "same project", "speaks of other projects alone")
WHAT_IT_IS = (
    "Neither column knows what is right: a line of another project may be what was needed, "
    "one of the same project useless."
)


def print_own(report: dict[str, Any], rows: list[Row], own: float) -> None:
    """Print the rows, the config's own one (0: off) marked, and what they do not tell."""
    out, number = console(), report["prompts"]
    out.print(
        f"{number['asked']:,} of {number['of']:,} later prompts, chosen by their hash, each asked "
        f"of all other sessions; library of {report['library']['items']:,} items\n",
        style="dim",
    )
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    for name in NAMES:
        table.add_column(name, justify="left" if name == NAMES[0] else "right")
    for row in rows:
        table.add_row(*_cells(row, own), style="bold" if row.chance == own else "")
    out.print(table)
    blindly = _percent(report["same_project_blindly"])
    out.print(
        f"\nOf any items at all {blindly} would be of the same project. {WHAT_IT_IS}", style="dim"
    )


def _cells(row: Row, own: float) -> list[str]:
    name = f"{row.chance:g}" if row.chance else "off"
    lines = "–" if row.lines is None else f"{row.lines:.1f}"
    spoken, same, elsewhere = map(_percent, (row.spoken, row.same_project, row.elsewhere))
    return [name + ("  (yours)" if row.chance == own else ""), spoken, lines, same, elsewhere]


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"
