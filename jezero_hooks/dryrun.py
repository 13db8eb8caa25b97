"""--dry-run: what both hooks would inject, to the byte, and why. Writes nothing, marks nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from .answers import settings
from .clock import Clock
from .console import console, print_facts, print_json, safe
from .errors import LibraryError
from .home import client_folder, user_home
from .hook import first_prompt_block, session_start_block
from .library.reader import Filters, Reader, open_library
from .library.writer import library_in_memory
from .model import NamedTuple
from .payload import asked
from .project import find_project
from .sample import PROJECT, PROMPT, sample_items
from .times import now_iso
from .why import why, why_document

if TYPE_CHECKING:
    from rich.console import Console

    from .cli import Call
    from .config import Config
    from .hook import FirstPrompt, SessionStart
    from .model import Project

# Enough to show what it would be like, quick enough to wait for.
TRANSCRIPTS = 200
# A token of English is about four characters.
TOKEN_CHARS = 4


class Stage(NamedTuple):
    """The library to look at, where it comes from, what may be read, the folder to look from."""

    reader: Reader
    origin: str  # library, transcripts or sample
    folder: str
    allowed: tuple[str, ...]

    def items(self, before: str | None) -> int:
        return self.reader.count(before, self.allowed)


def dry_run(call: Call) -> int:
    """Print what the hooks would inject with this folder and this prompt."""
    config = settings(call)
    folder = os.path.abspath(
        call.options.cwd or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()
    )
    stage = _stage(call, config, folder)
    budget_s = config.hooks.budget_ms / 1000
    start = session_start_block(
        stage.reader, config, stage.folder, before=call.before, clock=Clock(budget_s)
    )
    prompt = call.options.prompt
    shown_prompt = (
        example(stage, start, Filters(config.sources.allowed, before=call.before))
        if prompt is None
        else prompt
    )
    first = first_prompt_block(
        stage.reader,
        config,
        asked(shown_prompt),
        now_s=call.now_s,
        before=call.before,
        clock=Clock(budget_s),
    )
    if call.json:
        print_json(
            dry_run_json(stage, start, shown_prompt, first, config, call.library, call.before)
        )
    else:
        _print(call, config, stage, start, shown_prompt, prompt is None, first)
    return 0


# --- what to look at ---------------------------------------------------------------------


def _stage(call: Call, config: Config, folder: str) -> Stage:
    if os.path.exists(call.library):
        try:
            reader = open_library(call.library, quiescent=True)
        except LibraryError:
            # An import may write at this very moment: its files are there then anyway.
            reader = open_library(call.library)
        if not reader.is_empty():
            return Stage(reader, "library", folder, config.sources.allowed)
    elif call.options.library:
        raise LibraryError(f"{call.library}: is not there; check --library")
    return _from_transcripts(config, folder) or sample_stage(config, folder, call.now_s)


def _from_transcripts(config: Config, folder: str) -> Stage | None:
    from .importers.run import transcripts
    from .importing import import_into

    projects = os.path.join(client_folder(), "projects")
    if not os.path.isdir(projects):
        return None
    found = transcripts([projects], skip_session=os.environ.get("CLAUDE_CODE_SESSION_ID"))
    writer = library_in_memory(config.storage.tokenizer)
    report = import_into(writer, found[:TRANSCRIPTS], config)
    stage = Stage(writer.reader(), "transcripts", folder, config.sources.allowed)
    return stage if report.inserted else None


def sample_stage(
    config: Config, folder: str, now_s: float, project: Project | None = None
) -> Stage:
    """Return an invented library of the project, of the folder's where none is given."""
    project = project or find_project(folder, config.projects, user_home())
    if project is None:
        folder = os.path.join(user_home(), "code", PROJECT)
        project = find_project(folder, config.projects, user_home())
    name = project.name if project else PROJECT
    writer = library_in_memory(config.storage.tokenizer)
    with writer.transaction():
        # Before 1970 nothing was; and the calendar must not end before the oldest item.
        for item in sample_items(max(now_s, 0.0)):
            writer.put(item._replace(project=name), ingested_at=now_iso())
    return Stage(writer.reader(), "sample", folder, config.sources.allowed)


def example(stage: Stage, start: SessionStart, filters: Filters) -> str:
    """Return a prompt to show the second hook with: of the newest work that there is."""
    if stage.origin == "sample":
        return PROMPT
    newest = start.items or tuple(stage.reader.timeline(limit=1, filters=filters))
    item = stage.reader.item(newest[0].id) if newest else None
    if item is None:
        return PROMPT
    return item.questions[0] if item.questions else item.title


# --- for scripts -------------------------------------------------------------------------


def dry_run_json(
    stage: Stage,
    start: SessionStart,
    prompt: str,
    first: FirstPrompt,
    config: Config,
    library: str,
    before: str | None,
) -> dict[str, Any]:
    """Return what the hooks would inject, and why; ``library`` is the path of the real one."""
    return {
        "project": start.project.name if start.project else None,
        "project_rule": start.project.rule if start.project else None,
        "library": {
            "path": library if stage.origin == "library" else None,
            "items": stage.items(before),
            "origin": stage.origin,
        },
        "session_start": {
            "text": start.text,
            "items": [item.id for item in start.items],
            "late": start.late,
            **_size(start.text),
        },
        "first_prompt": {
            "prompt": prompt,
            "words": [term.folded for term in first.terms.kept],
            "dropped": list(first.terms.dropped),
            "asked": first.asked._asdict(),
            "searched": _searched(first, config),
            **({"documents": _pages(first, config)} if config.first_prompt.documents else {}),
            "shown": [hit.id for hit in first.shown],
            "shown_external_ids": [hit.external_id for hit in first.shown],
            "text": first.text,
            "reason": first.reason,
            **_size(first.text),
        },
    }


