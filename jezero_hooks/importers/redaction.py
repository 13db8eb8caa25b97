"""Text → the same text without its secrets. Pure: no file, no clock, no network.

A secret is known by its shape (``ghp_…``; most shapes are detect-secrets' own patterns)
or by its place: after a name that says so, in a URL, in a header, in a PEM block. Bare
random strings are left alone: in a developer's text they are commits, digests and ids,
and a search without them is no search.

Every rule starts at a literal, which Python finds at about 1 GB/s, and looks a bounded
way around it: a text without secrets costs a few dozen substring searches and one look
for long runs, and no input takes more than linear time.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

from jezero_hooks.model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Span = tuple[int, int]

# Short, and no rule takes it for a secret: redacting twice changes nothing.
PLACEHOLDER = "[redacted]"


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by PLACEHOLDER, and how many were replaced.

    What stands around a secret stays: the name, the user, the host, the header, the BEGIN
    line. Secrets that overlap count as one. Redacting the result again replaces nothing,
    for this looks until it finds nothing more. (Issue 2, point 7.)
    """
    count = 0
    while spans := _merged(_new_secrets(text)):
        parts: list[str] = []
        at = 0
        for start, end in spans:
            parts += (text[at:start], PLACEHOLDER)
            at = end
        text = "".join((*parts, text[at:]))
        count += len(spans)
    return text, count


def _new_secrets(text: str) -> Iterator[Span]:
    """The secrets that hold no part of a placeholder: each round leaves fewer letters."""
    word = PLACEHOLDER.strip("[]")
    return (span for span in _secrets(text) if word not in text[slice(*span)])


def _secrets(text: str) -> Iterator[Span]:
    low = _lower(text)
    if "PRIVATE KEY" in text or "Private-Lines:" in text:
        yield from _private_keys(text)
    yield from _shapes(text)
    if "://" in text or "?" in text or "webhook" in low:
        yield from _in_urls(text, low)
    yield from _in_headers(text, low)
    yield from _in_commands(text, low)
    yield from _named(text, low)


