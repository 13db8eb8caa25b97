"""The hooks: what they say, and the one boundary behind which nothing fails.

    payload → project → library → rules → lines

A hook is silent or useful: it exits 0, stdout is one JSON object or nothing, stderr empty.
"""

from __future__ import annotations

import os
import time

from .clock import Clock, end_in_time, process_age_s
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
    from .rules.terms import Term, Terms

# What the client calls them, and we.
EVENTS = {"SessionStart": "session-start", "UserPromptSubmit": "first-prompt"}

# The budget until the config says another: for a stdin that is never closed, for one thing.
STDIN_LIMIT_S = 0.4
# And while the config is read: one that has changed is compiled, and that is done only once.
HARD_LIMIT_S = 0.8
# On `resume` the client still has the context of the first start.
SPEAKING_SOURCES = ("startup", "clear", "compact")


# --- what they say: called by the hooks and, word for word, by `jezero-hook --dry-run` -------


class SessionStart(NamedTuple):
    """The session-start block and what it was made of; text is "" when nothing is said.

    ``late`` tells where that is for want of time.
    """

    project: Project | None
    items: tuple[ListedItem, ...]
    text: str
    late: str | None = None


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


class Asked(NamedTuple):
    """How many words were asked last, and why not all, or why it came to nothing in time."""

    words: int
    why: str | None = None


class FirstPrompt(NamedTuple):
    """The first prompt's block and what it was made of; reason tells why nothing is shown."""

    terms: Terms
    judged: tuple[Judged, ...]
    shown: tuple[Hit, ...]
    text: str
    reason: str | None
    gate: Gate | None = None  # None: it rests
    documents: tuple[JudgedDocument, ...] = ()
    asked: Asked = Asked(0)


def session_start_block(
    reader: Reader,
    config: Config,
    folder: str | None,
    *,
    project: Project | None = None,
    before: str | None = None,
    clock: Clock | None = None,
) -> SessionStart:
    """Return the newest items of the folder's project as a block. Source: RULES 3.

    A project that is given counts instead of the folder's. With a clock nothing is said that
    would come too late. Source: RULES 7.
    """
    from .errors import LateError
    from .home import user_home
    from .project import find_project

    if folder and project is None:
        project = find_project(folder, config.projects, user_home())
    if clock is None:
        return _session_start_of(reader, config, project, before)
    reader.stop_when(clock.is_over)
    try:
        block = _session_start_of(reader, config, project, before)
        if not clock.is_over():
            return block
    except LateError:
        pass
    finally:
        reader.stop_when(None)
    return SessionStart(project, (), "", f"no answer within {clock.budget()}")


def _session_start_of(
    reader: Reader, config: Config, project: Project | None, before: str | None
) -> SessionStart:
    from .home import shell_command
    from .render import session_start_text

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


def first_prompt_terms(prompt: str, rule: FirstPromptRule) -> Terms:
    """Return the distinctive words of a prompt. Source: RULES 4.1."""
    from .rules.terms import distinctive
    from .stoplist import load_stop_list, stop_list_folder

    stop_list = load_stop_list(stop_list_folder(), rule.stop_lists, rule.stop_words)
    return distinctive(prompt, stop_list, limit=rule.words, min_chars=rule.word_chars)


def first_prompt_block(
    reader: Reader,
    config: Config,
    prompt: str,
    *,
    now_s: float,
    before: str | None = None,
    session_id: str | None = None,
    terms: Terms | None = None,
    clock: Clock | None = None,
) -> FirstPrompt:
    """Return up to three items of past work, and only those with evidence. Source: RULES 4.

    ``terms`` are those of the prompt, where they are known already. With a clock a smaller
    question is asked where the full one takes too long, and nothing is said that would come too
    late. Source: RULES 4.9, 7.
    """
    rule = config.first_prompt
    terms = terms or first_prompt_terms(prompt, rule)
    if len(terms.kept) < rule.evidence_words:
        few = f"{len(terms.kept)} of the {rule.evidence_words}"
        return FirstPrompt(terms, (), (), "", f"the prompt has {few} distinctive words it takes")

    def ask(asked: tuple[Term, ...]) -> FirstPrompt:
        with reader.one_moment():
            return _asked(reader, config, prompt, terms, asked, now_s, before, session_id)

    if clock is None:
        return ask(terms.kept)
    try:
        return _in_time(reader, clock, terms, rule, ask)
    finally:
        reader.stop_when(None)


def _in_time(
    reader: Reader,
    clock: Clock,
    terms: Terms,
    rule: FirstPromptRule,
    ask: Callable[[tuple[Term, ...]], FirstPrompt],
) -> FirstPrompt:
    """Ask in full, then smaller, each in its share of the budget. Source: RULES 4.9."""
    from .errors import LateError

    kept, why = terms.kept, None
    if len(kept) > max(rule.small_words, rule.evidence_words):
        reader.stop_when(clock.full_is_over)
        try:
            return _unless_late(clock, ask(kept))
        except LateError:
            why = f"all {len(kept)} words would take too long for {clock.budget()}"
            kept = kept[: small_question(len(kept), rule)]
    reader.stop_when(clock.is_over)
    try:
        block = ask(kept)
    except LateError:
        return _late(clock, terms, len(kept))
    return _unless_late(clock, block._replace(asked=Asked(len(kept), why)))


