"""Foreign text made fit for a terminal: nothing in it steers the terminal or breaks a line."""

from __future__ import annotations

import json
import re
from functools import lru_cache

# C0 and C1 controls but for tab and line feed; what turns the writing direction; separators of
# lines that terminals do not know; half characters.
_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
# Joiners, variation selectors and tags: terminals disagree on how wide they make what they join.
_SHAPING = re.compile("[\u00ad\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]")
_LONGEST_VALUE = 60


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, with control characters written out."""
    whole = text.replace("\r\n", "\n").expandtabs(4)
    return [_STEERING.sub(_written_out, line) for line in whole.split("\n")]


def one_line(text: str, limit: int = 200) -> str:
    """Return a text as one line of at most `limit` characters, blanks collapsed."""
    # Only so much of a long text is looked at, as this runs again for every frame.
    head = " ".join(text[: 4 * limit].split())
    line = _STEERING.sub(_written_out, _SHAPING.sub("", head))
    whole = len(text) <= 4 * limit
    return line if whole and len(line) <= limit else f"{line[: limit - 1]}…"


@lru_cache(maxsize=2048)
def arguments_line(arguments: str) -> str:
    """Return a tool's arguments, a JSON object, as `name=value name=value`."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        return one_line(arguments)
    if not isinstance(values, dict):
        return one_line(arguments)
    return one_line(" ".join(f"{name}={_value(value)}" for name, value in values.items()))


def encodable(text: str, encoding: str) -> str:
    """Return the text with a question mark for what the encoding lacks."""
    return text.encode(encoding, "replace").decode(encoding)


def escaped_json(text: str) -> str:
    """Return JSON text that means the same, with control characters written as JSON escapes."""
    return _STEERING.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = one_line(text, _LONGEST_VALUE)
    return f'"{line}"' if isinstance(value, str) and (" " in line or not line) else line


def _written_out(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
