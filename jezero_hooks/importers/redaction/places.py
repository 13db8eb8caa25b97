"""Secrets known by their place: in a URL, a header, a command."""

from __future__ import annotations

import re

from .values import looks_random, stands_for_a_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

# User information, RFC 3986 section 3.2.1; an unescaped @ in the password is forgiven.
_USERINFO = re.compile(r"://[^\s/?#@:\"'<>`\[\]]{0,128}:([^\s/?#\"'<>`]{1,256})@(?=[\w\[$%{.-])")
_USER_ONLY = re.compile(r"://([A-Za-z0-9_-]{20,255})@(?=[\w\[])")
_WEBHOOKS = (
    r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{16,512})",
    r"/api/webhooks/(\d{5,25}/[A-Za-z0-9_-]{20,512})",
    r"hooks\.zapier\.com/hooks/catch/([\w/-]{6,512})",
    r"webhook\.office\.com/webhookb2/([^\s\"'<>`]{16,1024})",
    r"api\.telegram\.org/bot([0-9]{6,12}:[A-Za-z0-9_-]{20,64})",
)
_WEBHOOK_PATTERNS = tuple(map(re.compile, _WEBHOOKS))
# Parameters whose names say nothing elsewhere, but do in a query.
_PARAMETER = (
    r"(?:key|code|sig|hmac|sid|jwt|session(?:_?id)?|signature|x-(?:amz|goog)-"
    r"(?:signature|credential|security-token))=([^&\s\"'<>`#)\]]{8,2048})"
)
_PARAMETERS = (re.compile(r"\?" + _PARAMETER), re.compile("&" + _PARAMETER))


def in_urls(text: str, low: str) -> Iterator[Span]:
    """Passwords, webhooks and secret parameters of URLs; `low` is the text in lower case."""
    for found in _USERINFO.finditer(text):
        if not stands_for_a_value(found[1]):
            yield found.span(1)
    for found in _USER_ONLY.finditer(text):
        if looks_random(found[1], 20):
            yield found.span(1)
    for pattern in _WEBHOOK_PATTERNS if "hook" in low or "api.telegram" in low else ():
        for found in pattern.finditer(text):
            if not stands_for_a_value(found[1]):
                yield found.span(1)
    for pattern in _PARAMETERS:
        for found in pattern.finditer(low):
            if looks_random(text[slice(*found.span(1))], 12):
                yield found.span(1)


_AUTHORIZATION = re.compile(
    r"authorization[\"'`\\\]]{0,3}[ \t]{0,8}[:=,][ \t]{0,8}\\?[\"'`]?[ \t]?"
    r"(?:(?:basic|bearer|token|apikey|bot|negotiate|ntlm)[ \t]{1,8}([^\s\"'`<>,;)\\]{6,4096})"
    r"|(?:digest|aws4-hmac-sha256|hawk)[ \t]{1,8}([^\n`]{8,2048})"
    r"|([^\s\"'`<>,;)\\]{12,4096}))"
)
_BEARER = re.compile(r"bearer[ \t]{1,8}([a-z0-9._~+/=-]{12,4096})")
_COOKIE = re.compile(r"cookie2?[\"'`\\]{0,2}[ \t]{0,4}[:=][ \t]{0,4}[\"'`]?([^\n\"'`]{3,4096})")
_COOKIE_PAIR = re.compile(r"([^\s=;,:]{1,64})=([^;\s\"'\\]{1,4096})")
_COOKIE_NAME = re.compile(r"sess|sid$|auth|token|jwt|csrf|xsrf|secret|remember|login|^connect\.")
_COOKIE_ATTRIBUTE = re.compile(r"(?:expires|max-age|domain|path|samesite|version)$")