def _lower(text: str) -> str:
    """Lower case, letter for letter: İ alone would become two and shift every position."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "I").lower()


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


# --- private keys ----------------------------------------------------------------------

_KEY_BEGIN = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d{1,4}"
)
_KEY_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC:")
# A key of 16,384 bits takes 13 KB: an END line further away belongs to another block.
KEY_LIMIT = 65_536
# What may stand between the lines: line ends (also as the two characters \n), indents,
# quotes, the marks of a quotation, a diff or a line number, headers (RFC 1421, RFC 4880).
_KEY_LINES = re.compile(
    r"(?:(?:[\s>|+\-\"'`,;:.]|\\+[rnt\"]|\d{1,4}[\t→:|]"
    r"|[A-Z][A-Za-z0-9-]{2,20}: [^\n\\]{0,200}){0,64}[A-Za-z0-9+/=]{16,})+"
    # The last line is short; a word of prose after a cut block is not part of it.
    r"(?:(?:\s|\\+[rn])(?=[A-Za-z]{0,62}[0-9+/=])[A-Za-z0-9+/=]{1,63}(?![A-Za-z0-9]))?"
)
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/=]{16,}")


def _private_keys(text: str) -> Iterator[Span]:
    """The body of each PEM block; of a cut one (no END line) what looks like base64."""
    begins = [begin.span() for begin in _KEY_BEGIN.finditer(text)]
    nexts = [start for start, _ in begins[1:]] + [len(text)]
    for (_, start), following in zip(begins, nexts, strict=False):
        limit = min(following, start + KEY_LIMIT)
        end = _KEY_END.search(text, start, limit)
        lines = _KEY_LINES.match(text, start, limit)
        if end and _mostly_base64(text[start : end.start()]):
            body = text[start : end.start()]
        elif lines:
            body = lines[0]
        else:
            continue
        yield start + len(body) - len(body.lstrip("\r\n")), start + len(body.rstrip("\r\n"))


def _mostly_base64(body: str) -> bool:
    return 2 * sum(len(run) for run in _BASE64_RUN.findall(body)) > len(body)


# --- shapes ----------------------------------------------------------------------------

# What detect-secrets finds: a literal that the shape holds, how far before the literal
# the secret starts, and the detector. Only its patterns are used: a detector can also ask
# the provider whether a secret is alive, and that must never happen here.
_LIBRARY: dict[str, tuple[tuple[int, ...], str]] = {
    "A3T": ((0,), "aws.AWSKeyDetector"),
    "ABIA": ((0,), "aws.AWSKeyDetector"),
    "ACCA": ((0,), "aws.AWSKeyDetector"),
    "AKIA": ((0,), "aws.AWSKeyDetector"),
    "ASIA": ((0,), "aws.AWSKeyDetector"),
    "gho_": ((0,), "github_token.GitHubTokenDetector"),
    "ghp_": ((0,), "github_token.GitHubTokenDetector"),
    "ghr_": ((0,), "github_token.GitHubTokenDetector"),
    "ghs_": ((0,), "github_token.GitHubTokenDetector"),
    "ghu_": ((0,), "github_token.GitHubTokenDetector"),
    "GR1348941": ((0,), "gitlab_token.GitLabTokenDetector"),
    "pypi-Ag": ((0,), "pypi_token.PypiTokenDetector"),
    "SG.": ((0,), "sendgrid.SendGridDetector"),
    "k_live_": ((1,), "stripe.StripeDetector"),
    "sq0csp-": ((0,), "square_oauth.SquareOAuthDetector"),
    "xox": ((0,), "slack.SlackDetector"),
    ":AA": ((8, 9, 10), "telegram_token.TelegramBotTokenDetector"),
    "-us": ((32,), "mailchimp.MailchimpDetector"),
}
# The same for shapes whose literal is too common alone: a pattern in its place.
_LIBRARY_PATTERNS: tuple[tuple[re.Pattern[str], tuple[int, ...], str], ...] = (
    (re.compile(r"AC[0-9a-f]{32}(?![A-Za-z0-9])"), (0,), "twilio.TwilioKeyDetector"),
    (re.compile(r"SK[0-9a-f]{32}(?![A-Za-z0-9])"), (0,), "twilio.TwilioKeyDetector"),
    (re.compile(r"gl[a-z]{2,5}-[\w-]{20}"), (0,), "gitlab_token.GitLabTokenDetector"),
    (
        re.compile(r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"),
        (24, 25, 26),
        "discord.DiscordBotTokenDetector",
    ),
)
# Shapes that detect-secrets 1.5 does not know, or knows in an older form only: the
# literal, and what follows it.
_OWN = {
    "AGE-SECRET-KEY-1": r"[A-Z0-9]{30,}",
    "AIza": r"[A-Za-z0-9_-]{35}",
    "AKC": r"(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{60,}",
    "ATATT3x": r"[A-Za-z0-9_=-]{40,}",
    "EAAC": r"[A-Za-z0-9]{60,}",
    "GOCSPX-": r"[A-Za-z0-9_-]{20,}",
    "NRAK-": r"[A-Z0-9]{27}",
    "PMAK-": r"[0-9a-f]{24}-[0-9a-f]{34}",
    "dapi": r"[0-9a-f]{32}",
    "dckr_pat_": r"[A-Za-z0-9_-]{20,}",
    "dop_v1_": r"[0-9a-f]{64}",
    "dp.": r"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}",
    "figd_": r"[A-Za-z0-9_-]{40,}",
    "github_pat_": r"[A-Za-z0-9_]{22,}",
    "glsa_": r"[A-Za-z0-9_]{32,}",
    "gsk_": r"[A-Za-z0-9]{40,}",
    "hf_": r"[A-Za-z0-9]{30,}",
    "hvs.": r"[A-Za-z0-9_-]{24,}",
    "key-": r"[0-9a-f]{32}(?![A-Za-z0-9])",
    "lin_api_": r"[A-Za-z0-9]{32,}",
    "npm_": r"[A-Za-z0-9]{36}",
    "nvapi-": r"[A-Za-z0-9_-]{40,}",
    "ops_eyJ": r"[A-Za-z0-9_=-]{40,}",
    "pplx-": r"[A-Za-z0-9]{40,}",
    "pul-": r"[0-9a-f]{40}(?![A-Za-z0-9])",
    "rk_test_": r"[A-Za-z0-9]{16,}",
    "rubygems_": r"[0-9a-f]{48}",
    "sbp_": r"[0-9a-f]{40}",
    "shp": r"(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    # OpenAI, Anthropic and those who follow them; not sk-learn-… or sk-fading-circle-12.
    "sk-": r"(?=[A-Za-z_-]{0,64}[0-9])"
    r"(?:[a-z0-9]{2,10}-){0,2}[A-Za-z0-9]{12}[A-Za-z0-9_-]{4,}",
    "sk-ant-": r"[a-z0-9]{3,8}-[A-Za-z0-9_-]{20,}",
    "sk-proj-": r"[A-Za-z0-9_-]{20,}",
    "sk_test_": r"[A-Za-z0-9]{16,}",
    "sntrys_": r"[A-Za-z0-9+/=_-]{40,}",
    "tskey-": r"[a-z]{3,9}-[A-Za-z0-9-]{16,}",
    "whsec_": r"[A-Za-z0-9+/=]{24,}",
    "xai-": r"[A-Za-z0-9]{60,}",
    "xapp-": r"[0-9]-[A-Za-z0-9-]{16,}",
    "xkeysib-": r"[0-9a-f]{48,}",
    "xoxe": r"(?:\.xox[bp])?-[A-Za-z0-9-]{16,}",
    "ya29.": r"[A-Za-z0-9_-]{20,}",
}


def _from_word_start(literal: str, rest: str) -> re.Pattern[str]:
    """A pattern that keeps its literal prefix (fast), yet starts no match inside a word."""
    literal = re.escape(literal)
    return re.compile(f"{literal}(?<![A-Za-z0-9]{literal}){rest}")


_OWN_PATTERNS = tuple((literal, _from_word_start(literal, rest)) for literal, rest in _OWN.items())
# Every shape holds such a run, few texts do: the literals are looked for among the runs.
_LONG_RUN = re.compile(r"[^A-Za-z0-9_-][A-Za-z0-9_-]{20,}")
_LONG_START = re.compile(r"[A-Za-z0-9_-]{20,}")
# A literal stands in the run, or ends this close before it ("SG.", "ya29.").
LITERAL_REACH = 8
# No shape is longer, but a token may be: it is followed to the end of its run.
SHAPE_LIMIT = 2_048
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TOKEN_RUN = re.compile(r"[A-Za-z0-9_-]*")
_JWT_RUN = re.compile(r"[A-Za-z0-9_=.-]*")
_AWS_SECRET = re.compile(r"[^A-Za-z0-9/+]([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")


@cache
def _detector(name: str) -> tuple[re.Pattern[str], ...]:
    """One detector's patterns; loaded late, for detect-secrets takes 0.1 s to import."""
    module, _, detector = name.partition(".")
    return tuple(getattr(import_module(f"detect_secrets.plugins.{module}"), detector).denylist)


