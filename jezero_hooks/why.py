"""Why: what decided about a hit of the first prompt, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .rules.related import unheard_times

if TYPE_CHECKING:
    from .config import FirstPrompt as Rule
    from .documents.lines import JudgedDocument
    from .hook import Gate, Judged

# Of the words that no item holds, so many are named.
UNHEARD = 3


def why(judged: Judged, shown: bool, rule: Rule, gate: Gate | None = None) -> str:
    """Return why a hit is shown, kept or passed over; gate None: it rests.

    Source: RULES 4.4, 4.5.
    """
    matched, takes = judged.matched, rule.evidence_words
    if not matched:
        return f"none of the words stands whole in title or summary; it takes {takes}"
    if gate and judged.chance is not None:
        words = _by_chance(judged, judged.chance, gate)
    else:
        verb = "stands" if len(matched) == 1 else "stand"
        words = f"{_joined(matched)} {verb} whole in title or summary"
    if shown:
        return f"shown: {words}"
    if judged.kept:
        return f"kept, but only {rule.lines} may be shown: {words}"
    if judged.chance is not None:
        return f"not kept: {words}; {rule.chance:g} is the most (first_prompt.chance)"
    return f"only {words}; it takes {takes}"


def why_document(judged: JudgedDocument, rule: Rule) -> str:
    """Return why a document is shown, kept or passed over. Source: RULES 4.8."""
    takes = rule.evidence_words
    if not judged.matched:
        return f"none of the words stands whole in title or description; it takes {takes}"
    verb = "stands" if len(judged.matched) == 1 else "stand"
    words = f"{_joined(judged.matched)} {verb} whole in title or description"
    if judged.shown:
        return f"shown, in a line that was free: {words}"
    if judged.kept:
        return f"kept, but no line was free: {words}"
    return f"only {words}; it takes {takes}"


def _by_chance(judged: Judged, chance: float, gate: Gate) -> str:
    """Return how many items hold each shared word, and how many would hold all by chance."""
    holding = gate.counts.holding
    named = [f"{word} ({holding.get(word, 0):,})" for word in judged.shared]
    named[0] = f"{named[0][:-1]} of {gate.counts.items:,} items)"
    if unheard := unheard_line(gate):
        named.append(unheard)
    return f"{', '.join(named)}: {_number(chance)} items by chance"


def unheard_line(gate: Gate) -> str:
    """Return what the unheard words of the prompt make of a chance, "" where there is none."""
    if not gate.unheard:
        return ""
    number, times = len(gate.unheard), _number(unheard_times(gate.counts))
    some = ", ".join(gate.unheard[:UNHEARD]) + (", …" if number > UNHEARD else "")
    noun, each = ("word", "") if number == 1 else ("words", " each")
    return f"{number} {noun} in no title or summary ({some}; ×{times}{each})"


def _number(chance: float) -> str:
    return f"{chance:,.0f}" if chance >= 10 else f"{chance:.2g}"


def _joined(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
