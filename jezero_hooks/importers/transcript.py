"""A session to items, one a segment: deterministic, no model. Pure."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..model import NamedTuple, NewItem
from . import atoms, wording
from .dialogue import dialogue, last_answer, shortened
from .prompts import says_something
from .reading import read_session
from .segments import living, segments_of
from .session import Answer, Call, Outage, Session, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from ..model import Atom

    Redact = Callable[[str], tuple[str, int]]

__all__ = ["SOURCE", "Limits", "Session", "items", "prompt_uuids", "read_session"]

SOURCE = "claude-code"
# Paths and commands come again and again; longer texts hardly ever.
SEEN_CHARS = 200


class Limits(NamedTuple):
    """The sizes of an item. Source: RULES 6."""

    title_chars: int = 90  # a line of a terminal, beside its id and date
    question_chars: int = 200
    questions: int = 6
    asked_chars: int = 300
    ended_chars: int = 500
    atoms: int = 12
    atom_chars: int = 300  # twelve of them still fit the block that a hook may print
    idle_hours: float = 8.0  # a night
    prompts: int = 40
    original_bytes: int = 1_000_000


def prompt_uuids(session: Session) -> tuple[str, ...]:
    """Return the uuids of a session's prompts, in order: what a fork or a resume repeats."""
    return tuple(turn.uuid for turn in session.turns if turn.uuid is not None)


def segment_prompts(session: Session, limits: Limits) -> dict[str, tuple[str, ...]]:
    """Return the uuids of the prompts of each segment, by the external id of its item."""
    return {
        _external_id(session, part, segment.position): tuple(
            turn.uuid for turn in segment.turns if turn.uuid is not None
        )
        for part, segment in enumerate(
            segments_of(session.turns, limits.prompts, limits.idle_hours), 1
        )
    }


def _external_id(session: Session, part: int, position: int) -> str:
    return session.session_id if part == 1 else f"{session.session_id}#{position}"


def items(
    session: Session,
    *,
    foreign: AbstractSet[str],
    project_of: Callable[[str], str | None],
    redact: Redact,
    limits: Limits = Limits(),  # noqa: B008 (a tuple, never changed)
) -> tuple[list[NewItem], int]:
    """Return the items of a session, one a segment, and how many secrets were redacted.

    Turns whose prompt's uuid is in `foreign` are another session's and are left out; the
    segments and their external ids stay where they are. Every text is redacted whole, before
    anything is cut. A segment that has no prompt left gives no item.
    """
    counted = Counted(redact)

    def project_named(folder: str) -> str | None:
        # A folder can be named like a token.
        name = project_of(folder)
        return counted(name) if name else None

    given = [counted(name) for name in (session.custom_title, session.client_title) if name][:1]
    found: list[NewItem] = []
    name = ""
    for part, segment in enumerate(
        segments_of(session.turns, limits.prompts, limits.idle_hours), 1
    ):
        alive = living(segment.turns)
        turns = [_redacted(turn, counted) for turn in alive if turn.uuid not in foreign]
        asked = next((turn.prompt for turn in turns if says_something(turn.prompt)), "")
        # A part that only goes on ("continue") is named like what it goes on with.
        name = given[0] if given else _name(asked, name, alive, counted, limits)
        if asked or any(turn.steps for turn in turns):
            external_id = _external_id(session, part, segment.position)
            title = wording.named_title(name, part, limits.title_chars)
            found.append(_item(session, external_id, title, turns, asked, project_named, limits))
    return found, counted.secrets


def _name(
    asked: str, before: str, alive: Sequence[Turn], redact: Callable[[str], str], limits: Limits
) -> str:
    prompts = [turn.prompt for turn in alive]
    if not asked and not before:
        asked = redact(next(filter(says_something, prompts), prompts[0]))
    return wording.title_of(asked, limits.title_chars) if asked else before


def _item(
    session: Session,
    external_id: str,
    title: str,
    turns: Sequence[Turn],
    asked: str,
    project_of: Callable[[str], str | None],
    limits: Limits,
) -> NewItem:
    prompts = [turn.prompt for turn in turns]
    ended = last_answer(turns)
    return NewItem(
        source=SOURCE,
        external_id=external_id,
        occurred_at=_occurred_at(session, turns),
        title=title,
        summary=wording.summary_of(asked, ended, limits.asked_chars, limits.ended_chars),
        questions=wording.questions_of(prompts, limits.question_chars, limits.questions),
        atoms=_atoms(session, turns, limits),
        project=_project(turns, project_of),
        original=shortened(dialogue(turns), limits.original_bytes),
    )


class Counted:
    """redact, with the secrets counted; a path or a command that comes again costs nothing."""

    def __init__(self, redact: Redact) -> None:
        self.secrets = 0
        self._redact = redact
        self._seen: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        known = self._seen.get(text)
        if known is not None:
            return known
        clean, secrets = self._redact(text)
        self.secrets += secrets
        if len(text) <= SEEN_CHARS:
            self._seen[text] = clean
        return clean


def _redacted(turn: Turn, redact: Callable[[str], str]) -> Turn:
    steps: list[Answer | Call | Outage] = []
    for step in turn.steps:
        if isinstance(step, Call):
            outcome = redact(step.outcome) if step.outcome else step.outcome
            steps.append(
                step._replace(tool=redact(step.tool), target=redact(step.target), outcome=outcome)
            )
        else:
            steps.append(step._replace(text=redact(step.text)))
    return turn._replace(prompt=redact(turn.prompt), steps=tuple(steps))


def _occurred_at(session: Session, turns: Sequence[Turn]) -> str:
    last = next((turn.last_at for turn in reversed(turns) if turn.last_at), None)
    return (last or datetime.fromtimestamp(session.mtime, UTC)).isoformat()


def _project(turns: Sequence[Turn], project_of: Callable[[str], str | None]) -> str | None:
    # The first folder: later ones follow the agent's own cd.
    folder = next((turn.folder for turn in turns if turn.folder), None)
    return project_of(folder) if folder else None


def _atoms(session: Session, turns: Sequence[Turn], limits: Limits) -> tuple[Atom, ...]:
    errors: list[str] = []
    commands: list[str] = []
    facts: list[str] = []
    for turn in turns:
        for step in turn.steps:
            if isinstance(step, Outage):
                errors.extend(_some(atoms.error_of(step.text, "", limits.atom_chars)))
            elif not isinstance(step, Call) or step.outcome is None:
                continue
            elif step.outcome:
                command = step.target if step.tool in atoms.SHELLS else ""
                errors.extend(_some(atoms.error_of(step.outcome, command, limits.atom_chars)))
            elif step.tool in atoms.SHELLS:
                commands.extend(_some(atoms.command_of(step.target, limits.atom_chars)))
            elif step.tool in atoms.WRITERS and step.target:
                path = atoms.fact_of(step.target, (session.folder, step.folder))
                facts.append(wording.one_line(path)[: limits.atom_chars])
    kinds = (("error", errors), ("command", commands), ("fact", facts))
    return atoms.chosen(kinds, limits.atoms)


def _some(text: str | None) -> tuple[str, ...]:
    return (text,) if text else ()
