"""Saved runs: written, read again, and compared with."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from ..errors import JezeroError
from ..model import NamedTuple
from ..rules.measures import NAMES, Answer, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..rules.measures import Measure
    from .run import Result

FORM = 1  # of the file; another number is another program's


class Saved(NamedTuple):
    """An earlier run: its measures, and by the case's name what was asked and what came."""

    path: str
    measures: dict[str, float | None]
    cases: dict[str, tuple[list[Any], Answer]]


class Comparison(NamedTuple):
    """What became of the cases since an earlier run: their names.

    ``changed`` ask or expect something else than then, ``gone`` are no longer in the file.
    """

    better: tuple[str, ...]
    worse: tuple[str, ...]
    changed: tuple[str, ...]
    new: tuple[str, ...]
    gone: tuple[str, ...]


def as_json(results: Sequence[Result], found: dict[str, Measure]) -> dict[str, Any]:
    """Return a run as JSON: what ``--json`` prints and ``--save`` keeps."""
    return {
        "form": FORM,
        "metrics": {name: measure._asdict() for name, measure in found.items()},
        "cases": [_case_json(result) for result in results],
    }


def _case_json(result: Result) -> dict[str, Any]:
    case, answer = result.case._asdict(), result.answer()
    return {
        **case,
        "expect": list(result.case.expect),
        "given": [given._asdict() for given in result.given],
        "place": answer.place(),
        "right": answer.is_right(),
        "missing": result.missing(),
        "unknown": list(result.unknown),
    }


def save(path: str, run: dict[str, Any]) -> None:
    """Write a run to a file for the user alone, whole or not at all. Raises JezeroError."""
    new = f"{path}.new-{os.getpid()}"
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(run, file, indent=2)
            file.write("\n")
        os.replace(new, path)
    except OSError as error:
        raise JezeroError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        if os.path.exists(new):
            os.unlink(new)


def load(path: str) -> Saved:
    """Return a saved run. Raises JezeroError, which names the file, for anything else."""
    try:
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        if run["form"] != FORM:
            raise ValueError
        measures = {name: run["metrics"][name]["value"] for name in NAMES}
        if not all(value is None or isinstance(value, (int, float)) for value in measures.values()):
            raise ValueError
        return Saved(path, measures, {str(c["name"]): _case_of(c) for c in run["cases"]})
    except OSError as error:
        raise JezeroError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        said = f": {error}" if isinstance(error, json.JSONDecodeError) else ""
        raise JezeroError(f"{path}: was not written by `jezero-hook eval --save`{said}") from None


def _case_of(case: dict[str, Any]) -> tuple[list[Any], Answer]:
    marks = tuple(bool(given["expected"]) for given in case["given"])
    return _question(case), Answer(str(case["door"]), bool(case["expect"]), marks)


def _question(case: dict[str, Any]) -> list[Any]:
    """Return what makes a case the same one as before: all but its name and what came."""
    names = ("door", "asked", "expect", "query", "project", "source", "as_of", "limit")
    return [case[name] for name in names]


def delta(now: float | None, was: float | None) -> float | None:
    """Return by how much a measure grew; None where one of the runs does not have it."""
    return None if now is None or was is None else now - was


def compare(saved: Saved, run: dict[str, Any]) -> Comparison:
    """Return what became of the cases since a saved run. Source: RULES 11.3."""
    found: dict[str, list[str]] = {name: [] for name in Comparison._fields}
    for case in run["cases"]:
        question, now = _case_of(case)
        if case["name"] not in saved.cases:
            found["new"].append(case["name"])
            continue
        asked, then = saved.cases[case["name"]]
        became = "changed" if asked != question else verdict(then, now)
        if became != "same":
            found[became].append(case["name"])
    here = {case["name"] for case in run["cases"]}
    found["gone"] = [name for name in saved.cases if name not in here]
    return Comparison(*map(tuple, found.values()))
