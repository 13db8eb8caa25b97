"""Is it a secret, or something that stands where one could?"""

from __future__ import annotations

import re

from ...model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int]


class Named(NamedTuple):
    """A name that says "secret": how surely, the sign after it, what stands left and between."""

    name: str
    strong: bool
    sign: str
    left: str
    gap: str = ""


# What stands for a value: a variable, a mask, a YAML tag, "your-key-here", a form's rule.
_REFERENCE = re.compile(
    r"\$(?![0-9]{0,2}[a-z0-9-]{0,10}\$)(?=[\w{(\[])|[%!]\w+[%!)]?(?:s|d)?$|%[({]|[{<@!&*]+[\w{<(]"
    r"|[^A-Za-z0-9]+$|[xX*•.…_#?-]+$|your?[-_ ]|[\w.-]{0,40}\.{3}$"
    r"|(?:required|nullable|sometimes|string|confirmed)\|"
)
_TEMPLATE = re.compile(r"\$\{|\{\{|\$\(|%\(|<%|\{\w{0,40}\}|<[\w ._-]{1,60}>|\[redacted")
# Without quotes also: an attribute of what holds settings, a call, an index, a path of names.
_CODE = re.compile(
    r"(?:process|os|env|sys|cfg|config|settings|self|this|secrets?|vars?|local|data|args?|argv|opts"
    r"|options|params?|props|req|request|res|response|ctx|context|body|form|row|user|vault|ssm"
    r"|state|input|event|import\.meta|[a-z])(?:\.|->|\?\.)[A-Za-z_]"
    r"|[\w.:>?!-]{0,80}[(\[{]|[\w.]{1,80}(?:->|::|=>)"
)
_PATH_OR_URL = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?![A-Za-z0-9+/]{32,}={0,2}$)[\w.@/\\-]*$"
    r"|[a-z][a-z0-9+.-]{1,20}://|arn:aws"
    r"|[\w./\\-]{1,200}\.(?:pem|key|crt|json|ya?ml|txt|py|js|ts|go|rs|md|env|toml|ini|cfg|sh|php)$"
)
_DATE_OR_ALGORITHM = re.compile(
    r"\d{4}-\d\d(?:-\d\d|$)|(?:sha|md|hs|rs|es|ps|utf|base|bcrypt|argon|pbkdf|scrypt|oauth|aes|rsa"
    r"|ed|ecdsa|hmac|http|ipv|int|uint|float|u|i|f|str|v)[-_]?\d{1,4}(?![0-9A-Za-z])"
)
_CODE_NAME = re.compile(r"[A-Za-zñ_$][a-zA-Zñ_]*(?:[.-][A-Za-zñ_]+)*_?v?\d{0,2}$|[A-Z_]+(?:_\d+)?$")
_SAYS_SECRET = re.compile(r"pass|pwd|secret|token|key|auth|cred|contrase|clave|hash", re.IGNORECASE)
_LOWER_WORDS = re.compile(r"[a-z]+(?:[-_.:/][a-z]+)+[-_.]?v?\d{0,2}$")
# Words that a schema, a form or a sentence puts where a secret could be.
_PLAIN_WORD = re.compile(
    r"(?:admin|any|array|boolean|bool|buffer|bytes|changed|char|default|disabled|dummy|empty"
    r"|enabled|example|false|foobar|hidden|inherit|input|integer|int|invalid|literal|masked"
    r"|missing|nil|none|null|no|number|object|off|omit|on|optional|password|placeholder|plain"
    r"|prompt|redacted|required|sample|secret|static|string|str|test|text|token|true|type"
    r"|undefined|unset|username|user|value|varchar|void|yes)[\"'.,:;!?]*$",
    re.IGNORECASE,
)
_PROSE = re.compile(r"\b(?:required|must|your|enter|invalid|forgot|min:|max:|is|not|the)\b")


def stands_for_a_value(value: str) -> bool:
    """A variable, a mask, a template or a plain word, where a secret could stand."""
    return bool(_REFERENCE.match(value) or _TEMPLATE.search(value) or _PLAIN_WORD.match(value))


def looks_random(value: str, least: int) -> bool:
    """Letters and digits mixed, at least so long, and no path, date, name or template."""
    return (
        len(value) >= least
        and re.search(r"[A-Za-z]", value) is not None
        and re.search(r"[0-9]", value) is not None
        and not re.search(r"\s", value)
        and not stands_for_a_value(value)
        and not _PATH_OR_URL.match(value)
        and not _DATE_OR_ALGORITHM.match(value.lower())
        and not _LOWER_WORDS.match(value.lower())
    )


def secret_in_quotes(value: str, named: Named) -> bool:
    """Whether a quoted value after such a name is a secret."""
    value = value.strip()
    if len(value) < 4 or stands_for_a_value(value) or _PATH_OR_URL.match(value):
        return False
    if not named.strong:
        return looks_random(value, 8) or (len(value) >= 20 and value.isalnum())
    if re.search(r"\s", value):
        label = value[0].isupper() or value[-1] in "?!.:…" or _SAYS_SECRET.search(value)
        return named.name.isupper() or not (label or _PROSE.search(value.lower()))
    if _SAYS_SECRET.search(value) and re.fullmatch(r"[A-Za-zñ_.:|-]+\d?", value):
        return False
    return not (named.name.lower().endswith(("secret", "pass")) and _LOWER_WORDS.match(value))


def secret_bare(text: str, span: Span, named: Named) -> bool:
    """Whether a value without quotes after such a name is a secret."""
    value, after = text[slice(*span)], text[span[1] : span[1] + 1]
    in_query = named.left in ("?", "&")
    in_shell = named.sign in ("=", ":-") and not named.gap and (named.name.isupper() or in_query)
    if len(value) < 4 or stands_for_a_value(value) or _PATH_OR_URL.match(value):
        return False
    if named.sign == ">":
        return text.startswith("</", span[1])
    if not in_query and (_CODE.match(value) or after in ("(", "[")):
        return False
    if not named.strong:
        return looks_random(value, 8) and (in_shell or not _CODE_NAME.match(value))
    if in_shell:
        return True
    if _CODE_NAME.match(value) and _SAYS_SECRET.search(value):
        return False
    if named.sign in ("is", "es") or re.search(r"secret$|(?:^|_)pass$", named.name.lower()):
        return looks_random(value, 6)
    return _password_bare(text, span, named)


def _password_bare(text: str, span: Span, named: Named) -> bool:
    """A password without quotes: a line of a config, an argument, or a word of prose?"""
    start, end = span
    value = text[start:end]
    line_end = text.find("\n", end, end + 200)
    rest = text[end : line_end if line_end >= 0 else end + 200].strip()
    alone = not rest.strip(",;}\"'`)|*.") or rest.startswith(("#", "//", "\\n"))
    if value.isdigit():
        return alone
    if not value.isalpha():
        return looks_random(value, 4 if alone else 6) or (alone and not _CODE_NAME.match(value))
    if named.sign == "=" and not named.gap:
        return text[end : end + 1] not in (",", ")", ".")
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    in_config = line.strip(" \t-") == f"{named.name}:"
    return in_config and not rest and value.islower()