def _searched(first: FirstPrompt, config: Config) -> list[dict[str, Any]]:
    shown = {hit.id for hit in first.shown}
    return [
        {
            "id": judged.hit.id,
            "external_id": judged.hit.external_id,
            "title": judged.hit.title,
            "score": judged.hit.score,
            "relevance": judged.hit.relevance,
            "matched": list(judged.matched),
            "kept": judged.kept,
            "chance": judged.chance,
            "why": why(judged, judged.hit.id in shown, config.first_prompt, first.gate),
        }
        for judged in first.judged
    ]


def _pages(first: FirstPrompt, config: Config) -> list[dict[str, Any]]:
    return [
        {
            "id": judged.hit.id,
            "path": judged.hit.path,
            "title": judged.hit.title,
            "score": judged.hit.score,
            "relevance": judged.hit.relevance,
            "matched": list(judged.matched),
            "kept": judged.kept,
            "shown": judged.shown,
            "why": why_document(judged, config.first_prompt),
        }
        for judged in first.documents
    ]


def _size(text: str) -> dict[str, int]:
    """Return a text's length in characters, and about how many tokens that makes."""
    return {"chars": len(text), "tokens": -(-len(text) // TOKEN_CHARS)}


# --- for eyes ----------------------------------------------------------------------------

ORIGINS = {
    "transcripts": "none yet: {items} items from your newest transcripts, read for this once; "
    "`jezero-hook import` keeps them",
    "sample": "none yet, and no transcripts to read: an invented one of {items} items",
}


def _print(
    call: Call,
    config: Config,
    stage: Stage,
    start: SessionStart,
    prompt: str,
    is_example: bool,
    first: FirstPrompt,
) -> None:
    out = console()
    items = stage.items(call.before)
    library = f"{_shown(call.library)}, {items:,} items"
    if stage.origin != "library":
        library = ORIGINS[stage.origin].format(items=items)
    project = f"{start.project.name} ({start.project.rule})" if start.project else "none"
    facts = {"Library": library, "Folder": _shown(stage.folder), "Project": project}
    _facts(out, facts | ({"As of": call.before} if call.before else {}))
    nothing = start.late or "there is nothing to tell yet"
    _block(out, "Session start", start.text, f"nothing: {nothing}")
    out.print()
    facts = {
        "Prompt": safe(prompt, 500) + " (an example; yours with --prompt)" * is_example,
        "Words": " ".join(term.folded for term in first.terms.kept) or "none",
        "Dropped": " ".join(first.terms.dropped) or "none",
    }
    if first.asked.why:
        facts["Asked"] = f"the first {first.asked.words}: {first.asked.why}"
    _facts(out, facts)
    if first.judged or first.documents:
        out.print(_hits(first, config))
    _block(out, "First prompt", first.text, f"nothing: {first.reason}")


def _facts(out: Console, facts: dict[str, str]) -> None:
    print_facts(out, [(Text(f"{name:<9}", "dim"), text) for name, text in facts.items()])


def _shown(path: str) -> str:
    home = user_home().rstrip("/")
    return "~" + path[len(home) :] if home and path.startswith(home + "/") else path


def _block(out: Console, name: str, text: str, otherwise: str) -> None:
    size = "{chars:,} characters, about {tokens:,} tokens".format(**_size(text))
    out.print()
    if not text:  # a rule would cut the reason where the terminal is narrow
        out.print(Text(f"{name}: {otherwise}", "bold"), soft_wrap=True)
        return
    out.rule(Text(f"{name}: {size}", "bold"), align="left")
    out.print(Text(text), soft_wrap=True)
    out.rule(style="dim")


def _hits(first: FirstPrompt, config: Config) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    for heading in ("", "id", "score", "date", "title", "why"):
        right = heading in ("id", "score")
        table.add_column(heading, justify="right" if right else "left", overflow="fold")
    shown = {hit.id for hit in first.shown}
    for judged in first.judged:
        hit, is_shown = judged.hit, judged.hit.id in shown
        mark = "shown" if is_shown else "kept" if judged.kept else "-"
        style = "bold green" if is_shown else "" if judged.kept else "dim"
        table.add_row(
            Text(mark),
            str(hit.id),
            f"{hit.score:z.2f}",
            safe(hit.occurred_at[:10]),
            Text(safe(hit.title, 80)),
            Text(safe(why(judged, is_shown, config.first_prompt, first.gate))),
            style=style,
        )
    for page in first.documents:
        table.add_row(
            Text("shown" if page.shown else "kept" if page.kept else "-"),
            "doc",
            f"{page.hit.score:z.2f}",
            safe((page.hit.date or "undated")[:10]),
            Text(safe(page.hit.title, 80)),
            Text(safe(why_document(page, config.first_prompt))),
            style="bold green" if page.shown else "" if page.kept else "dim",
        )
    return table
