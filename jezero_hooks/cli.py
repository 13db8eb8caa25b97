"""jezero-hook: the one program, by hand and for the client."""

from __future__ import annotations

import argparse
import errno
import os
import sys
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from . import __version__
from .errors import JezeroError, UsageError
from .home import LIBRARY_FILE, jezero_home
from .model import NamedTuple

REFUSED, USAGE, OUR_FAULT, INTERRUPTED = 1, 2, 3, 130

LIMIT_HELP = "how many (default and most: the config's)"

DESCRIPTION = """\
Gives Claude Code its own past back: the newest items of a project at session start,
related past work on the first prompt, else silence. --dry-run shows what and why."""

EPILOG = """\
exit codes: 0 done, 1 a refusal with its reason, 2 usage, 3 a fault of ours, 130 interrupted"""


class Call(NamedTuple):
    """What a command is called with: the parsed options, and where and when it works."""

    options: argparse.Namespace
    home: str
    library: str
    config: str | None
    before: str | None
    now_s: float
    json: bool


def main(argv: list[str] | None = None) -> int:
    """Run a command; return the exit code."""
    sys.excepthook = _report_our_fault
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: what is said goes nowhere
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (open as long as we are)
        # An old terminal cannot show every title, and that is no reason to fail.
        getattr(sys, name).reconfigure(errors="replace")
    try:
        code = _run(_parser(), argv)
        # What is still in the buffer meets a closed pipe here, and not in Python's tear-down.
        sys.stdout.flush()
        return code
    except UsageError as reason:
        return _refuse(USAGE, reason)
    except JezeroError as reason:
        return _refuse(REFUSED, reason)
    except KeyboardInterrupt:
        return _refuse(INTERRUPTED, "interrupted")
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing more can be said to it.
        _leave_stdout()
        return 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EBADF) or error.filename:
            raise
        _leave_stdout()
        return _refuse(REFUSED, f"the output cannot be written: {error.strerror}")


def _refuse(code: int, reason: object) -> int:
    print(f"jezero-hook: {reason}", file=sys.stderr)
    return code


def _leave_stdout() -> None:
    """Let what is still in the buffer go nowhere, so that Python's tear-down is quiet."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _run(parser: argparse.ArgumentParser, argv: list[str] | None) -> int:
    try:
        options = parser.parse_args(argv)
    except SystemExit:
        sys.stdout.flush()  # --help and --version end here
        raise
    if options.dry_run and options.run is not None:
        raise UsageError("--dry-run stands alone: it shows the hooks, and runs no command")
    if not options.dry_run and (options.prompt is not None or options.cwd is not None):
        raise UsageError("--prompt and --cwd go with --dry-run")
    run = _dry_run if options.dry_run else options.run
    if run is None:
        parser.print_help(sys.stderr)
        return USAGE
    try:
        return int(run(_call(options)) or 0)
    except JezeroError as reason:
        if options.json:
            from .console import print_json

            print_json({"error": str(reason)})
        raise


def _report_our_fault(
    kind: type[BaseException], fault: BaseException, trace: TracebackType | None
) -> None:
    traceback.print_exception(kind, fault, trace)
    print(
        f"jezero-hook {__version__}: this is a fault of ours; please report it with the lines "
        "above (leave out what is private)",
        file=sys.stderr,
    )
    sys.stderr.flush()
    os._exit(OUR_FAULT)


def _call(options: argparse.Namespace) -> Call:
    home = jezero_home()
    before = _time(options.as_of, "--as-of")
    from .times import unix_s

    return Call(
        options=options,
        home=home,
        library=options.library or os.path.join(home, LIBRARY_FILE),
        config=options.config,
        before=before,
        now_s=time.time() if before is None else unix_s(before),
        json=options.json,
    )


def _time(text: str | None, option: str) -> str | None:
    from .times import utc_iso

    if text is None:
        return None
    try:
        return utc_iso(text)
    except ValueError:
        raise UsageError(
            f"{option} {text}: is no time; write it like 2026-09-10 or 2026-09-10T08:30:00+02:00"
        ) from None


# --- the commands: each imports what it needs --------------------------------------------


def _dry_run(call: Call) -> int:
    from .dryrun import dry_run

    return dry_run(call)


def _hook(event: str) -> Callable[[Call], int]:
    def run(call: Call) -> int:
        from . import hook

        if call.options.library or call.config or call.before:
            raise UsageError("a hook works with JEZERO_HOOKS_HOME alone, and takes no option")
        hooks = {
            "session-start": hook.session_start,
            "first-prompt": hook.first_prompt,
            "session-end": hook.session_end,
        }
        hooks[event]()
        return 0

    return run


def _import(call: Call) -> int:
    from .importing import run_import

    return run_import(call)


def _search(call: Call) -> int:
    from .answers import search

    return search(call)


def _timeline(call: Call) -> int:
    from .answers import timeline

    return timeline(call)


def _later(call: Call) -> int:
    from .answers import later

    return later(call)


def _show(call: Call) -> int:
    from .answers import show

    return show(call)


def _check(call: Call) -> int:
    from .check import check

    return check(call)


def _eval(call: Call) -> int:
    options = call.options
    if options.own == (options.file is not None):
        both = " not both" if options.own else " one of them"
        raise UsageError(f"eval: give a FILE of cases or --own,{both}")
    if options.own:
        if options.save or options.compare or options.fail_under:
            raise UsageError("eval --own: has no cases to save, compare or hold to a bar")
        from .evaluation.own import run_own

        return run_own(call)
    if options.prompts is not None:
        raise UsageError("--prompts: goes with --own alone")
    from .evaluation.command import run_eval

    return run_eval(call)


def _rebuild(call: Call) -> int:
    from .rebuilding import run_rebuild

    return run_rebuild(call)


def _forget(call: Call) -> int:
    from .forgetting import run_forget

    return run_forget(call)


def _documents(doing: str) -> Callable[[Call], int]:
    def run(call: Call) -> int:
        from .documents import command

        does = {
            "index": command.run_index,
            "search": command.run_search,
            "forget": command.run_forget,
        }
        return does[doing](call)

    return run


def _export(call: Call) -> int:
    from .exporting import run_export

    return run_export(call)


def _mcp(call: Call) -> int:
    try:
        from .server.mcp import run_mcp
    except ModuleNotFoundError as missing:
        raise _lacking(missing, "mcp") from None
    return run_mcp(call)


def _serve(call: Call) -> int:
    try:
        from .server.serve import run_serve
    except ModuleNotFoundError as missing:
        raise _lacking(missing, "serve") from None
    return run_serve(call)


def _lacking(missing: ModuleNotFoundError, extra: str) -> Exception:
    """Return the refusal for a package that only an extra brings; a module of ours is a fault."""
    package = (missing.name or "").partition(".")[0]
    if package == __package__:
        return missing
    return JezeroError(f"this needs the package {package}: pip install 'jezero-hooks[{extra}]'")


# --- the options -------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        self.exit(USAGE, f"jezero-hook: {message}\n{self.format_usage()}")


def _text(word: str) -> str:
    """Return a word of the command line as text; bytes the locale cannot read are UTF-8."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(word).decode("utf-8", "replace")
    return word


