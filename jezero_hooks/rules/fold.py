"""Fold: one spelling for prompt and item alike, so that whole words can be compared."""

from __future__ import annotations

# Marks that are accents on the letters of these scripts. In other scripts a mark can make
# another letter (й is not и), so theirs stay.
ACCENTED_SCRIPTS = ("LATIN", "GREEK")
DIAERESIS = "\u0308"


def fold(text: str) -> str:
    """Return text in lower case, accents off, Latin letters spelled in ASCII (ß → ss, ø → o).

    Other scripts keep their letters, composed (й stays й); only Russian ё, which is
    commonly written е, becomes е, and the two forms of Greek sigma become one.
    fold(fold(t)) == fold(t). Source: RULES 4.6.
    """
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    decomposed = normalize("NFKD", text).lower().replace("ς", "σ")
    folded = "".join(_fold_characters(decomposed))
    return folded if folded.isascii() else normalize("NFC", folded)


def _fold_characters(decomposed: str) -> list[str]:
    from unicodedata import combining, name

    out: list[str] = []
    base = ""
    for ch in decomposed:
        if ch.isascii():
            base = "LATIN"
        elif combining(ch):
            if base.startswith(ACCENTED_SCRIPTS) or (ch == DIAERESIS and out[-1:] == ["е"]):
                continue
        else:
            base = name(ch, "")
            if base.startswith("LATIN"):
                ch = _spell(ch)
        out.append(ch)
    return out


def _spell(letter: str) -> str:
    """Return a Latin letter that does not decompose in ASCII, in lower case."""
    # unidecode is a third of a hook's imports: paid only where such a letter is met.
    from unidecode import unidecode

    return unidecode(letter).lower() or letter
