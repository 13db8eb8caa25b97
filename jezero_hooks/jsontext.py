"""JSON text to values and back, with what the interpreter has in C.

The standard json module brings re and enum along, which costs a silent hook more than all
it does; its scanner and its string encoder are the same C code as here. Where an interpreter
has no such code, json itself does the work.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    from _json import encode_basestring as _quote
    from _json import make_scanner

    _make_scanner: Any = make_scanner
except ImportError:  # another Python than CPython
    _make_scanner = None

JSON_SPACE = " \t\n\r"
# What some programs write before a text.
BOM = b"\xef\xbb\xbf"


class _Strict:
    """How the scanner reads: plain values, no control characters in strings, no NaN."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int

    @staticmethod
    def parse_constant(name: str) -> None:
        raise ValueError(f"{name} is no JSON value")


def load(text: str) -> Any:
    """Return the one JSON value of a text. Raises ValueError where it is not exactly one."""
    text = text.strip(JSON_SPACE)
    if _make_scanner is not None:
        try:
            value, end = _make_scanner(_Strict)(text, 0)
        except (StopIteration, SystemError, ValueError, RecursionError):
            end = -1  # without the json module loaded the scanner cannot name its error
        if end == len(text):
            return value
    return _load_by_json(text)


def _load_by_json(text: str) -> Any:
    import json

    try:
        return json.loads(text, parse_constant=_Strict.parse_constant)
    except RecursionError as reason:
        raise ValueError("JSON nested too deep") from reason


def dump(value: object) -> str:
    """Return a value of strings, numbers, booleans, None, lists and dicts as JSON text.

    Characters stay as they are (no ``\\u`` escapes but for control characters).
    """
    if isinstance(value, str):
        return quote(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{quote(str(k))}:{dump(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(dump, value)) + "]"
    raise TypeError(f"{type(value).__name__} is no JSON value")


def quote(text: str) -> str:
    """Return a string as a JSON string."""
    if _make_scanner is None:
        import json

        return json.dumps(text, ensure_ascii=False)
    return str(_quote(text))