def _globals() -> _Parser:
    """Return the options that stand before or after the command's name."""
    parser = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    parser.add_argument("--library", metavar="FILE", help="the library (default: in the home)")
    parser.add_argument("--config", metavar="FILE", help="the config (default: in the home)")
    parser.add_argument(
        "--as-of",
        metavar="TIME",
        help="the library and the clock as they were at an ISO 8601 time",
    )
    parser.add_argument("--json", action="store_true", help="one JSON value on stdout")
    return parser


def _parser() -> argparse.ArgumentParser:
    # The commands share options of their own: with the program's, whose defaults are set
    # below, a command would put those over what was given before its name.
    shared = _globals()
    parser = _Parser(
        prog="jezero-hook",
        description=DESCRIPTION,
        epilog=EPILOG,
        parents=[_globals()],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(library=None, config=None, as_of=None, json=False, run=None)
    parser.add_argument("--version", action="version", version=f"jezero-hook {__version__}")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="show exactly what both hooks would inject, and why; writes nothing",
    )
    parser.add_argument(
        "--prompt", metavar="TEXT", type=_text, help="with --dry-run: the first prompt"
    )
    parser.add_argument("--cwd", metavar="DIR", help="with --dry-run: the working folder")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, run: Callable[[Call], int], help_: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=help_, description=help_, parents=[shared], argument_default=None
        )
        command.set_defaults(run=run)
        return command

    _add_import(add("import", _import, "import past sessions, or ready-made items"))
    _add_filters(search := add("search", _search, "search the library"))
    search.add_argument(
        "query", metavar="QUERY", nargs="+", type=_text, help='words and "quoted phrases"'
    )
    _add_filters(add("timeline", _timeline, "the newest items, newest first"))
    later = add("later", _later, "what is newer than an item: on its subject, else in its project")
    later.add_argument("id", type=int, metavar="ID")
    later.add_argument(
        "query", metavar="QUERY", nargs="*", type=_text, help="the subject (default: its title)"
    )
    later.add_argument("--limit", type=int, metavar="N", help=LIMIT_HELP)
    show = add("show", _show, "one item, whole")
    show.add_argument("id", type=int, metavar="ID")
    show.add_argument("--original", action="store_true", help="its dialogue too")
    show.add_argument("--newer", action="store_true", help="and what came after it")
    _add_mcp(add("mcp", _mcp, "the library for agents: an MCP server on stdin and stdout"))
    _add_serve(add("serve", _serve, "the library for people: a page in the browser, an HTTP API"))
    add("check", _check, "look over config, library, environment and hooks; say what is wrong")
    _add_eval(add("eval", _eval, "run named cases; tell how good the answers are"))
    rebuild = add("rebuild", _rebuild, "make the index anew, with the config's tokenizer")
    rebuild.add_argument(
        "--tokenizer", metavar="T", type=_text, help='another one, as in "porter unicode61"'
    )
    _add_forget(add("forget", _forget, "remove items for good; all options together narrow"))
    _add_export(add("export", _export, "the library as JSON Lines, for `import --items`"))
    _add_documents(commands, shared)
    for event, when in (
        ("session-start", "at session start"),
        ("first-prompt", "at each prompt"),
        ("session-end", "at session end"),
    ):
        add(event, _hook(event), f"the hook that the client runs {when}; payload on stdin")
    return parser


