"""The hooks: what they say, and the one boundary behind which nothing fails.

    payload → project → library → rules → lines

A hook is silent or useful: it exits 0, stdout is one JSON object or nothing, stderr empty.
"""

from __future__ import annotations

import os
import time
from _thread import start_new_thread

from .home import LIBRARY_FILE, jezero_home
from .model import NamedTuple
from .payload import PAYLOAD_BYTES, asked, parse_payload
from .session import is_first_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .config import Config
    from .config import FirstPrompt as FirstPromptRule
    from .documents.lines import JudgedDocument
    from .library.reader import Filters, Reader
    from .model import Hit, ListedItem, Payload, Project
    from .rules.related import Counts
    from .rules.terms import Terms

# Whatever hangs (a stdin that is never closed, a dead network home): then the hook ends.
HARD_LIMIT_S = 0.8
# On `resume` the client still has the context of the first start.
SPEAKING_SOURCES = ("startup", "clear", "compact")


# --- what they say: called by the hooks and, word for word, by `jezero-hook --dry-run` -------


class SessionStart(NamedTuple):
    """The session-start block and what it was made of; text is "" when nothing is said."""

    project: Project | None
    items: tuple[ListedItem, ...]
    text: str


class Judged(NamedTuple):
    """A hit with the words that stand whole in its title or summary, and whether it is kept.

    Of one that the chance decides on also the words that it shares in any field, and how many
    items would share them by chance.
    """

    hit: Hit
    matched: tuple[str, ...]
    kept: bool
    shared: tuple[str, ...] = ()
    chance: float | None = None


class Gate(NamedTuple):
    """What the chance is reckoned from: the library's counts, the words to tell by, the unheard."""

    counts: Counts
    telling: tuple[str, ...]
    unheard: tuple[str, ...]


class FirstPrompt(NamedTuple):
    """The first prompt's block and what it was made of; reason tells why nothing is shown."""

    terms: Terms
    judged: tuple[Judged, ...]
    shown: tuple[Hit, ...]
    text: str
    reason: str | None
    gate: Gate | None = None  # None: it rests
    documents: tuple[JudgedDocument, ...] = ()


def session_start_block(
    reader: Reader,
    config: Config,
    folder: str | None,
    *,
    project: Project | None = None,
    before: str | None = None,
) -> SessionStart:
    """Return the newest items of the folder's project as a block. Source: RULES 3.

    A project that is given counts instead of the folder's.
    """
    from .home import shell_command, user_home
    from .project import find_project
    from .render import session_start_text

    if folder and project is None:
        project = find_project(folder, config.projects, user_home())
    items: list[ListedItem] = []
    if project and config.session_start.items:
        filters = _filters(config, before)._replace(project=project.name)
        items = reader.timeline(limit=config.session_start.items, filters=filters)
    text = session_start_text(
        items,
        project=project.name if project else None,
        command=shell_command(),
        protocol=config.session_start.protocol,
        title_chars=config.hooks.title_chars,
        block_chars=config.hooks.block_chars,
    )
    return SessionStart(project, tuple(items), "" if reader.is_empty() else text)


def first_prompt_block(
    reader: Reader,
    config: Config,
    prompt: str,
    *,
    now_s: float,
    before: str | None = None,
    session_id: str | None = None,
) -> FirstPrompt:
    """Return up to three items of past work, and only those with evidence. Source: RULES 4."""
    from .home import shell_command
    from .render import first_prompt_text
    from .rules.terms import distinctive
    from .stoplist import load_stop_list, stop_list_folder

    rule = config.first_prompt
    stop_list = load_stop_list(stop_list_folder(), rule.stop_lists, rule.stop_words)
    terms = distinctive(prompt, stop_list, limit=rule.words, min_chars=rule.word_chars)
    if len(terms.kept) < rule.evidence_words:
        few = f"{len(terms.kept)} of the {rule.evidence_words}"
        return FirstPrompt(terms, (), (), "", f"the prompt has {few} distinctive words it takes")
    words = tuple(term.folded for term in terms.kept)
    gate = _gate(reader, prompt, words, rule)
    found = reader.search(
        reader.match_words(terms.kept, config.search.bounds()),
        now_s=now_s,
        limit=rule.related_hits if gate else rule.hits,
        ranking=config.search.ranking(),
        filters=_filters(config, before),
    )
    # Of a session that is resumed: the client has it in its context.
    hits = [hit for hit in found if hit.external_id.partition("#")[0] != session_id]
    judged = _by_chance(reader, hits, gate, rule) if gate else _by_words(hits, words, rule)
    shown = tuple(j.hit for j in judged if j.kept)[: rule.lines]
    pages: tuple[JudgedDocument, ...] = ()
    if rule.documents and len(shown) < rule.lines:
        from .documents.lines import judge_documents

        free = rule.lines - len(shown)
        pages = judge_documents(reader, config, terms, free=free, now_s=now_s, before=before)
    text = first_prompt_text(
        shown,
        [page.hit for page in pages if page.shown],
        command=shell_command(),
        title_chars=config.hooks.title_chars,
        block_chars=config.hooks.block_chars,
    )
    reason = None if text else _reason(judged, shown, rule)
    if reason and pages:
        reason += f"; no document holds {rule.evidence_words} of them in title or description"
    return FirstPrompt(terms, tuple(judged), shown, text, reason, gate, pages)


def _gate(
    reader: Reader, prompt: str, words: tuple[str, ...], rule: FirstPromptRule
) -> Gate | None:
    """Return what to reckon the chance from, None where the plain rule is right."""
    from .rules.related import TELLING_ITEMS, telling_words, unheard

    counts = reader.word_counts(words) if rule.chance else None
    if counts is None or counts.items < TELLING_ITEMS:
        return None
    telling = telling_words(prompt, words)
    return Gate(counts, telling, unheard(telling, counts))


