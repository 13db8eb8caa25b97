"""Why: what decided about a hit of the first prompt, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .config import FirstPrompt as Rule
    from .documents.lines import JudgedDocument
    from .hook import Judged


def why(judged: Judged, shown: bool, rule: Rule) -> str:
    """Return why a hit is shown, kept or passed over. Source: RULES 4.4, 4.5."""
    matched, takes = judged.matched, rule.evidence_words
    if not matched:
        return f"none of the words stands whole in title or summary; it takes {takes}"
    verb = "stands" if len(matched) == 1 else "stand"
    words = f"{_joined(matched)} {verb} whole in title or summary"
    if shown:
        return f"shown: {words}"
    if judged.kept:
        return f"kept, but only {rule.lines} may be shown: {words}"
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


def _joined(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