def in_headers(text: str, low: str) -> Iterator[Span]:
    """What Authorization, Bearer and Cookie carry; `low` is the text in lower case."""
    if "authorization" in low:
        for found in _AUTHORIZATION.finditer(low):
            span = found.span(found.lastindex or 0)
            if _is_credential(text[slice(*span)], found.lastindex == 3):
                yield span
    if "bearer" in low:
        for found in _BEARER.finditer(low):
            if looks_random(text[slice(*found.span(1))], 12):
                yield found.span(1)
    if "cookie" in low:
        for header in _COOKIE.finditer(low):
            for pair in _COOKIE_PAIR.finditer(low, *header.span(1)):
                if _is_secret_cookie(pair[1], text[slice(*pair.span(2))]):
                    yield pair.span(2)


def _is_credential(value: str, bare: bool) -> bool:
    """Whether what follows Authorization is one: a plain word after "Basic" is prose."""
    if bare:
        return looks_random(value, 16)
    word = value.isalpha() and value.islower() and len(value) <= 20
    return not word and not stands_for_a_value(value)


def _is_secret_cookie(name: str, value: str) -> bool:
    if _COOKIE_ATTRIBUTE.match(name) or stands_for_a_value(value):
        return False
    return _COOKIE_NAME.search(name) is not None or looks_random(value, 16)


# Secrets that a command or a statement takes without a name and a sign before them.
_COMMANDS = {
    "curl": r"curl[^\n]{0,300}?[ \t](?:-u|--user)[ =]{0,2}[\"']?[^\s:\"'$]{0,64}:([^\s\"']{1,256})",
    "mysql": r"mysql(?:dump|admin)?(?:[ \t][^\n|;]{0,200}?)?[ \t]-p"
    r"([^\s\"'|;]{3,256}|[\"'][^\"'\n]{1,256})",
    "docker login": r"docker login[^\n|;]{0,200}?[ \t]-p[ =]{0,2}[\"']?([^\s\"']{3,256})",
    "redis-cli": r"redis-cli[^\n|;]{0,200}?[ \t]-a[ ]{0,2}[\"']?([^\s\"']{3,256})",
    "sshpass": r"sshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?([^\s\"']{1,256})",
    "machine ": r"machine[ \t]{1,8}\S{1,128}[ \t\n]{1,8}login[ \t]{1,8}\S{1,128}[ \t\n]{1,8}"
    r"password[ \t]{1,8}(\S{1,256})",
}
# The same in SQL, where the statement says USER, ROLE or GRANT some words before.
_SQL_PASSWORD = re.compile(r"(?:identified by|password)[ \t]{1,8}'([^'\n]{1,256})'")
_SQL_STATEMENT = re.compile(r"(?:create|alter|drop|grant)\b[^;]{0,200}\Z")
_OPTION = re.compile(
    r"--(?:[a-z]{1,20}-)?(?:pass(?:word|wd|phrase)?|secret|(?:api-?)?token|api-?key"
    r"|(?:secret|access|private|auth)-key)[ \t]{1,4}([^\s\"'-][^\s\"']{5,512}|[\"'][^\"'\n]{6,512})"
)
_COMMAND_PATTERNS = tuple((word, re.compile(rest)) for word, rest in _COMMANDS.items())


def in_commands(text: str, low: str) -> Iterator[Span]:
    """Secrets among a command's or a statement's words; `low` is the text in lower case."""
    for word, pattern in _COMMAND_PATTERNS:
        if word in low:
            for found in pattern.finditer(low):
                start, end = _without_quote(text, found.span(1))
                if not stands_for_a_value(text[start:end]):
                    yield start, end
    if "password '" in low or "identified by '" in low:
        for found in _SQL_PASSWORD.finditer(low):
            if _SQL_STATEMENT.search(low, max(0, found.start() - 200), found.start()):
                yield found.span(1)
    if "--" in low:
        for found in _OPTION.finditer(low):
            start, end = _without_quote(text, found.span(1))
            if looks_random(text[start:end], 6):
                yield start, end


def _without_quote(text: str, span: Span) -> Span:
    return span[0] + (text[span[0]] in "\"'"), span[1]