def _shapes(text: str) -> Iterator[Span]:
    runs = [text[max(0, m.start() - LITERAL_REACH) : m.end()] for m in _LONG_RUN.finditer(text)]
    if at_start := _LONG_START.match(text):
        runs.append(at_start[0])
    if not runs:
        return
    among = "\n".join(runs)
    for pattern, leads, detector in _LIBRARY_PATTERNS:
        yield from _by_library(text, pattern, leads, detector)
    for literal, (leads, detector) in _LIBRARY.items():
        if literal in among:
            yield from _by_library(text, re.compile(re.escape(literal)), leads, detector)
    for literal, pattern in _OWN_PATTERNS:
        if literal in among:
            for found in pattern.finditer(text):
                yield found.start(), _run_end(_TOKEN_RUN, text, found.end())
    if ".eyJ" in among:
        yield from _jwts(text)


def _run_end(run: re.Pattern[str], text: str, at: int) -> int:
    match = run.match(text, at)
    return match.end() if match else at


def _by_library(
    text: str, literal: re.Pattern[str], leads: tuple[int, ...], detector: str
) -> Iterator[Span]:
    done = 0
    for at in literal.finditer(text):
        for lead in leads:
            start = at.start() - lead
            if start < done or (start and text[start - 1] in _LETTERS):
                continue
            for pattern in _detector(detector):
                if found := pattern.match(text, start, start + SHAPE_LIMIT):
                    done = _run_end(_TOKEN_RUN, text, found.end())
                    yield start, done
                    if detector == "aws.AWSKeyDetector":
                        yield from _aws_secrets(text, done)
                    break


def _aws_secrets(text: str, at: int) -> Iterator[Span]:
    """The secret pasted beside its key id: 40 characters that have no shape of their own."""
    for found in _AWS_SECRET.finditer(text, at, at + 200):
        if re.search("[a-z]", found[1]) and re.search("[G-Z/+]", found[1]):
            yield found.span(1)


