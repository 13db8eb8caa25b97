"""rebuild: the library's index made anew, also with another tokenizer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .answers import settings
from .config import CONFIG_FILE
from .console import console, print_json, progress
from .errors import LibraryError
from .library.rebuild import rebuild_library
from .lock import BY_HAND_WAIT_S, writing

if TYPE_CHECKING:
    from .cli import Call


def run_rebuild(call: Call) -> int:
    """Make the library's index anew from its items; say what is left to do.

    The tokenizer is that of ``--tokenizer``, else the config's. Raises LibraryError where
    there is no library, or FTS5 has no such tokenizer: nothing has changed then.
    """
    config = settings(call)
    wanted = config.storage.tokenizer
    tokenizer = wanted if call.options.tokenizer is None else call.options.tokenizer
    if not os.path.exists(call.library):
        raise LibraryError(f"{call.library}: is not there; `jezero-hook import` makes it")
    with (
        writing(call.library, wait_s=BY_HAND_WAIT_S),
        progress("indexing", "items", quiet=call.json) as told,
    ):
        rebuilt = rebuild_library(
            call.library, tokenizer, told, documents_tokenizer=config.documents.tokenizer
        )
    next_step = None if tokenizer == wanted else _next_step(call, tokenizer, wanted)
    if call.json:
        print_json(rebuilt._asdict() | {"tokenizer": tokenizer, "next_step": next_step})
        return 0
    out = console()
    out.print(f"index of {rebuilt.items:,} items made anew ({tokenizer})")
    if rebuilt.documents:
        out.print(
            f"index of {rebuilt.documents:,} documents made anew ({config.documents.tokenizer})"
        )
    if rebuilt.damaged:
        out.print(f"the damaged library is kept as {rebuilt.damaged}; run an import to fill gaps")
        out.print(
            "documents are not carried over: `jezero-hook documents index` indexes them again"
        )
    if next_step:
        out.print(next_step)
    return 0


def _next_step(call: Call, tokenizer: str, wanted: str) -> str:
    config = call.config or os.path.join(call.home, CONFIG_FILE)
    quoted = "'" + tokenizer.replace("'", "''") + "'"  # as YAML quotes
    return (
        f"now set storage.tokenizer: {quoted} in {config}; it asks for {wanted!r}, and nothing "
        "is imported while the two differ"
    )
