"""documents: the user's own pages, indexed, searched, forgotten."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from rich.text import Text

from ..answers import search_json, settings
from ..console import console, print_json, progress, safe
from ..errors import JezeroError, UsageError
from ..forgetting import old_copies, print_old_copies
from ..library.documents_writer import DocumentsWriter, recorded_tokenizer
from ..library.reader import open_library
from ..lock import BY_HAND_WAIT_S, writing
from ..rules.limits import limit_of
from ..rules.snippet import snippet_text
from .index import Asked, Report, folder_of, index_folders

if TYPE_CHECKING:
    from rich.console import Console

    from ..cli import Call
    from ..config import Config
    from ..model import DocumentHit, ImportFailure

FAILURES_SHOWN = 10
MARK = re.compile(r"<mark>(.*?)</mark>", re.DOTALL)


def run_index(call: Call) -> int:
    """Index folders of Markdown, or again all that are known; print what was done."""
    if call.before is not None:
        raise UsageError("--as-of shows the library as it was; documents are indexed as they are")
    config = settings(call)
    folders = list(dict.fromkeys(map(folder_of, call.options.dirs)))
    if call.options.type == "":
        raise UsageError("--type takes a name")
    if not folders and (call.options.type, call.options.file_times) != (None, None):
        raise UsageError("--type and --file-times are a folder's; name it: documents index DIR")
    asked = Asked(
        call.options.type,
        call.options.file_times,
        config.documents.page_bytes,
        config.documents.file_times,
    )
    if not folders and recorded_tokenizer(call.library) is None:
        raise JezeroError("no folder is indexed yet; name one: jezero-hook documents index DIR")
    with (
        writing(call.library, wait_s=BY_HAND_WAIT_S),
        _writer(call, config) as writer,
        progress("indexing", "pages", quiet=call.json) as told,
    ):
        if not folders and not writer.roots():
            raise JezeroError("no folder is indexed yet; name one: jezero-hook documents index DIR")
        report = index_folders(writer, folders, asked, told)
    _print_report(call, report)
    done = report.indexed + report.updated + report.unchanged + report.left_out
    return 1 if report.failed and not done else 0


def _writer(call: Call, config: Config) -> DocumentsWriter:
    return DocumentsWriter(
        call.library, config.documents.tokenizer, items_tokenizer=config.storage.tokenizer
    )


def _print_report(call: Call, report: Report) -> None:
    if call.json:
        lists = {name: [f._asdict() for f in getattr(report, name)] for name in LISTS}
        print_json(report._asdict() | lists)
        return
    out = console()
    out.print(
        f"{report.indexed} indexed, {report.updated} updated, {report.unchanged} unchanged, "
        f"{report.removed} removed; {report.redacted} secrets redacted"
        + (f"; {report.left_out} drafts left out" if report.left_out else "")
    )
    _print_failures(out, report.failed, "could not be indexed")
    _print_failures(out, report.undated, "have a date that is none, and are undated")


LISTS = ("failed", "undated")


def _print_failures(out: Console, failures: tuple[ImportFailure, ...], said: str) -> None:
    if failures:
        out.print(f"{len(failures)} {said}:")
    for failure in failures[:FAILURES_SHOWN]:
        place = failure.path if failure.line is None else f"{failure.path}:{failure.line}"
        out.print(safe(f"  {place}: {failure.reason}"))
    if len(failures) > FAILURES_SHOWN:
        out.print("  … (all of them with --json)")


def run_search(call: Call) -> int:
    """Print the documents that a query finds, best first, each with its score."""
    config, options = settings(call), call.options
    documents = open_library(call.library).documents(config.sources.allowed)
    query, offset = " ".join(options.query), options.offset or 0
    most = config.documents.max_offset
    if not 0 <= offset <= most:
        raise UsageError(f"--offset {offset}: from 0 to {most} (documents.max_offset)")
    match, hits = documents.search(
        query,
        ranking=config.documents.ranking(),
        bounds=config.documents.bounds(),
        now_s=call.now_s,
        limit=limit_of(options.limit, config.documents.limit, config.documents.max_limit),
        offset=offset,
        type_=options.type,
        before=call.before,
    )
    if call.json:
        print_json(search_json(query, match, [hit._asdict() for hit in hits]))
        return 0
    out = console()
    if match is None:
        out.print(
            f"Nothing to search for: a query has {config.documents.min_query_chars} characters "
            "at least."
        )
    elif not hits and not documents.count():
        out.print("No documents; `jezero-hook documents index DIR` indexes a folder.")
    elif not hits:
        out.print("Nothing found.")
    for hit in hits:
        for text in _hit_lines(hit):
            out.print(text)
    return 0


def _hit_lines(hit: DocumentHit) -> list[Text]:
    head = Text.assemble(
        (f"{hit.score:z.2f}", "cyan"),
        "  ",
        ((hit.date or "undated")[:10], "green"),
        "  ",
        (safe(hit.title), "bold"),
        (f"  {safe(hit.type)}", "magenta"),
    )
    lines = [head, Text(f"       {safe(hit.path)}", "dim")]
    return [*lines, _snippet(hit.snippet)] if hit.snippet else lines


def _snippet(html: str) -> Text:
    """Return a snippet for a terminal, its marks bold."""
    text, at = Text("       "), 0
    for mark in MARK.finditer(html):
        text.append(_plain(html[at : mark.start()]))
        text.append(_plain(mark[1]), "bold")
        at = mark.end()
    text.append(_plain(html[at:]))
    return text


def _plain(html: str) -> str:
    """Return a piece of a snippet as text; blanks at its ends belong to it."""
    text = snippet_text(html)
    ends = " " if text[:1] == " " else "", " " if text[-1:] == " " and text.strip() else ""
    return ends[0] + safe(text.strip()) + ends[1]


def run_forget(call: Call) -> int:
    """Remove the pages of folders for good, with every byte of them."""
    config = settings(call)
    if call.before is not None:
        raise UsageError("--as-of shows the library as it was; documents forget takes folders")
    if recorded_tokenizer(call.library) is None:
        raise JezeroError(f"{call.library}: is not there; there is nothing to forget")
    folders = [os.path.abspath(os.path.expanduser(named)) for named in call.options.dirs]
    with writing(call.library, wait_s=BY_HAND_WAIT_S):
        tokenizer = open_library(call.library).documents().tokenizer
        with DocumentsWriter(
            call.library,
            tokenizer or config.documents.tokenizer,
            items_tokenizer=config.storage.tokenizer,
        ) as writer:
            known = [root.root for root in writer.roots()]
            folders = [f if f in known else os.path.realpath(f) for f in folders]
            for folder in folders:
                if folder not in known:
                    there = ", ".join(known) or "none"
                    raise JezeroError(f"{folder}: is not indexed; there are: {there}")
            removed = writer.forget_roots(folders)
    return _print_removed(call, removed)


def _print_removed(call: Call, removed: int) -> int:
    copies = old_copies(call.library)
    if call.json:
        print_json({"removed": removed, "old_copies": copies})
        return 0
    out = console()
    out.print(f"{removed:,} pages removed for good; the files are as they were")
    print_old_copies(out, copies)
    return 0
