"""Redaction: what must go, what must stay, and that doing it twice changes nothing.

The secrets are invented and joined from parts, so that no scanner takes this file for a
leak.
"""

import socket
import subprocess
import sys
import time
from base64 import b64encode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jezero_hooks.importers.redaction import PLACEHOLDER, redact

HEX = "0123456789abcdef" * 8
MIXED = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4Y5z6" * 3
BASE64_LINE = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkwYWJjZGVmZ2hpamtsbW5v\n"
GITHUB = "gh" + "p_" + MIXED[:36]
JWT = "ey" + "JhbGciOiJIUzI1NiJ9" + "." + "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0" + "." + MIXED[:43]
BEGIN, END = "-----BEG" + "IN ", "-----E" + "ND "
RSA = "RSA PRIV" + "ATE KEY-----"
OPENSSH = "OPENSSH PRIV" + "ATE KEY-----"
PGP = "PGP PRIV" + "ATE KEY BLOCK-----"

# (text, the secret in it): the secret goes, all else stays.
BY_SHAPE = [
    GITHUB,
    "gh" + "o_" + MIXED[:36],
    "gh" + "s_" + MIXED[:36],
    "github" + "_pat_" + MIXED[:22] + "_" + MIXED[:59],
    "gl" + "pat-" + MIXED[:20],
    "gl" + "rt-" + MIXED[:20],
    "AK" + "IA" + "IOSFODNN7QRSTUVW",
    "AS" + "IA" + "IOSFODNN7QRSTUVW",
    "xo" + "xb-" + "123456789012-1234567890123-" + MIXED[:24].lower(),
    "xa" + "pp-" + "1-A012ABCDEF-1234567890123-" + HEX[:32],
    "sk_" + "live_" + MIXED[:24],
    "rk_" + "live_" + MIXED[:24],
    "sk_" + "test_" + MIXED[:24],
    "wh" + "sec_" + MIXED[:32],
    "sk-" + MIXED[:48],
    "sk-" + "proj-" + MIXED[:20] + "_-" + MIXED[:60],
    "sk-" + "ant-api03-" + MIXED[:40] + "_-" + MIXED[:50] + "AA",
    "sk-" + "or-v1-" + HEX[:64],
    "np" + "m_" + MIXED[:36],
    "py" + "pi-AgEIcHlwaS5vcmc" + MIXED[:80],
    "AI" + "za" + MIXED[:35],
    "ya" + "29." + MIXED[:60],
    "GOC" + "SPX-" + MIXED[:28],
    "S" + "G." + MIXED[:22] + "." + MIXED[:43],
    "A" + "C" + HEX[:32],
    "S" + "K" + HEX[:32],
    HEX[:32] + "-us" + "12",
    "1234567890" + ":AA" + MIXED[:33],
    "M" + MIXED[:23] + ".G1a2B3." + MIXED[:27],
    JWT,
    "h" + "f_" + "abcdefghijklmnopQRSTUVWXYZabcdefgh",
    "dop" + "_v1_" + HEX[:64],
    "shp" + "at_" + HEX[:32],
    "hv" + "s." + MIXED[:24],
    "dckr" + "_pat_" + MIXED[:27],
    "gs" + "k_" + MIXED[:52],
    "sq0" + "csp-" + MIXED[:43],
    "tsk" + "ey-auth-" + MIXED[:30],
    "AGE-SECRET" + "-KEY-1" + MIXED[:58].upper(),
]

