"""Secrets known by the name before them."""

from __future__ import annotations

import re

from .shapes import run_end
from .values import Named, secret_bare, secret_in_quotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

_STEMS = ("pass", "pwd", "secret", "token", "key", "auth", "credential", "contrase", "clave")
# The rest of the name, what closes it ("…"], **…**), a type, and the sign that gives it
# its value: = := => ?= : == != and ${NAME:-value}.
_ASSIGNED = (
    r"([\w-]{0,40})(?:\[\d{0,4}\])?[\"'`\\\]*]{0,4}[ \t]{0,8}(?:(?:string|str)[ \t]{1,4})?"
    r"(:[ \t]{0,4}[a-z&][\w\[\]., |?&<>*']{0,40}?[ \t]{0,4}=(?![=>])"
    r"|[:?|]?={1,3}>?|!={1,2}|:-?|>|[ \t](?:is|es)[ \t]:?)\*{0,2}"
)
_NAMES = tuple((stem, re.compile(stem + _ASSIGNED)) for stem in _STEMS)
_VALUE = re.compile(
    r"(?P<gap>[ \t]{0,16}(?:\n[ \t]{0,64}(?=\\?[\"'`]))?)"
    r"(?:[|>][-+]?[ \t]*\n(?P<indent>[ \t]+)(?P<block>\S[^\n]*(?:\n(?P=indent)[^\n]*)*)"
    r"|(?:[@$brfuBRFUL]{1,2}(?=[\"'`]))?(?P<quote>\"\"\"|'''|\\?[\"'`])"
    r"(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,2000})"
    r"|(?P<bare>[^\s\"'`]{1,256}))"
)
VALUE_LIMIT = 4_096
NAME_LIMIT = 64
_NAME_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_.-"
# "api key: …" is two words; only a key needs the one before it.
_WORD_BEFORE = re.compile(r"[a-z]+ \Z")
_REST = re.compile(r"[^\s\"'`,;&)}\]<>|]*")
_WORDS = re.compile(r"[A-Z]+(?![a-zñ])|[A-Z]?[a-zñ]+|\d+")
_STRONG = re.compile(r"passw(?:or)?d|passphrase|passcode|passwort|pwd$|secret$|contrase|^pass$")
_WEAK = re.compile(r"token$|apikey$|(?:access|auth|private|secret)key$|credentials?$|^clave$")
_KEY_OF = re.compile(
    r"(?:access|account|admin|api|auth|client|db|deploy|encrypt|encryption|hmac|license|master"
    r"|private|priv|root|secret|service|session|shared|signing|sign|ssh|webhook)$"
)
# Words after a secret's name that make it something about the secret.
_ABOUT = re.compile(
    r"(?:address|age|alg|algorithm|arn|at|attempts|balance|bucket|budget|changed|class|columns?"
    r"|counts?|date|description|dir|embeddings?|enabled|encoder|endpoint|errors?|expiration"
    r"|expires|expiry|fields?|files?|filename|form|format|hasher|hashing|header|help|hint|ids?"
    r"|index|input|issuer|kind|label|length|len|limits?|list|loader|manager|map|max|message|min|mode|msg"
    r"|names?|parser|path|pattern|placeholder|policy|position|prefix|price|prompt|provider|ref"
    r"|regex|required|reset|rotation|scopes?|size|source|state|status|store|stream|suffix"
    r"|symbol|title|ttl|types?|uri|url|usage|used|valid|validation|validator|var|version)$"
)
# Words before "token" that make it a word of a language or a page.
_TOKEN_OF = re.compile(
    r"(?:backward|bos|cancellation|change|class|client|cls|continuation|current|end|eos|first"
    r"|forward|idempotency|input|last|lookahead|mask|max|min|next|num|output|pad|page"
    r"|pagination|peek|per|prev|previous|sep|sequence|special|start|stop|total|unk)$"
)


def secrets_named(text: str, low: str) -> Iterator[Span]:
    """The value after each name that says "secret"; `low` is the text in lower case."""
    for stem, pattern in _NAMES:
        if stem not in low:
            continue
        done = 0
        for found in pattern.finditer(low):
            if found.start() >= done and (span := _named_value(text, low, found)):
                done = span[1]
                yield span


def _named_value(text: str, low: str, found: re.Match[str]) -> Span | None:
    """The secret after a name, if the name and the value both say that it is one."""
    value = _VALUE.match(text, found.end(), found.end() + VALUE_LIMIT)
    named = _name(text, low, found) if value else None
    if not value or not named:
        return None
    if value["block"]:
        return value.span("block")
    if value["quoted"]:
        return value.span("quoted") if secret_in_quotes(value["quoted"], named) else None
    span = _bare_span(text, value.span("bare"), named)
    if not secret_bare(text, span, named._replace(gap=value["gap"])):
        return None
    cut_by_limit = span[1] == value.end("bare")
    return span[0], run_end(_REST, text, span[1]) if cut_by_limit else span[1]


def _name(text: str, low: str, found: re.Match[str]) -> Named | None:
    at, end = found.start(), found.end(1)
    back = max(0, at - NAME_LIMIT)
    start = back + len(low[back:at].rstrip(_NAME_LETTERS))
    if low[start:end] == "key" and (word := _WORD_BEFORE.search(low, back, start)):
        start = word.start()
    sign, left = found[2].strip(), text[start - 1 : start] if start else ""
    if len(sign) > 3 and sign.endswith("="):
        sign = "="  # a type stood between: `password: str = …`
    strength = _strength(text[start:end])
    if not strength or (sign == ">" and left != "<") or sign == left == ":":
        return None
    return Named(text[start:end], strength == "strong", sign, left)


def _strength(name: str) -> str:
    """Whether a name names a secret: "strong" (a password), "weak" (a token or key), or ""."""
    words = [word.lower() for word in _WORDS.findall(name)]
    for i, word in enumerate(words):
        before, rest = words[i - 1] if i else "", words[i + 1 :]
        weak = (
            (word == "key" and _KEY_OF.match(before))
            or (word == "auth" and not rest)
            or (_WEAK.search(word) and not (word == "token" and _TOKEN_OF.match(before)))
        )
        if weak or _STRONG.search(word):
            about = any(_ABOUT.match(later) for later in rest)
            return "" if about else "weak" if weak else "strong"
    return ""


def _bare_span(text: str, span: Span, named: Named) -> Span:
    """Where a value without quotes ends: a shell takes all but blanks, a query up to its &."""
    start, end = span
    if named.left in ("?", "&"):
        stop = re.search(r"[&#)\]<>]", text[start:end])
    elif named.left != "<" and named.name.isupper():
        return start, start + len(text[start:end].rstrip("),;.:}]&|"))
    else:
        # An & is a password's own unless the next parameter of a form follows it.
        stop = re.search(r"[,;)}\]<>|]|&(?=&|[\w.%-]{1,40}=)", text[start:end])
    cut = start + stop.start() if stop else end
    return start, start + len(text[start:cut].rstrip(".:"))