def _by_words(hits: list[Hit], words: tuple[str, ...], rule: FirstPromptRule) -> list[Judged]:
    """Judge the hits by the number of whole words alone. Source: RULES 4.4."""
    from .rules.evidence import evidence

    matched = [(hit, evidence(words, hit.title, hit.summary)) for hit in hits]
    return [Judged(hit, found, len(found) >= rule.evidence_words) for hit, found in matched]


def _by_chance(reader: Reader, hits: list[Hit], gate: Gate, rule: FirstPromptRule) -> list[Judged]:
    """Judge the hits by what they share too; the kept ones first, by weight. Source: RULES 4.5."""
    from .rules.related import chance, shared_words, weight

    judged = []
    weights: dict[int, float] = {}
    plain = _by_words(hits, gate.telling, rule)
    aside = reader.aside(one.hit.id for one in plain if one.kept)
    for one in plain:
        if one.kept:
            hit = one.hit
            shared = shared_words(gate.telling, hit.title, hit.summary, aside.get(hit.id, ()))
            by_chance = chance(shared.words(), len(gate.unheard), gate.counts)
            kept = by_chance <= rule.chance
            weights[hit.id] = weight(shared, gate.counts) if kept else 0.0
            one = one._replace(kept=kept, shared=shared.words(), chance=by_chance)
        judged.append(one)
    return sorted(judged, key=lambda one: (not one.kept, -weights.get(one.hit.id, 0.0)))


def _filters(config: Config, before: str | None) -> Filters:
    from .library.reader import Filters

    return Filters(allowed=config.sources.allowed, before=before)


def _reason(judged: list[Judged], shown: tuple[Hit, ...], rule: FirstPromptRule) -> str | None:
    if shown:
        return None
    if not judged:
        return "the search finds nothing"
    if any(one.kept for one in judged):
        return "the config (first_prompt.lines) lets none be shown"
    if any(one.chance is not None for one in judged):
        more = f"more than {rule.chance:g} items (first_prompt.chance)"
        return f"by chance alone {more} would share as much with the prompt as any hit does"
    return f"no hit holds {rule.evidence_words} of the words whole in title or summary"


# --- the hooks ---------------------------------------------------------------------------


def session_start() -> None:
    """The session-start hook: stdin to stdout."""
    _run("session-start", _session_start)


def first_prompt() -> None:
    """The first-prompt hook: stdin to stdout."""
    _run("first-prompt", _first_prompt)


def session_end() -> None:
    """The session-end hook: starts the import of the session that ended."""
    _run("session-end", _session_end)


def _session_start(payload: Payload, home: str) -> None:
    if payload.source not in (None, *SPEAKING_SOURCES):
        return
    from .background import import_is_due, start_import

    config = _config(home)
    library = os.path.join(home, LIBRARY_FILE)
    try:
        if os.path.exists(library):
            from .library.reader import open_library

            folder = os.environ.get("CLAUDE_PROJECT_DIR") or payload.cwd
            block = session_start_block(open_library(library), config, folder)
            _answer("SessionStart", block.text)
    finally:
        if config.import_.automatic and import_is_due(home, config.import_.every_minutes):
            start_import(f"--skip-session={payload.session_id or ''}")


def _first_prompt(payload: Payload, home: str) -> None:
    prompt = asked(payload.prompt or "")
    if not prompt or not payload.session_id or not is_first_prompt(home, payload.session_id):
        return
    library = os.path.join(home, LIBRARY_FILE)
    if not os.path.exists(library):
        return
    from .library.reader import open_library

    config = _config(home)
    block = first_prompt_block(
        open_library(library), config, prompt, now_s=time.time(), session_id=payload.session_id
    )
    _answer("UserPromptSubmit", block.text)


def _session_end(payload: Payload, home: str) -> None:
    if payload.transcript_path and _config(home).import_.automatic:
        from .background import start_import

        start_import("--", payload.transcript_path)


def _config(home: str) -> Config:
    from .config import load_config

    config = load_config(home)
    _end_after(config.hooks.budget_ms / 1000)
    return config


def _answer(event: str, text: str) -> None:
    """Write the one JSON object that gives the client a context, nothing for no text."""
    if not text:
        return
    from .jsontext import dump

    answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    out = dump(answer).encode("utf-8", "replace") + b"\n"
    while out:
        out = out[os.write(1, out) :]


# --- the boundary ------------------------------------------------------------------------


def _run(event: str, pipeline: Callable[[Payload, str], None]) -> None:
    """Run a hook's pipeline; whatever happens, nothing leaves but its answer."""
    _end_after(HARD_LIMIT_S)
    home = jezero_home()
    try:
        payload = _read_payload()
        if payload is not None:
            pipeline(payload, home)
    except BaseException as fault:
        from .log import note_fault

        note_fault(home, event, fault)


def _end_after(seconds: float) -> None:
    """End the process, silent and with exit code 0, when the time is over.

    A thread of its own, since a read of stdin or a statement of SQLite cannot be interrupted
    otherwise; both let other threads run meanwhile.
    """

    def end() -> None:
        time.sleep(seconds)
        os._exit(0)

    start_new_thread(end, ())


def _read_payload() -> Payload | None:
    """Return the payload on stdin, without waiting for an end of file that may never come."""
    parts: list[bytes] = []
    size = 0
    while size < PAYLOAD_BYTES:
        part = os.read(0, 1 << 20)
        parts.append(part)
        size += len(part)
        # The client ends its one object with a line end, and JSON text has none within.
        if not part or part.endswith(b"\n"):
            payload = parse_payload(b"".join(parts))
            if payload is not None or not part:
                return payload
    return None