def _add_import(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "paths", nargs="*", metavar="PATH", help="transcripts or folders (default: the client's)"
    )
    command.add_argument("--items", metavar="FILE", help="ready-made items, one JSON object a line")
    command.add_argument(
        "--source",
        metavar="NAME",
        type=_text,
        help="with --items: what they come from (default: what each line says)",
    )
    command.add_argument("--skip-session", metavar="ID", help="leave out this session: it runs")
    command.add_argument(
        "--background",
        action="store_true",
        help="as the hooks start it: no output, lowest priority, no second one at a time",
    )


def _add_mcp(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--http", metavar="HOST:PORT", help="over streamable HTTP instead, at /mcp, with a key"
    )
    _add_door(command)


def _add_serve(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:8737",
        help="where (default: 127.0.0.1:8737)",
    )
    command.add_argument("--open", action="store_true", help="open the page in the browser")
    _add_door(command)


def _add_door(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--key-file", metavar="FILE", help="the key (default: mcp.key in the home; made if missing)"
    )
    command.add_argument(
        "--allow-host",
        metavar="NAME",
        action="append",
        default=[],
        help="listen to other machines, which call this one NAME; put TLS before it",
    )


def _add_forget(command: argparse.ArgumentParser) -> None:
    command.add_argument("ids", nargs="*", type=int, metavar="ID", help="these items")
    command.add_argument("--project", metavar="NAME", type=_text, help="items of this project")
    command.add_argument("--source", metavar="NAME", type=_text, help="items of this source")
    command.add_argument("--before", metavar="TIME", help="items that occurred before this time")
    command.add_argument(
        "--session", metavar="ID", type=_text, help="a whole session, also what it will yet hold"
    )
    command.add_argument(
        "--dry-run", action="store_true", dest="shows", help="show what would be removed"
    )
    command.add_argument("--yes", action="store_true", help="do not ask")


def _add_documents(commands: Any, shared: argparse.ArgumentParser) -> None:
    help_ = "your own Markdown pages: index, search, forget"
    documents = commands.add_parser("documents", help=help_, description=help_, parents=[shared])
    documents.set_defaults(run=None)
    kinds = documents.add_subparsers(title="commands", metavar="COMMAND", required=True)

    def add(name: str, help_: str) -> argparse.ArgumentParser:
        command: argparse.ArgumentParser = kinds.add_parser(
            name, help=help_, description=help_, parents=[shared], argument_default=None
        )
        command.set_defaults(run=_documents(name))
        return command

    index = add("index", "index folders of Markdown; without one, all known folders again")
    index.add_argument("dirs", nargs="*", metavar="DIR")
    index.add_argument(
        "--type",
        metavar="NAME",
        type=_text,
        help="what pages are that do not say it (default: the folder's name)",
    )
    index.add_argument(
        "--file-times",
        action=argparse.BooleanOptionalAction,
        help="date pages that have no date by their file, or not",
    )
    search = add("search", "search the pages: all words must stand in one")
    search.add_argument("query", metavar="QUERY", nargs="+", type=_text)
    search.add_argument("--type", metavar="NAME", type=_text, help="only pages of this type")
    search.add_argument("--limit", type=int, metavar="N", help=LIMIT_HELP)
    search.add_argument("--offset", type=int, metavar="N", help="leave out the first N")
    forget = add("forget", "remove folders' pages from the library for good")
    forget.add_argument("dirs", nargs="+", metavar="DIR")


def _add_export(command: argparse.ArgumentParser) -> None:
    _add_filters(command, limited=False)
    command.add_argument("--original", action="store_true", help="the dialogues too")
    command.add_argument("--out", metavar="FILE", help="into this file, private (default: stdout)")


def _add_eval(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", metavar="FILE", nargs="?", help="the cases, YAML")
    command.add_argument(
        "--own", action="store_true", help="instead: ask the library its own later prompts"
    )
    command.add_argument(
        "--prompts", metavar="N", type=int, help="with --own: how many (default 200)"
    )
    command.add_argument("--save", metavar="RUN", help="keep the results in a file, as JSON")
    command.add_argument("--compare", metavar="RUN", help="with saved results: what changed")
    command.add_argument(
        "--fail-under",
        metavar="METRIC=VALUE",
        action="append",
        default=[],
        help="exit code 1 where a metric is below; may be given several times",
    )


def _add_filters(command: argparse.ArgumentParser, *, limited: bool = True) -> None:
    if limited:
        command.add_argument("--limit", type=int, metavar="N", help=LIMIT_HELP)
    command.add_argument("--project", metavar="NAME", type=_text, help="only this project")
    command.add_argument("--source", metavar="NAME", type=_text, help="only this source")
    command.add_argument("--since", metavar="TIME", help="from this time on")
    command.add_argument("--until", metavar="TIME", help="before this time")