def small_question(words: int, rule: FirstPromptRule) -> int:
    """Return how many of a prompt's words the smaller question has. Source: RULES 4.9.

    At most half of them, for less time is left than all of them have had.
    """
    return max(min(rule.small_words, words // 2), rule.evidence_words)


def _unless_late(clock: Clock, block: FirstPrompt) -> FirstPrompt:
    return _late(clock, block.terms, block.asked.words) if clock.is_over() else block


def _late(clock: Clock, terms: Terms, words: int) -> FirstPrompt:
    reason = f"no answer within {clock.budget()}"
    return FirstPrompt(terms, (), (), "", reason, asked=Asked(words, reason))


def _asked(
    reader: Reader,
    config: Config,
    prompt: str,
    terms: Terms,
    asked: tuple[Term, ...],
    now_s: float,
    before: str | None,
    session_id: str | None,
) -> FirstPrompt:
    """Return the block that these of the prompt's terms give."""
    from .home import shell_command
    from .render import first_prompt_text

    rule = config.first_prompt
    words = tuple(term.folded for term in asked)
    gate = _gate(reader, prompt, words, rule)
    found = reader.search(
        reader.match_words(asked, config.search.bounds()),
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
        smaller = terms._replace(kept=asked)
        pages = judge_documents(reader, config, smaller, free=free, now_s=now_s, before=before)
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
    return FirstPrompt(terms, tuple(judged), shown, text, reason, gate, pages, Asked(len(asked)))


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


def _session_start(payload: Payload, home: str, clock: Clock) -> None:
    if payload.source not in (None, *SPEAKING_SOURCES):
        return
    from .background import import_is_due, start_import

    config = _config(home, clock)
    library = os.path.join(home, LIBRARY_FILE)

    def start_due_import() -> None:
        if config.import_.automatic and import_is_due(home, config.import_.every_minutes):
            start_import(f"--skip-session={payload.session_id or ''}")

    # A library that hangs, or is always too slow, gets its import all the same.
    clock.at_end.append(start_due_import)
    try:
        if os.path.exists(library):
            from .library.reader import open_library

            folder = os.environ.get("CLAUDE_PROJECT_DIR") or payload.cwd
            clock.doing = "library"
            block = session_start_block(open_library(library), config, folder, clock=clock)
            note = block.late and f"silent: {block.late}"
            _end(clock, "SessionStart", block.text, home, note)
    finally:
        start_due_import()


def _first_prompt(payload: Payload, home: str, clock: Clock) -> None:
    prompt = asked(payload.prompt or "")
    if not prompt or not payload.session_id or not is_first_prompt(home, payload.session_id):
        return
    library = os.path.join(home, LIBRARY_FILE)
    if not os.path.exists(library):
        return
    config = _config(home, clock)
    terms = first_prompt_terms(prompt, config.first_prompt)
    if len(terms.kept) < config.first_prompt.evidence_words:
        return  # nothing to ask: SQLite is not even loaded
    from .library.reader import open_library

    clock.doing = "library"
    block = first_prompt_block(
        open_library(library),
        config,
        prompt,
        now_s=time.time(),
        session_id=payload.session_id,
        terms=terms,
        clock=clock,
    )
    _end(clock, "UserPromptSubmit", block.text, home, _told(block))


def _told(block: FirstPrompt) -> str | None:
    """Return what the log is to say of a question that was cut short."""
    asked, kept = block.asked, len(block.terms.kept)
    if asked.why is None:
        return None
    if asked.why == block.reason:
        return f"silent: {asked.why}; the last of its questions had {asked.words} words"
    return f"asked {asked.words} of its {kept} words: {asked.why}"


def _session_end(payload: Payload, home: str, clock: Clock) -> None:
    if payload.transcript_path and _config(home, clock).import_.automatic:
        from .background import start_import

        start_import("--", payload.transcript_path)


def _config(home: str, clock: Clock) -> Config:
    from .config import load_config

    clock.doing = "config"
    clock.allow(HARD_LIMIT_S)
    config = load_config(home)
    clock.allow(config.hooks.budget_ms / 1000)
    return config


def _end(clock: Clock, event: str, text: str, home: str, told: str | None) -> None:
    """Answer, and note what there is to tell, unless the clock is ending the hook already."""
    if not clock.claim():
        time.sleep(HARD_LIMIT_S)  # until it has
        return
    _answer(event, text)
    if told:
        from .log import note

        note(home, EVENTS[event], told)


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


def _run(event: str, pipeline: Callable[[Payload, str, Clock], None]) -> None:
    """Run a hook's pipeline; whatever happens, nothing leaves but its answer, and in time."""
    home = jezero_home()
    clock = Clock(STDIN_LIMIT_S, age_s=process_age_s())
    clock.at_end.append(lambda: _note_the_end(home, event, clock))
    end_in_time(clock)
    try:
        payload = _read_payload()
        if payload is not None:
            pipeline(payload, home, clock)
    except BaseException as fault:
        from .log import note_fault

        note_fault(home, event, fault)


def _note_the_end(home: str, event: str, clock: Clock) -> None:
    from .log import note

    note(home, event, f"silent: no answer within {clock.budget()}; ended at its {clock.doing}")


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