def _jwts(text: str) -> Iterator[Span]:
    """JSON Web Tokens (RFC 7519): header and claims are both JSON objects, hence ``eyJ``."""
    done, at = 0, text.find(".eyJ")
    while at >= 0:
        before = text[max(done, at - SHAPE_LIMIT) : at]
        header = before[len(before.rstrip(_LETTERS + "_=-")) :]
        first = header.find("eyJ")
        if first >= 0 and len(header) - first >= 12:
            done = _run_end(_JWT_RUN, text, at)
            yield at - len(header) + first, done
        at = text.find(".eyJ", max(done, at + 4))


# --- URLs, headers, commands -----------------------------------------------------------

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


def _in_urls(text: str, low: str) -> Iterator[Span]:
    for found in _USERINFO.finditer(text):
        if not _stands_for_a_value(found[1]):
            yield found.span(1)
    for found in _USER_ONLY.finditer(text):
        if _looks_random(found[1], 20):
            yield found.span(1)
    for pattern in _WEBHOOK_PATTERNS if "hook" in low or "api.telegram" in low else ():
        for found in pattern.finditer(text):
            if not _stands_for_a_value(found[1]):
                yield found.span(1)
    for pattern in _PARAMETERS:
        for found in pattern.finditer(low):
            if _looks_random(text[slice(*found.span(1))], 12):
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


def _in_headers(text: str, low: str) -> Iterator[Span]:
    if "authorization" in low:
        for found in _AUTHORIZATION.finditer(low):
            span = found.span(found.lastindex or 0)
            if _is_credential(text[slice(*span)], found.lastindex == 3):
                yield span
    if "bearer" in low:
        for found in _BEARER.finditer(low):
            if _looks_random(text[slice(*found.span(1))], 12):
                yield found.span(1)
    if "cookie" in low:
        for header in _COOKIE.finditer(low):
            for pair in _COOKIE_PAIR.finditer(low, *header.span(1)):
                if _is_secret_cookie(pair[1], text[slice(*pair.span(2))]):
                    yield pair.span(2)


def _is_credential(value: str, bare: bool) -> bool:
    """Whether what follows Authorization is one: a plain word after "Basic" is prose."""
    if bare:
        return _looks_random(value, 16)
    word = value.isalpha() and value.islower() and len(value) <= 20
    return not word and not _stands_for_a_value(value)


def _is_secret_cookie(name: str, value: str) -> bool:
    if _COOKIE_ATTRIBUTE.match(name) or _stands_for_a_value(value):
        return False
    return _COOKIE_NAME.search(name) is not None or _looks_random(value, 16)