# RD-02, to the letter: what stands there, the secret, and what must be kept.
BY_PLACE = [
    (
        "postgresql://svc:hunter2Secret@db.example.test:5432/app",
        "hunter2Secret",
        "db.example.test",
    ),
    ("redis://:onlyPass9x@cache.example.test/0", "onlyPass9x", "cache.example.test"),
    (
        "https://api.example.test/v1?api_key=A1b2C3d4E5f6G7&page=2",
        "A1b2C3d4E5f6G7",
        "page=2",
    ),
    (
        "Authorization: Basic c3ZjOmh1bnRlcjJTZWNyZXQ=",
        "c3ZjOmh1bnRlcjJTZWNyZXQ=",
        "Authorization: Basic ",
    ),
    ("curl -H 'X-Api-Key: 8f3a91bc44de27105ffe'", "8f3a91bc44de27105ffe", "X-Api-Key"),
    (
        "Cookie: session=abc.DEF_ghi-123456789; theme=dark",
        "abc.DEF_ghi-123456789",
        "theme=dark",
    ),
    ("export DB_PASSWORD='correct horse battery'", "correct horse battery", "DB_PASSWORD"),
    ('{"client_secret": "zZ9-yY8-xX7-wW6"}', "zZ9-yY8-xX7-wW6", "client_secret"),
    ("https://u:p%40ss%2Fw0rd@host.example.test/x", "p%40ss%2Fw0rd", "host.example.test/x"),
]

