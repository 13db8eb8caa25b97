"""Text → the same text without its secrets. Pure: no file, no clock, no network.

A secret is known by its shape (``ghp_…``; most shapes are detect-secrets' own patterns)
or by its place: after a name that says so, in a URL, in a header, in a PEM block. Bare
random strings are left alone: in a developer's text they are commits, digests and ids,
and a search without them is no search.

Every rule starts at a literal, which Python finds at about 1 GB/s, and looks a bounded
way around it. So a text without secrets costs little more than a few dozen substring
searches, and no input takes more than linear time.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

# Short, and no rule takes it for a secret: redacting twice changes nothing.
PLACEHOLDER = "[redacted]"


def redact(text: str) -> tuple[str, int]:
    """The text with each secret replaced by PLACEHOLDER, and how many were replaced.

    What stands around a secret stays: the name, the user, the host, the header, the BEGIN
    line. Secrets that touch count as one. ``redact(redact(text)[0])`` replaces nothing:
    it looks again until nothing is found (issue 2, point 7).
    """
    found = 0
    while spans := _merged(_secrets(text)):
        parts, at = [], 0
        for start, end in spans:
            parts += (text[at:start], PLACEHOLDER)
            at = end
        text = "".join((*parts, text[at:]))
        found += len(spans)
    return text, found


def _secrets(text: str) -> Iterator[Span]:
    low = _lower(text)
    if "private" in low:
        yield from _pem_bodies(text)
    yield from _shapes(text)
    if "://" in low or "?" in low:
        yield from _in_urls(text, low)
    yield from _in_headers(text, low)
    yield from _in_commands(text, low)
    yield from _named(text, low)


def _lower(text: str) -> str:
    """Lower case, letter for letter: İ alone would become two and shift every position."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "I").lower()


