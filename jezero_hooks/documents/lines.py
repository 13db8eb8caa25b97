"""Documents for the free lines of the first prompt's block, by the evidence that items need.

Part of the hook where the config asks for it, and imported only then.
"""

from __future__ import annotations

from ..model import NamedTuple
from ..rules.evidence import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..config import Config
    from ..library.reader import Reader
    from ..model import DocumentHit
    from ..rules.terms import Terms


class JudgedDocument(NamedTuple):
    """A document with the words that stand whole in its title or description.

    ``kept``: these are enough; ``shown``: and a line was free for it.
    """

    hit: DocumentHit
    matched: tuple[str, ...]
    kept: bool
    shown: bool


def judge_documents(
    reader: Reader, config: Config, terms: Terms, *, free: int, now_s: float, before: str | None
) -> tuple[JudgedDocument, ...]:
    """Return the best documents for any of the words, at most ``free`` shown. Source: RULES 4.8.

    None where ``sources.allowed`` does not allow the source documents.
    """
    rule = config.first_prompt
    hits = reader.documents(config.sources.allowed).search_any(
        # Spelled and folded: the index's own tokenizer knows no ß as ss.
        [word for term in terms.kept for word in term],
        ranking=config.documents.ranking(),
        now_s=now_s,
        limit=rule.hits,
        before=before,
    )
    words = [term.folded for term in terms.kept]
    judged: list[JudgedDocument] = []
    for hit in hits:
        matched = evidence(words, hit.title, hit.description)
        kept = len(matched) >= rule.evidence_words
        judged.append(JudgedDocument(hit, matched, kept, kept and free > 0))
        free -= kept
    return tuple(judged)