# (before, secret, after)
IN_PLACE = [
    # URLs
    ("mysql://root:", "pa$$w0rd@x", "@db:3306/shop"),
    ("mongodb+srv://app:", "Zk4!uu", "@cluster0.example.test/?retryWrites=true"),
    ("git clone https://", HEX[:40], "@github.test/a/b.git"),
    ("https://x.test/cb?code=", MIXED[:40], "&state=1"),
    ("https://x.test/a?key=", MIXED[:30], ""),
    ("https://x.test/f?sv=2020&sig=", "Ab1%2Bcd34Ef56Gh78%3D", "&se=2026"),
    ("wss://x.test/ws?access_token=", MIXED[:20], "#frag"),
    ("https://hooks.sl" + "ack.com/services/", "T00000000/B00000000/" + MIXED[:24], " ok"),
    ("https://disc" + "ord.com/api/webhooks/", "123456789012345678/" + MIXED[:68], ""),
    # headers
    ("Authorization: Bearer ", MIXED[:40], ""),
    ('"Authorization": "token ', MIXED[:30], '",'),
    ("-H 'authorization: ", MIXED[:30], "'"),
    ("Proxy-Authorization: Basic ", "dXNlcjpwYXNzd29yZA==", "\r\nHost: x"),
    ("uses bearer ", MIXED[:30], " in the header"),
    ("Set-Cookie: sid=", "s%3Aabc123", "; Path=/; HttpOnly; Max-Age=3600"),
    ("X-Auth-Token: ", "9a8b7c6d5e4f", ""),
    # shells and env files
    ("export API_TOKEN=", "abcd1234efgh", " && make"),
    ("DB_PASS=", "hunter", "\nDB_HOST=localhost"),
    ("AWS_SECRET_ACCESS_KEY=", "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "0123456789", ""),
    ("docker run -e MYSQL_ROOT_PASSWORD=", "toor!;x", " mysql:8"),
    ("PGPASSWORD=", "s3cr3t,word", " psql -U app"),
    ("echo ${DB_PASSWORD:-", "hunter2x", "}"),
    ("curl -u svc:", "hunter2Secret", " https://x.test"),
    ("mysql -u root -p", "Hunter22", " shop"),
    ("mysqldump --password=", "Hunter22", " shop"),
    ("mysql -p", "Hunter22", " -u root"),
    ("docker login -u me -p ", "Hunter22", ""),
    ("redis-cli -a ", "Hunter22", " ping"),
    ("password=", "Tr0ub4dor&3", ""),
    ("user=a&password=", "Tr0ub4dor", "&next=b"),
    ("sshpass -p '", "Hunter22", "' ssh box"),
    ("login --password ", "Hunter22", " --user me"),
    ('vault --token "', "a1b2c3d4e5", '"'),
    ("machine x.test login me password ", "hunter", ""),
    # code and config
    ('password = "', "hunter2", '"'),
    ("const apiKey = '", MIXED[:24], "';"),
    ('"dbPassword" : "', 'p@ss with \\"quotes\\"', '",'),
    ('{\\"client_secret\\": \\"', "zZ9-yY8-xX7", '\\"}'),
    ('{"private_key":\n    "', MIXED[:24], '"}'),
    ("password: ", "hunter2", "  # for staging"),
    ("  db_password: ", "hunter", "\n  db_host: x"),
    ("token: |\n  ", "a1b2c3d4\n  e5f6a7b8", "\nname: x"),
    ("spring.datasource.password=", "hunter", "\nspring.x=1"),
    ('config["secret_key"] = "', "django-insecure-4x!9", '"'),
    ('password: str = "', "hunter22", '"'),
    ('char password[] = "', "hunter22", '";'),
    ('if (password == "', "hunter22", '") {'),
    ("<password>", "hunter22", "</password>"),
    ("Server=db;User Id=sa;Password=", "Hunter22", ";Encrypt=true"),
    (
        "AccountName=x;AccountKey=",
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq==",
        "",
    ),
    ("//registry.test/:_authToken=", "0b1c2d3e4f5a", ""),
    ("ALTER USER app WITH PASSWORD '", "hunter", "';"),
    # prose
    ("the password is ", "hunter2Secret", ", please rotate it"),
    ("API key: ", "8f3a91bc44de27105ffe", ""),
    ("la contraseña: ", "Hola.2024x", " y luego entras"),
    ("usa “", GITHUB, "”."),
    ("AWS: " + PLACEHOLDER + " ", JWT, " end"),
]

STAY = [
    # what a search needs
    "fixed in 3f786850e387550fdab836ed7e6dc881de23001b, see 3f78685",
    "sha256:" + HEX[:64],
    "token 550e8400-e29b-41d4-a716-446655440000 was logged",
    "commit da39a3ee5e6b4b0d3255bfef95601890afd80709\nAuthor: A <a@example.test>",
    "1700000000:" + HEX[:40],
    "/home/dev/projects/orion/src/auth/token_store.py:42",
    "C:\\Users\\dev\\secrets\\token.txt",
    "theme=dark",
    "https://example.test/list?page=2&sort=name#top",
    "http://localhost:8080/@scope/pkg?x=a@b",
    "git@github.test:org/repo.git",
    "https://git@github.test/org/repo.git",
    "db.example.test",
    # prose
    "the token is refreshed every hour",
    "password: see the vault",
    "The password is wrong, ask for a new secret.",
    "the password is required and is hashed with sha256",
    "API key: required",
    "Basic auth is on; the Authorization header: see the docs",
    "Authorization: Basic authentication is used",
    "we keep a secret: nobody tests on Friday",
    "a bearer token goes into the header",
    "Bearer authentication-middleware",
    "tests pass: 1234, fail: 0",
    "La clave es escribir pruebas; la contraseña es obligatoria",
    "keys: a, b; primary key: id; key = value",
    "ssh/login style password requests",
    "the cookie: how it is set",
    "rename -----BEGIN " + "PRIVATE KEY----- and -----END " + "PRIVATE KEY----- markers",
    # code
    "token_count = 4096",
    "max_tokens: 8192",
    "const maxTokens = 8192, tokenLimit = 100",
    "next_token = 'abc12345'",
    'password = os.environ["X"]',
    "password = os.getenv('DB_PASSWORD')",
    "getPassword()",
    "password = getPassword(user)",
    "const token = await getToken();",
    "self.token = token",
    "password: string;",
    "def login(user: str, password: str) -> Token:",
    "function f({ password, token }: { password: string; token: string }) {}",
    "connect(user=user, password=password)",
    "connect(password=db_password2, token=token2)",
    "password: user.password,",
    "password: Optional[str] = None",
    "password = settings.DB_PASSWORD",
    "api_key: ${{ secrets.API_KEY }}",
    "API_KEY=$API_KEY ./run",
    'curl -H "Authorization: Bearer $TOKEN" https://x.test',
    'headers = {"Authorization": f"Bearer {token}"}',
    "Authorization: Bearer <token>",
    "postgres://user:${DB_PASSWORD}@db/app",
    "postgres://user:<password>@db/app",
    "DB_PASSWORD=********",
    "DB_PASSWORD=",
    'api_key = "your-api-key-here"',
    '"password": "Password"',
    '"forgot_password": "Forgot your password?"',
    "'password' => 'required|min:8'",
    '<input type="password" name="password" autocomplete="new-password">',
    '<label for="password">Password</label>',
    "secretName: regcred",
    "secret: db-credentials",
    "token_url: https://auth.example.test/oauth/token",
    "private_key_path = '/etc/ssl/private/server.key'",
    "SSH_KEY=~/.ssh/id_ed25519",
    "PWD=/home/dev/orion",
    "password_hash_algorithm = bcrypt",
    "tokenizer: trigram",
    "tokens = lexer.tokens[3]",
    "token: IDENT",
    "deploy --token ./run/token-1b",
    'token: "refresh-token-v2"',
    "password_hashing = 'sha256'",
    "auth_token_kind: x, auth: 'oauth2_client'",
    "signing_key = 'HS256-2048'",
    "if token == 'Bearer':",
    "keyword = 'select1234'",
    "monkey: banana42x",
    "author: someone2000",
    "generate a PRIVATE KEY first",
    "compass = 'north-west-2024'",
    ".sk-fading-circle-12 { color: red }",
    "pip install sk-learn-contrib-something-2",
    "risk-a1b2c3d4e5f6g7h8i9j0k1l2",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "docker run -u 1000:1000 node:20",
    "curl -u $USER:$PASS https://x.test",
    "x" * 200 + "=" * 50,
    "",
]


@pytest.mark.parametrize("secret", BY_SHAPE)
@pytest.mark.parametrize(
    ("before", "after"),
    [("", ""), ("usa ", " para ello"), ("(`", "`)."), ("密钥", "。"), ("é\n", "\n")],
)
def test_a_known_shape_goes_wherever_it_stands(secret: str, before: str, after: str) -> None:
    assert redact(before + secret + after) == (before + PLACEHOLDER + after, 1)


@pytest.mark.parametrize(("text", "secret", "kept"), BY_PLACE)
def test_a_secret_given_away_by_its_place_goes(text: str, secret: str, kept: str) -> None:
    clean, count = redact(text)
    assert (secret in clean, kept in clean, count) == (False, True, 1)
    assert clean == text.replace(secret, PLACEHOLDER)


@pytest.mark.parametrize(("before", "secret", "after"), IN_PLACE)
def test_only_the_secret_goes(before: str, secret: str, after: str) -> None:
    assert redact(before + secret + after) == (before + PLACEHOLDER + after, 1)


@pytest.mark.parametrize("text", STAY)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == (text, 0)


@pytest.mark.parametrize("text", STAY)
def test_what_is_no_secret_stays_beside_one(text: str) -> None:
    assert redact(f"{text}\n{GITHUB}\n{text}") == (f"{text}\n{PLACEHOLDER}\n{text}", 1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"my key\n{BEGIN}{RSA}\n{BASE64_LINE * 20}{END}{RSA}\nthanks", ("my key", "thanks")),
        ("relleno " * 8190 + f"{BEGIN}{OPENSSH}\n{BASE64_LINE * 40}", ("relleno", OPENSSH)),
        (
            f"one line: {BEGIN}{PGP}\\nlQOYBGQUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo\\n{END}{PGP} end",
            (" end", "one line"),
        ),
        (f"{BEGIN}{RSA}\n{BASE64_LINE * 3}abcd12==\nthanks for it", ("thanks for it",)),
        (f"> {BEGIN}{RSA}\n> {BASE64_LINE}> {BASE64_LINE}\nsee above", ("see above",)),
        (f'"{BEGIN}{RSA}\\n{(BASE64_LINE[:-1] + chr(92) + "n") * 4}{END}{RSA}\\n"}}', ('\\n"}',)),
        (
            f"{BEGIN}{RSA}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{BASE64_LINE * 9}",
            (RSA,),
        ),
        (f"{BEGIN}{RSA}\n{BASE64_LINE}\n{BEGIN}{RSA}\n{BASE64_LINE}{END}{RSA}\nlast", ("last",)),
    ],
)
def test_rd01_private_keys_go_whole_or_cut(text: str, kept: tuple[str, ...]) -> None:
    clean, count = redact(text)
    assert count == text.count(BEGIN)
    assert "QUJDREVGR0hJ" not in clean
    assert "REVGR0hJ" not in clean
    assert all(words in clean for words in kept)