def _merged(spans: Iterator[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


# --- PEM blocks and other private keys -------------------------------------------------

_PEM_BEGIN = re.compile(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-Lines: \d+"
)
_PEM_END = re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC:")
# A key of 16,384 bits takes 13 KB; what ends later than this is another block's end.
PEM_LIMIT = 65_536
# What may stand between the lines: line ends (also as the two characters \n), indents,
# quotes, the marks of a quotation, a diff or a line number, and the headers of RFC 1421
# and RFC 4880.
_PEM_GAP = (
    r"(?:[\s>|+\-\"'`,;:.]|\\+[rnt\"]|\d{1,4}[\t→:|]|[A-Z][A-Za-z0-9-]{2,20}: [^\n\\]{0,200})"
)
_PEM_LINES = re.compile(
    rf"(?:{_PEM_GAP}{{0,64}}[A-Za-z0-9+/=]{{16,}})+"
    # The last line is short; a word of prose after a cut block is not part of it.
    rf"(?:(?:\s|\\+[rn])(?=[A-Za-z]{{0,62}}[0-9+/=])[A-Za-z0-9+/=]{{1,63}}(?![A-Za-z0-9]))?"
)
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/=]{16,}")


def _pem_bodies(text: str) -> Iterator[Span]:
    """The body of each private key; cut ones (no END line) as far as they look like base64."""
    done = 0
    for begin in _PEM_BEGIN.finditer(text):
        start = begin.end()
        if start < done:
            continue
        end = _PEM_END.search(text, start, start + PEM_LIMIT)
        if end and _mostly_base64(text[start : end.start()]):
            done = end.start()
            yield _stripped(text, start, done)
        elif lines := _PEM_LINES.match(text, start):
            done = lines.end()
            yield _stripped(text, start, done)


def _mostly_base64(body: str) -> bool:
    runs = sum(len(run) for run in _BASE64_RUN.findall(body))
    return runs * 2 > len(body)


def _stripped(text: str, start: int, end: int) -> Span:
    """The span without the line ends at its edges, so that the block keeps its lines."""
    while start < end and text[start] in "\r\n":
        start += 1
    while start < end and text[end - 1] in "\r\n":
        end -= 1
    return start, end


# --- shapes ----------------------------------------------------------------------------

# What detect-secrets finds, by the literal that the shape holds, how far before the
# literal the secret starts, and the detector. Only its patterns are used: a detector can
# also ask the provider whether a secret is alive, and that must never happen here.
_LIBRARY = {
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
# The same, where the literal alone is too common to call the detector at each.
_LIBRARY_BY_PATTERN = (
    ("AC", re.compile(r"AC[0-9a-f]{32}(?![A-Za-z0-9])"), (0,), "twilio.TwilioKeyDetector"),
    ("SK", re.compile(r"SK[0-9a-f]{32}(?![A-Za-z0-9])"), (0,), "twilio.TwilioKeyDetector"),
    ("gl", re.compile(r"gl[a-z]{2,5}-[\w-]{20}"), (0,), "gitlab_token.GitLabTokenDetector"),
    (
        ".",
        re.compile(r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"),
        (24, 25, 26),
        "discord.DiscordBotTokenDetector",
    ),
)

# Shapes that detect-secrets 1.5 does not know, or knows in an older form only: the
# literal, and what follows it.
_OWN = {
    "AGE-SECRET-KEY-1": "[A-Z0-9]{30,}",
    "AIza": "[A-Za-z0-9_-]{35}",
    "AKC": "(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{60,}",
    "ATATT3x": "[A-Za-z0-9_=-]{40,}",
    "EAAC": "[A-Za-z0-9]{60,}",
    "GOCSPX-": "[A-Za-z0-9_-]{20,}",
    "NRAK-": "[A-Z0-9]{27}",
    "PMAK-": "[0-9a-f]{24}-[0-9a-f]{34}",
    "dapi": "[0-9a-f]{32}",
    "dckr_pat_": "[A-Za-z0-9_-]{20,}",
    "dop_v1_": "[0-9a-f]{64}",
    "dp.": "(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,}",
    "figd_": "[A-Za-z0-9_-]{40,}",
    "github_pat_": "[A-Za-z0-9_]{22,}",
    "glsa_": "[A-Za-z0-9_]{32,}",
    "gsk_": "[A-Za-z0-9]{40,}",
    "hf_": "[A-Za-z0-9]{30,}",
    "hvs.": "[A-Za-z0-9_-]{24,}",
    "key-": "[0-9a-f]{32}(?![A-Za-z0-9])",
    "lin_api_": "[A-Za-z0-9]{32,}",
    "npm_": "[A-Za-z0-9]{36}",
    "nvapi-": "[A-Za-z0-9_-]{40,}",
    "ops_eyJ": "[A-Za-z0-9_=-]{40,}",
    "pplx-": "[A-Za-z0-9]{40,}",
    "pul-": "[0-9a-f]{40}(?![A-Za-z0-9])",
    "rubygems_": "[0-9a-f]{48}",
    "sbp_": "[0-9a-f]{40}",
    "shp": "(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    "sk-": "(?=[A-Za-z0-9_-]{0,64}(?:[A-Za-z][0-9]|[0-9][A-Za-z]))"
    "(?:[a-z0-9]{2,10}-){0,2}[A-Za-z0-9_-]{0,8}(?<![-_])[A-Za-z0-9]{12}[A-Za-z0-9_-]{4,}",
    "sk_test_": "[A-Za-z0-9]{16,}",
    "rk_test_": "[A-Za-z0-9]{16,}",
    "sntrys_": "[A-Za-z0-9+/=_-]{40,}",
    "tskey-": "[a-z]{3,9}-[A-Za-z0-9-]{16,}",
    "whsec_": "[A-Za-z0-9+/=]{24,}",
    "xai-": "[A-Za-z0-9]{60,}",
    "xapp-": "[0-9]-[A-Za-z0-9-]{16,}",
    "xkeysib-": "[0-9a-f]{48,}",
    "xoxe": "(?:\\.xox[bp])?-[A-Za-z0-9-]{16,}",
    "ya29.": "[A-Za-z0-9_-]{20,}",
}


def _from_word_start(literal: str, rest: str = "") -> re.Pattern[str]:
    """A pattern that keeps its literal prefix (fast), yet starts no match inside a word."""
    literal = re.escape(literal)
    return re.compile(f"{literal}(?<![A-Za-z0-9]{literal}){rest}")


_OWN_PATTERNS = tuple((literal, _from_word_start(literal, rest)) for literal, rest in _OWN.items())
# No shape is longer, but a token may be: it is followed to the end of its run.
SHAPE_LIMIT = 2_048
_TOKEN_RUN = re.compile(r"[A-Za-z0-9_-]*")
_JWT_RUN = re.compile(r"[A-Za-z0-9_=.-]*")
_JWT_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_=-"
_AWS_PAIR = re.compile(r"[^A-Za-z0-9/+]([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")


@cache
def _detector(name: str) -> tuple[re.Pattern[str], ...]:
    """The patterns of one detector; loaded late, for detect-secrets takes 0.1 s to import."""
    module, _, detector = name.partition(".")
    return tuple(getattr(import_module(f"detect_secrets.plugins.{module}"), detector).denylist)


def _shapes(text: str) -> Iterator[Span]:
    for literal, (leads, detector) in _LIBRARY.items():
        if literal in text:
            yield from _by_library(text, re.compile(re.escape(literal)), leads, detector)
    for literal, pattern, leads, detector in _LIBRARY_BY_PATTERN:
        if literal in text:
            yield from _by_library(text, pattern, leads, detector)
    for literal, pattern in _OWN_PATTERNS:
        if literal in text:
            for found in pattern.finditer(text):
                yield found.start(), _run_end(_TOKEN_RUN, text, found.end())
    if ".eyJ" in text:
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
            if start < done or (start and text[start - 1].isalnum()):
                continue
            for pattern in _detector(detector):
                if found := pattern.match(text, start, start + SHAPE_LIMIT):
                    done = _run_end(_TOKEN_RUN, text, found.end())
                    yield start, done
                    if detector == "aws.AWSKeyDetector":
                        yield from _aws_pair(text, done)
                    break


def _aws_pair(text: str, at: int) -> Iterator[Span]:
    """The secret that is pasted beside its key id: 40 characters, its own shape is none."""
    for found in _AWS_PAIR.finditer(text, at, at + 200):
        if re.search("[a-z]", found[1]) and re.search("[G-Z/+]", found[1]):
            yield found.span(1)


def _jwts(text: str) -> Iterator[Span]:
    """JSON Web Tokens (RFC 7519): both header and claims are JSON objects, hence ``eyJ``."""
    done, at = 0, text.find(".eyJ")
    while at >= 0:
        before = text[max(done, at - SHAPE_LIMIT) : at]
        header = before[len(before.rstrip(_JWT_LETTERS)) :]
        first = header.find("eyJ")
        if first >= 0 and len(header) - first >= 12:
            done = _run_end(_JWT_RUN, text, at)
            yield at - len(header) + first, done
        at = text.find(".eyJ", max(done, at + 4))


# --- places ----------------------------------------------------------------------------

# RFC 3986, 3.2.1: user information. An unescaped @ in the password is forgiven.
_USERINFO = re.compile(r"://[^\s/?#@:\"'<>`\[\]]{0,128}:([^\s/?#\"'<>`]{1,256})@(?=[\w\[$%{.-])")
_USER_ONLY = re.compile(r"://([A-Za-z0-9_-]{20,255})@(?=[\w\[])")
_WEBHOOKS = {
    "hooks.slack.com/": r"(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{16,512})",
    "/api/webhooks/": r"(\d{5,25}/[A-Za-z0-9_-]{20,512})",
    "hooks.zapier.com/": r"hooks/catch/([\w/-]{6,512})",
    "webhook.office.com/": r"webhookb2/([^\s\"'<>`]{16,1024})",
    "api.telegram.org/bot": r"([0-9]{6,12}:[A-Za-z0-9_-]{20,64})",
}
_WEBHOOK_PATTERNS = tuple((w, re.compile(re.escape(w) + rest)) for w, rest in _WEBHOOKS.items())
# Parameters whose names say nothing elsewhere, but do in a query.
_QUERY = re.compile(
    r"[?&](?:key|code|sig|hmac|sid|jwt|session(?:_?id)?|signature|x-(?:amz|goog)-"
    r"(?:signature|credential|security-token))=([^&\s\"'<>`#)\]]{8,2048})"
)


def _in_urls(text: str, low: str) -> Iterator[Span]:
    for found in _USERINFO.finditer(text):
        if not _stands_for_a_value(found[1]):
            yield found.span(1)
    for found in _USER_ONLY.finditer(text):
        if _looks_random(found[1], 20):
            yield found.span(1)
    for literal, pattern in _WEBHOOK_PATTERNS:
        if literal in low:
            for found in pattern.finditer(text):
                yield found.span(1)
    for found in _QUERY.finditer(low):
        if _looks_random(text[slice(*found.span(1))], 12):
            yield found.span(1)


_AUTHORIZATION = re.compile(
    r"authorization[\"'`\\\]]{0,3}[ \t]{0,8}[:=,][ \t]{0,8}\\?[\"'`]?[ \t]?"
    r"(?:(?:basic|bearer|token|apikey|bot|negotiate|ntlm)[ \t]{1,8}([^\s\"'`<>,;)\\]{6,4096})"
    r"|(?:digest|aws4-hmac-sha256|hawk)[ \t]{1,8}([^\n`]{8,2048})"
    r"|([^\s\"'`<>,;)\\]{12,4096}))"
)
_BEARER = re.compile(r"bearer[ \t]{1,8}([a-z0-9._~+/=-]{12,4096})")
_COOKIE = re.compile(r"cookie2?[\"'`\\]{0,2}[ \t]{0,4}[:=][ \t]{0,4}([^\n\"'`]{3,4096})")
_COOKIE_PAIR = re.compile(r"([^\s=;,:]{1,64})=([^;\s\"'\\]{1,4096})")
_SECRET_COOKIE = re.compile(r"sess|sid$|auth|token|jwt|csrf|xsrf|secret|remember|login|^connect\.")
_COOKIE_ATTRIBUTE = frozenset({"expires", "max-age", "domain", "path", "samesite", "version"})


def _in_headers(text: str, low: str) -> Iterator[Span]:
    if "authorization" in low:
        for found in _AUTHORIZATION.finditer(low):
            start, end = found.span(found.lastindex or 0)
            value, bare = text[start:end], found.lastindex == 3
            if not _stands_for_a_value(value) and (
                _looks_random(value, 16) if bare else not value.islower() or len(value) > 20
            ):
                yield start, end
    if "bearer" in low:
        for found in _BEARER.finditer(low):
            if _looks_random(text[slice(*found.span(1))], 12):
                yield found.span(1)
    if "cookie" in low:
        for header in _COOKIE.finditer(low):
            for pair in _COOKIE_PAIR.finditer(low, *header.span(1)):
                value = text[slice(*pair.span(2))]
                if pair[1] in _COOKIE_ATTRIBUTE or _stands_for_a_value(value):
                    continue
                if _SECRET_COOKIE.search(pair[1]) or _looks_random(value, 16):
                    yield pair.span(2)


# Secrets that a command takes without a name before them.
_COMMANDS = {
    "curl": r"curl[^\n]{0,300}?[ \t](?:-u|--user)[ =]{0,2}[\"']?[^\s:\"'$]{0,64}:([^\s\"']{1,256})",
    "mysql": r"mysql(?:dump|admin)?[ \t][^\n|;]{0,200}?[ \t]-p([^\s\"'|;]{3,256}|[\"'][^\"'\n]{1,256})",
    "sshpass": r"sshpass[ \t]{1,4}-p[ \t]{0,4}[\"']?([^\s\"']{1,256})",
    "login ": r"login[ \t]{1,8}\S{1,128}[ \t\n]{1,8}password[ \t]{1,8}(\S{1,256})",
    "identified ": r"identified[ \t]{1,8}by[ \t]{1,8}[\"']([^\"'\n]{1,256})",
    "with password": r"with[ \t]{1,8}password[ \t]{1,8}[\"']([^\"'\n]{1,256})",
    "--": r"--(?:[a-z]{1,20}-)?(?:pass(?:word|wd|phrase)?|secret|(?:api-?)?token|api-?key|"
    r"(?:secret|access|private|auth)-key)[ \t]{1,4}([^\s\"'-][^\s\"']{5,512}|[\"'][^\"'\n]{6,512})",
}
_COMMAND_PATTERNS = tuple((word, re.compile(rest)) for word, rest in _COMMANDS.items())


def _in_commands(text: str, low: str) -> Iterator[Span]:
    for word, pattern in _COMMAND_PATTERNS:
        if word in low:
            for found in pattern.finditer(low):
                start, end = found.span(1)
                start += text[start] in "\"'"
                value = text[start:end]
                if not _stands_for_a_value(value) and (word != "--" or _looks_random(value, 6)):
                    yield start, end


# --- names -----------------------------------------------------------------------------

_NAME_STEMS = ("pass", "pwd", "secret", "token", "key", "auth", "credential", "contrase", "clave")
# The rest of the name, what closes it ("…"], **…**), a type, and the sign that gives it
# its value: = := => ?= : == != and ${NAME:-value}.
_ASSIGNED = (
    r"[\w-]{0,40}(?:\[\d{0,4}\])?[\"'`\\\]*]{0,4}[ \t]{0,8}"
    r"(?:(?:string|str)[ \t]{1,4})?"
    r"(?::[ \t]{0,4}[a-z&][\w\[\]., |?&<>*']{0,40}?[ \t]{0,4}=(?![=>])"
    r"|[:?|]?={1,3}>?|!={1,2}|:-?|>|[ \t](?:is|es)[ \t]:?)\*{0,2}"
)
_NAMES = tuple((stem, re.compile(stem + _ASSIGNED)) for stem in _NAME_STEMS)
_VALUE = re.compile(
    r"(?P<gap>[ \t]{0,16}(?:\n[ \t]{0,64}(?=\\?[\"'`]))?)"
    r"(?:[|>][-+]?[ \t]*\n(?P<indent>[ \t]+)(?P<block>\S[^\n]*(?:\n(?P=indent)[^\n]*)*)"
    r"|(?:[@$brfuBRFUL]{1,2}(?=[\"'`]))?(?P<quote>\"\"\"|'''|\\?[\"'`])"
    r"(?P<quoted>(?:(?!(?P=quote))(?:\\.|[^\\\n])){1,2000})"
    r"|(?P<bare>[^\s\"'`]{1,1000}))"
)
VALUE_LIMIT = 4_096
_REST = re.compile(r"[^\s\"'`,;&)}\]<>|]*")
NAME_LIMIT = 64
_NAME_BEFORE = re.compile(r"[\w.-]*\Z")
_WORDS = re.compile(r"[A-Z]+(?![a-zñ])|[A-Z]?[a-zñ]+|\d+")
_STRONG = re.compile(r"passw(?:or)?d|passphrase|passcode|passwort|pwd$|secret$|contrase|^pass$")
_WEAK = re.compile(
    r"token$|apikey$|(?:access|auth|private|secret)key$|credentials?$|^auth$|^clave$"
)
_KEY_OF = frozenset(
    [
        "access",
        "account",
        "admin",
        "api",
        "app",
        "auth",
        "client",
        "db",
        "deploy",
        "encrypt",
        "encryption",
        "hmac",
        "license",
        "master",
        "priv",
        "private",
        "root",
        "secret",
        "service",
        "session",
        "shared",
        "sign",
        "signing",
        "ssh",
        "storage",
        "webhook",
    ]
)
# Words after the secret's name that make it something about the secret.
_ABOUT = frozenset(
    [
        "address",
        "age",
        "alg",
        "algorithm",
        "arn",
        "at",
        "attempts",
        "balance",
        "bucket",
        "budget",
        "changed",
        "class",
        "column",
        "count",
        "counts",
        "date",
        "description",
        "dir",
        "embedding",
        "embeddings",
        "enabled",
        "encoder",
        "endpoint",
        "error",
        "errors",
        "expiration",
        "expires",
        "expiry",
        "field",
        "fields",
        "file",
        "filename",
        "files",
        "form",
        "format",
        "header",
        "help",
        "hint",
        "id",
        "ids",
        "index",
        "input",
        "issuer",
        "kind",
        "label",
        "length",
        "len",
        "limit",
        "limits",
        "list",
        "loader",
        "manager",
        "map",
        "max",
        "message",
        "min",
        "mode",
        "msg",
        "name",
        "names",
        "parser",
        "path",
        "pattern",
        "placeholder",
        "policy",
        "position",
        "prefix",
        "price",
        "prompt",
        "provider",
        "ref",
        "regex",
        "required",
        "reset",
        "rotation",
        "scope",
        "scopes",
        "size",
        "source",
        "state",
        "status",
        "store",
        "stream",
        "suffix",
        "symbol",
        "title",
        "ttl",
        "type",
        "types",
        "uri",
        "url",
        "usage",
        "used",
        "valid",
        "validation",
        "validator",
        "var",
        "version",
    ]
)
# Words before "token" that make it a word of a language or of a page.
_TOKEN_OF = frozenset(
    [
        "bos",
        "cancellation",
        "class",
        "cls",
        "continuation",
        "current",
        "end",
        "eos",
        "first",
        "input",
        "last",
        "lookahead",
        "mask",
        "max",
        "min",
        "next",
        "num",
        "output",
        "pad",
        "page",
        "peek",
        "per",
        "prev",
        "previous",
        "sep",
        "special",
        "start",
        "stop",
        "total",
        "unk",
    ]
)


def _named(text: str, low: str) -> Iterator[Span]:
    for stem, pattern in _NAMES:
        done = 0
        if stem not in low:
            continue
        for found in pattern.finditer(low):
            if found.start() < done:
                continue
            if span := _named_value(text, found.start(), found.end()):
                done = span[1]
                yield span


def _named_value(text: str, at: int, after: int) -> Span | None:
    """The secret that follows the name around `at`, if the name and the value both say so."""
    back = max(0, at - NAME_LIMIT)
    before = _NAME_BEFORE.search(text, back, at)
    start = before.start() if before else at
    tail = re.match(r"[\w-]*", text[at:after])
    name = text[start : at + (tail.end() if tail else 0)]
    strength = _strength(name)
    sign = text[start + len(name) : after].strip(" \t\"'`\\]*")
    left = text[start - 1 : start]
    if not strength or (sign == ">" and left != "<"):
        return None
    value = _VALUE.match(text, after, after + VALUE_LIMIT)
    if not value:
        return None
    if value["block"]:
        return value.span("block")
    if value["quoted"]:
        span = value.span("quoted")
        return span if _secret_in_quotes(value["quoted"], name, strength) else None
    span = _bare_span(text, value.start("bare"), value.end("bare"), name, left)
    if not _secret_bare(text, span, name, strength, sign, left, value["gap"]):
        return None
    return (span[0], _run_end(_REST, text, span[1])) if span[1] == value.end("bare") else span


def _strength(name: str) -> str:
    """Whether a name names a secret: "strong" (a password), "weak" (a token or key), or ""."""
    words = [word.lower() for word in _WORDS.findall(name)]
    for i, word in enumerate(words):
        strength = ""
        if _STRONG.search(word):
            strength = "strong"
        elif word == "key":
            strength = "weak" if i and words[i - 1] in _KEY_OF else ""
        elif _WEAK.search(word):
            strength = "" if i and word == "token" and words[i - 1] in _TOKEN_OF else "weak"
        if strength:
            return "" if _ABOUT.intersection(words[i + 1 :]) else strength
    return ""


def _bare_span(text: str, start: int, end: int, name: str, left: str) -> Span:
    """Where a value without quotes ends: a shell takes all but blanks, a query up to its &."""
    value = text[start:end]
    if left in ("?", "&"):
        stop = re.search(r"[&#)\]<>]", value)
    elif left != "<" and name.isupper():
        return start, start + len(value.rstrip("),;.:}]&|"))
    else:
        stop = re.search(r"[,;&)}\]<>|]", value)
    cut = start + stop.start() if stop else end
    return start, start + len(text[start:cut].rstrip(".:"))


# A value that stands for one: a variable, a mask, a YAML tag, "your-key-here".
_REFERENCE = re.compile(
    r"\$(?![0-9]{0,2}[a-z0-9-]{0,10}\$)(?=[\w{(\[])|[%!]\w+[%!)]?(?:s|d)?$|%[({]|[{<@!&*]+[\w{<(]"
    r"|[^A-Za-z0-9]+$|[xX*•.…_#?-]+$|your?[-_ ]|[\w.-]{0,40}\.{3}$"
)
# Without quotes also: an attribute of what holds settings, a call, an index, a path of names.
_CODE = re.compile(
    r"(?:process|os|env|sys|cfg|config|settings|self|this|secrets?|vars?|local|data|args?|argv|opts"
    r"|options|params?|props|req|request|res|response|ctx|context|body|form|row|user|vault|ssm"
    r"|state|input|event|import\.meta|[a-z])(?:\.|->|\?\.)[A-Za-z_]"
    r"|[\w.:>?!-]{0,80}[(\[{]|[\w.]{1,80}(?:->|::|=>)"
)
_TEMPLATE = re.compile(
    r"\$\{|\{\{|\$\(|%\(|<%|\{\w{0,40}\}|<[\w ._-]{1,60}>|" + re.escape(PLACEHOLDER[:-1])
)
_PATH_OR_URL = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?[/\\](?![A-Za-z0-9+/]{32,}={0,2}$)[\w.@/\\-]*$|[a-z][a-z0-9+.-]{1,20}://"
    r"|[\w./\\-]{1,200}\.(?:pem|key|crt|json|ya?ml|txt|py|js|ts|go|rs|md|env|toml|ini|cfg|sh|php)$"
)
_DATE_OR_ALGORITHM = re.compile(
    r"\d{4}-\d\d(?:-\d\d|$)|(?:sha|md|hs|rs|es|ps|utf|base|bcrypt|argon|pbkdf|scrypt|oauth|aes|rsa"
    r"|ed|ecdsa|hmac|http|ipv|int|uint|float|u|i|f|str|v)[-_]?\d{1,4}(?![0-9A-Za-z])"
)
_CODE_NAME = re.compile(r"[A-Za-zñ_$][a-zA-Zñ_]*(?:[.-][A-Za-zñ_]+)*_?v?\d{0,2}$|[A-Z_]+(?:_\d+)?$")
_NAME_IN_VALUE = re.compile(
    r"pass|pwd|secret|token|key|auth|cred|contrase|clave|hash", re.IGNORECASE
)
_WORD_LIST = re.compile(r"[a-z]+(?:[-_.:/][a-z]+)+[-_.]?v?\d{0,2}$")
# Words that a schema, a form or a sentence puts where a secret could be.
_PLAIN_WORDS = frozenset(
    [
        "admin",
        "any",
        "array",
        "boolean",
        "bool",
        "buffer",
        "bytes",
        "changed",
        "char",
        "default",
        "disabled",
        "dummy",
        "empty",
        "enabled",
        "example",
        "false",
        "foobar",
        "hidden",
        "inherit",
        "input",
        "int",
        "integer",
        "invalid",
        "literal",
        "masked",
        "missing",
        "nil",
        "no",
        "none",
        "null",
        "number",
        "object",
        "off",
        "omit",
        "on",
        "optional",
        "password",
        "placeholder",
        "plain",
        "prompt",
        "redacted",
        "required",
        "sample",
        "secret",
        "static",
        "str",
        "string",
        "test",
        "text",
        "token",
        "true",
        "type",
        "undefined",
        "unset",
        "user",
        "username",
        "value",
        "varchar",
        "void",
        "yes",
    ]
)
_PROSE = re.compile(
    r"\b(?:required|must|your|enter|invalid|forgot|min:|max:|is|not|the|at least)\b"
)


def _stands_for_a_value(value: str) -> bool:
    return (
        _REFERENCE.match(value) is not None
        or _TEMPLATE.search(value) is not None
        or value.strip("\"'.,:;!?").lower() in _PLAIN_WORDS
    )


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
        and not _WORD_LIST.match(value.lower())
    )


def _secret_in_quotes(value: str, name: str, strength: str) -> bool:
    value = value.strip()
    if len(value) < 4 or _stands_for_a_value(value) or _PATH_OR_URL.match(value):
        return False
    if strength == "weak":
        return _looks_random(value, 8) or (len(value) >= 20 and value.isalnum())
    if re.search(r"\s", value):
        label = value[0].isupper() or value[-1] in "?!.:…" or _NAME_IN_VALUE.search(value)
        return name.isupper() or not (label or _PROSE.search(value.lower()))
    if _NAME_IN_VALUE.search(value) and re.fullmatch(r"[A-Za-zñ_.:|-]+\d?", value):
        return False
    lasting = name.lower().rstrip("_0123456789").endswith(("secret", "pass"))
    return not (lasting and _WORD_LIST.match(value))


def _secret_bare(
    text: str, span: Span, name: str, strength: str, sign: str, left: str, gap: str
) -> bool:
    value, after = text[slice(*span)], text[span[1] : span[1] + 1]
    in_query = left in ("?", "&")
    in_shell = sign in ("=", ":-") and not gap and (name.isupper() or in_query)
    if len(value) < 4 or _stands_for_a_value(value) or _PATH_OR_URL.match(value):
        return False
    if sign == ">":
        return text.startswith("</", span[1])
    if not in_query and (_CODE.match(value) or after in ("(", "[")):
        return False
    if strength == "weak":
        return _looks_random(value, 8) and (in_shell or not _CODE_NAME.match(value))
    if in_shell:
        return True
    if _CODE_NAME.match(value) and _NAME_IN_VALUE.search(value):
        return False
    if sign in ("is", "es") or name.lower().endswith(("secret", "_pass")) or name.lower() == "pass":
        return _looks_random(value, 6)
    return _password_bare(text, span, name, sign, gap)


def _password_bare(text: str, span: Span, name: str, sign: str, gap: str) -> bool:
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
    if sign == "=" and not gap:
        return text[end : end + 1] not in (",", ")", ".")
    line = text[max(0, start - 200) : start].rpartition("\n")[2]
    in_config = line.strip(" \t-") == f"{name}{sign}"
    return sign == ":" and in_config and not rest and value.islower()