# Secrets that a command or a statement takes without a name and a sign before them.
_COMMANDS = {
    "curl": r"curl[^\n]{0,300}?[ \t](?:-u|--user)[ =]{0,2}[\"']?[^\s:\"'$]{0,64}:([^\s\"']{1,256})",
    "mysql": r"mysql(?:dump|admin)?[ \t][^\n|;]{0,200}?[ \t]-p"
    r"([^\s\"'|;]{3,256}|[\"'][^\"'\n]{1,256})",
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


def _in_commands(text: str, low: str) -> Iterator[Span]:
    for word, pattern in _COMMAND_PATTERNS:
        if word in low:
            for found in pattern.finditer(low):
                start, end = _without_quote(text, found.span(1))
                if not _stands_for_a_value(text[start:end]):
                    yield start, end
    if "password '" in low or "identified by '" in low:
        for found in _SQL_PASSWORD.finditer(low):
            if _SQL_STATEMENT.search(low, max(0, found.start() - 200), found.start()):
                yield found.span(1)
    if "--" in low:
        for found in _OPTION.finditer(low):
            start, end = _without_quote(text, found.span(1))
            if _looks_random(text[start:end], 6):
                yield start, end


def _without_quote(text: str, span: Span) -> Span:
    return span[0] + (text[span[0]] in "\"'"), span[1]


# --- names -----------------------------------------------------------------------------

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


def _named(text: str, low: str) -> Iterator[Span]:
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
        return value.span("quoted") if _secret_in_quotes(value["quoted"], named) else None
    span = _bare_span(text, value.span("bare"), named)
    if not _secret_bare(text, span, named._replace(gap=value["gap"])):
        return None
    cut_by_limit = span[1] == value.end("bare")
    return span[0], _run_end(_REST, text, span[1]) if cut_by_limit else span[1]


class _Named(NamedTuple):
    """A name that says "secret": how surely, the sign after it, what stands left and between."""

    name: str
    strong: bool
    sign: str
    left: str
    gap: str = ""


def _name(text: str, low: str, found: re.Match[str]) -> _Named | None:
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
    return _Named(text[start:end], strength == "strong", sign, left)


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


def _bare_span(text: str, span: Span, named: _Named) -> Span:
    """Where a value without quotes ends: a shell takes all but blanks, a query up to its &."""
    start, end = span
    if named.left in ("?", "&"):
        stop = re.search(r"[&#)\]<>]", text[start:end])
    elif named.left != "<" and named.name.isupper():
        return start, start + len(text[start:end].rstrip("),;.:}]&|"))
    else:
        stop = re.search(r"[,;&)}\]<>|]", text[start:end])
    cut = start + stop.start() if stop else end
    return start, start + len(text[start:cut].rstrip(".:"))


# --- values ----------------------------------------------------------------------------

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


def _stands_for_a_value(value: str) -> bool:
    return bool(_REFERENCE.match(value) or _TEMPLATE.search(value) or _PLAIN_WORD.match(value))


def _looks_random(value: str, least: int) -> bool:
    """Letters and digits mixed, at least so long, and no path, date, name or template."""
    return (
        len(value) >= least
        and re.search(r"[A-Za-z]", value) is not None
        and re.search(r"[0-9]", value) is not None
        and not re.search(r"\s", value)
        and not _stands_for_a_value(value)
        and not _PATH_OR_URL.match(value)
        and not _DATE_OR_ALGORITHM.match(value.lower())
        and not _LOWER_WORDS.match(value.lower())
    )


def _secret_in_quotes(value: str, named: _Named) -> bool:
    value = value.strip()
    if len(value) < 4 or _stands_for_a_value(value) or _PATH_OR_URL.match(value):
        return False
    if not named.strong:
        return _looks_random(value, 8) or (len(value) >= 20 and value.isalnum())
    if re.search(r"\s", value):
        label = value[0].isupper() or value[-1] in "?!.:…" or _SAYS_SECRET.search(value)
        return named.name.isupper() or not (label or _PROSE.search(value.lower()))
    if _SAYS_SECRET.search(value) and re.fullmatch(r"[A-Za-zñ_.:|-]+\d?", value):
        return False
    return not (named.name.lower().endswith(("secret", "pass")) and _LOWER_WORDS.match(value))


def _secret_bare(text: str, span: Span, named: _Named) -> bool:
    value, after = text[slice(*span)], text[span[1] : span[1] + 1]
    in_query = named.left in ("?", "&")
    in_shell = named.sign in ("=", ":-") and not named.gap and (named.name.isupper() or in_query)
    if len(value) < 4 or _stands_for_a_value(value) or _PATH_OR_URL.match(value):
        return False
    if named.sign == ">":
        return text.startswith("</", span[1])
    if not in_query and (_CODE.match(value) or after in ("(", "[")):
        return False
    if not named.strong:
        return _looks_random(value, 8) and (in_shell or not _CODE_NAME.match(value))
    if in_shell:
        return True
    if _CODE_NAME.match(value) and _SAYS_SECRET.search(value):
        return False
    if named.sign in ("is", "es") or re.search(r"secret$|(?:^|_)pass$", named.name.lower()):
        return _looks_random(value, 6)
    return _password_bare(text, span, named)


def _password_bare(text: str, span: Span, named: _Named) -> bool:
    """A password without quotes: a line of a config, an argument, or a word of prose?"""
    start, end = span
    value = text[start:end]
    line_end = text.find("\n", end, end + 200)
    rest = text[end : line_end if line_end >= 0 else end + 200].strip()
    alone = not rest.strip(",;}\"'`)|*.") or rest.startswith(("#", "//", "\\n"))
    if value.isdigit():
        return alone
    if not value.isalpha():
        return _looks_random(value, 4 if alone else 6) or (alone and not _CODE_NAME.match(value))
    if named.sign == "=" and not named.gap:
        return text[end : end + 1] not in (",", ")", ".")
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    in_config = line.strip(" \t-") == f"{named.name}:"
    return in_config and not rest and value.islower()