def test_a_token_goes_from_every_field_of_a_session() -> None:
    """RD-04, as far as texts go: a prompt, an answer, a title, what was cut out of JSON."""
    for text in (
        f"usa {GITHUB} para el despliegue del banner",
        f"`export GH_TOKEN={GITHUB}` listo",
        f"otra vez: “{GITHUB}”。",
        f"deploy banner with {GITHUB}",
        f'{{"prompt":"{GITHUB}',
    ):
        clean, count = redact(text)
        assert count == 1
        assert GITHUB[4:] not in clean
        assert clean == text.replace(GITHUB, PLACEHOLDER)


def test_every_secret_is_counted_once() -> None:
    text = f"a {GITHUB} b {JWT}\nDB_PASSWORD={GITHUB}\npassword = 'hunter2'"
    clean, count = redact(text)
    assert count == 4
    assert clean == (
        f"a {PLACEHOLDER} b {PLACEHOLDER}\nDB_PASSWORD={PLACEHOLDER}\npassword = '{PLACEHOLDER}'"
    )


def test_the_aws_secret_goes_with_its_key_id() -> None:
    text = "AK" + "IAIOSFODNN7QRSTUVW / " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "0123456789 ok"
    assert redact(text) == (f"{PLACEHOLDER} / {PLACEHOLDER} ok", 2)


