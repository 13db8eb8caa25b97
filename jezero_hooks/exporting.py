"""export: the library as JSON Lines, in the form that `import --items` takes."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, BinaryIO

from .answers import filters_of, settings
from .console import console, print_json
from .errors import JezeroError, UsageError
from .library.connection import open_reading
from .library.export import Exporter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .cli import Call
    from .model import NewItem


# Legal in JSON, and line ends to many a program that reads lines.
LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def run_export(call: Call) -> int:
    """Write the items that the filters leave to stdout, or to --out FILE."""
    out = call.options.out
    if call.json and not out:
        raise UsageError("export writes JSON Lines to stdout; with --json give --out FILE")
    config = settings(call)
    if not os.path.exists(call.library):
        raise JezeroError(f"{call.library}: is not there; `jezero-hook import` makes it")
    exporter = Exporter(open_reading(call.library), call.library)
    items = exporter.items(filters_of(call, config), original=call.options.original)
    if not out:
        sys.stdout.flush()
        _write(items, sys.stdout.buffer)
        return 0
    with _private_file(out, call.library) as file:
        count = _write(items, file)
    if call.json:
        print_json({"exported": count, "out": out})
    else:
        console().print(f"{count:,} items in {out}")
    return 0


def _write(items: Iterable[NewItem], file: BinaryIO) -> int:
    count = 0
    for count, item in enumerate(items, 1):  # noqa: B007 (the last is the answer)
        file.write(item_line(item))
    file.flush()
    return count


def item_line(item: NewItem) -> bytes:
    """Return an item as a line of Jezero's import format, with its source beside.

    What an item does not have is not there; the summary always is: Jezero asks for it.
    """
    value = item._asdict()
    value["atoms"] = [atom._asdict() for atom in item.atoms]
    kept = {name: one for name, one in value.items() if one or name == "summary"}
    line = json.dumps(kept, ensure_ascii=False).translate(LINE_ENDS)
    return line.encode("utf-8", "replace") + b"\n"


@contextlib.contextmanager
def _private_file(path: str, library: str) -> Iterator[BinaryIO]:
    """Yield a file for the user alone, which takes the path's place once it is whole."""
    if os.path.exists(path) and os.path.samefile(path, library):
        raise UsageError(f"--out {path}: is the library itself; name another file")
    mine = f"{path}.{os.getpid()}"
    try:
        if os.path.isdir(path):
            raise IsADirectoryError(None, "is a folder; name a file in it")
        handle = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(handle, "wb") as file:
                yield file
            os.replace(mine, path)
        except BaseException:
            os.unlink(mine)
            raise
    except OSError as error:
        raise JezeroError(f"{path}: cannot be written: {error.strerror or error}") from error
