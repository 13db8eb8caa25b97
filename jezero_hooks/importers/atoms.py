"""What the agent's tools did, to atoms: errors, commands that matter, files written. Pure."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from ..model import Atom
from .wording import cut, one_line
from .wordlists import LOOKING, LOOKING_GIT, WRAPPERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHELLS = frozenset(("Bash", "PowerShell"))
WRITERS = frozenset(("Write", "Edit", "MultiEdit", "NotebookEdit"))

# A message's first lines say what failed; the rest of a stack trace does not.
ERROR_LINES = 6
# Whether a command matters shows at its start; a script of pages in a heredoc follows it.
COMMAND_CHARS = 4_000

# What the client itself answers a tool with: nothing that went wrong in the project.
NO_ERRORS = (
    "The user doesn't want to",
    "[Request interrupted by user",
    "File has not been read yet",
    "File has been modified since read",
    "Sibling tool call errored",
    "Cancelled: parallel tool call",
)

_LEADING_CD = re.compile(r"""\A\s*cd\s+(?:"[^"]*"|'[^']*'|(?:\\.|[^\s;&|\\])+)\s*(?:&&|;|\n)\s*""")
_TRAILING_LOOK = re.compile(
    r"(?:\s*2>&1)?\s*\|\s*(?:tail|head|cat|less|more)\b[^|;&\n]*\Z|\s*2>&1\s*\Z"
)
_QUOTED = re.compile(r"""'[^']*'|"(?:\\.|[^"\\])*\"""", re.S)
_HEREDOC = re.compile(r"(<<-?\s*[\"'\\]?\w[^\n]*)\n.*", re.S)
_TO_NOTHING = re.compile(r"(?:\d|&)?>{1,2}\s*(?:&\d|/dev/null)")
_PIECES = re.compile(r"&&|\|\||[;|\n&]|\$\(|`")
_NO_PROGRAM = re.compile(r"\w+=\S*\Z|-")
_WRITES = re.compile(r"(?<![0-9&<=-])>{1,2}\s*[\w\"'$~./]")
_GIT_LISTS = re.compile(
    r"(?:branch|remote|tag|config|config \S+)\Z|(?:stash|worktree|submodule) (?:list|show|status)\b"
)
_EXIT_CODE = re.compile(r"(?:Error: )?Exit code \d+\Z")
_ERROR_TAG = re.compile(r"</?(?:tool_use_error|error)>")


def error_of(message: str, command: str, chars: int) -> str | None:
    """Return a failed tool's message as it stood, in at most so many characters and few lines.

    Of a longer one the first lines stay, and the last, where a traceback names its error.
    A bare exit code gets the command's line. None for what the client itself answered.
    """
    message = _ERROR_TAG.sub("", message).strip()
    if not message or message.removeprefix("Error: ").startswith(NO_ERRORS):
        return None
    if _EXIT_CODE.match(message):
        return f"{message}\n$ {cut(one_line(command), chars // 2)}" if command else message
    rows = [row.rstrip()[:chars] for row in message.split("\n") if row.strip()]
    if len(rows) <= ERROR_LINES and len("\n".join(rows)) <= chars:
        return "\n".join(rows)
    if len(rows) == 1:
        return cut(rows[0], chars - 1) + "…"
    first, last = "\n".join(rows[:-1][: ERROR_LINES - 1]), cut(rows[-1], chars // 2)
    return cut_block(first, chars - len(last) - 3) + "\n…\n" + last


def cut_block(text: str, chars: int) -> str:
    """Return text of several lines cut to so many characters, on a line's or a word's end."""
    if len(text) <= chars:
        return text
    head = text[:chars]
    return head[: max(head.rfind("\n"), head.rfind(" "))].rstrip() or head


def command_of(command: str, chars: int) -> str | None:
    """Return a shell command as one line, None when it only looked around.

    The way to the folder (`cd X &&`) and a pipe into head or tail are left out, so that the
    same command is the same atom.
    """
    command = _TRAILING_LOOK.sub("", _LEADING_CD.sub("", command).strip())
    if not _matters(command):
        return None
    line = one_line(command)
    return line if len(line) <= chars else cut(line, chars - 2) + " …"


def _matters(command: str) -> bool:
    bare = _HEREDOC.sub(r"\1", command[:COMMAND_CHARS])
    bare = _TO_NOTHING.sub(" ", _QUOTED.sub("_", bare))
    if _WRITES.search(bare):
        return True
    return any(_does(piece) for piece in _PIECES.split(bare))


def _does(piece: str) -> bool:
    words = piece.strip(" \t()").split()
    while words and (words[0] in WRAPPERS or _NO_PROGRAM.match(words[0])):
        words.pop(0)
    if not words or words[0] in ("for", "case", "done", "fi", "esac", "}", "in", "function", "#"):
        return False
    program = words[0].rpartition("/")[2]
    if program == "git":
        return not _looks_at_git(words)
    if program == "sed":
        return any(word.startswith("-i") or word == "--in-place" for word in words)
    if len(words) > 1 and words[-1] in ("--version", "--help", "-V"):
        return False
    return program not in LOOKING and not program.startswith("#")


def _looks_at_git(words: Sequence[str]) -> bool:
    call = [word for word in words[1:] if not word.startswith("-")]
    if words[1:2] == ["-C"]:
        call = call[1:]
    return not call or call[0] in LOOKING_GIT or bool(_GIT_LISTS.match(" ".join(call)))


def fact_of(path: str, folders: Iterable[str | None]) -> str:
    """Return a written file's path, relative to the first of the folders that holds it."""
    for folder in folders:
        base = folder.rstrip("/\\") if folder else ""
        if base and path.startswith(base) and path[len(base) : len(base) + 1] in ("/", "\\"):
            return path[len(base) + 1 :]
    return path


def chosen(kinds: Sequence[tuple[str, Sequence[str]]], most: int) -> tuple[Atom, ...]:
    """Return at most so many atoms of (kind, texts in order of time), each text once.

    The newest of each kind in turn, so that no kind starves another; then by kind and time.
    """
    newest = [[*dict.fromkeys(reversed(texts))] for _, texts in kinds]
    turns = [(n, text) for row in zip_longest(*newest) for n, text in enumerate(row) if text]
    kept = turns[:most]
    return tuple(
        Atom(kind, text)
        for n, (kind, _) in enumerate(kinds)
        for text in [text for m, text in kept if m == n][::-1]
    )