def test_what_comes_near_once_another_is_gone_goes_too() -> None:
    """Each rule looks a bounded way: here the long header stands between curl and its -u."""
    text = f"curl -H 'Authorization: Bearer {MIXED * 4}' -u svc:hunter2Secret https://x.test"
    clean = f"curl -H 'Authorization: Bearer {PLACEHOLDER}' -u svc:{PLACEHOLDER} https://x.test"
    assert redact(text) == (clean, 2)


def test_letters_that_grow_in_lower_case_shift_nothing() -> None:
    assert redact("İİİİ password = 'hunter2' İ") == (f"İİİİ password = '{PLACEHOLDER}' İ", 1)


PIECES = [
    *BY_SHAPE[::4], *("".join(place) for place in IN_PLACE[::3]), *STAY[::5],
    *(text for text, _, _ in BY_PLACE), "password", "secret", "token", "=", ":", " ", "\n", '"',
    "'", "`", "\\", "@", "://", "?", "&", "<", ">", "/", "is ", "a1b2c3d4", "identified by '",
    PLACEHOLDER, PLACEHOLDER[:-1], BEGIN + RSA, BASE64_LINE,
]  # fmt: skip


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_twice_is_once(text: str) -> None:
    clean, _ = redact(text)
    assert redact(clean) == (clean, 0)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    clean, count = redact(text)
    assert (clean == text) == (count == 0)


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    "unit",
    ["a", "=", '"', "'", " ", "\n", "-", "eyJ", ".eyJ", "://a:", "@", "\\", "deadbeef01", "M", "1",
     BEGIN + RSA, "xox" + "b-1-", "-gh" + "p_", ":AA", "--password ", "password: |\n  "],
)  # fmt: skip
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    """Eight times the text, about eight times the time: what is quadratic takes 64 times."""
    redact(unit * 100)
    seconds = []
    for size in (MEGABYTE // 16, MEGABYTE // 2):
        text = unit * (size // len(unit))
        times = []
        for _ in range(3):
            start = time.process_time()
            redact(text)
            times.append(time.process_time() - start)
        seconds.append(min(times))
    assert seconds[1] < 24 * seconds[0] + 0.05


def test_a_long_base64_line_is_no_secret_and_no_burden() -> None:
    line = b64encode(bytes(range(256)) * 8_000).decode()
    assert redact(line) == (line, 0)


def test_nothing_is_asked_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("redaction went to the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    text = "\n".join(BY_SHAPE)
    assert redact(text)[1] == len(BY_SHAPE)


def test_the_library_is_loaded_only_for_a_text_that_may_need_it() -> None:
    code = (
        "import sys; from jezero_hooks.importers.redaction import redact;"
        "redact('fix the login page, password = \"hunter2\"');"
        "print('detect_secrets' in sys.modules, 'requests' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert run.stdout.split() == ["False", "False"]
