"""Texts in columns: any that a program can hold, on databases that take fewer."""

from __future__ import annotations

import re

from sqlalchemy import Dialect, String, Text
from sqlalchemy.types import TypeDecorator, TypeEngine

MARK = "\x1a"
"""Begins a character that is written as its number. It stands for what could not be kept."""
REFUSED = re.compile(f"[\0{MARK}\ud800-\udfff]")
ESCAPED = re.compile(f"{MARK}([0-9a-f]{{4}})")


class Name(TypeDecorator[str]):
    """Text that is plain where it is kept; any may be looked for.

    `length` is what SQLite's tables say, and do not hold anybody to; a server would.
    """

    impl = Text
    cache_ok = True

    def __init__(self, length: int | None = None) -> None:
        super().__init__()
        self.length = length

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[str]:
        if dialect.name == "sqlite" and self.length is not None:
            return dialect.type_descriptor(String(self.length))
        return dialect.type_descriptor(Text())

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        del dialect
        return None if value is None else escaped(value)


class AnyText(Name):
    """Text that may hold NUL, and halves of characters, which UTF-8 has not."""

    cache_ok = True

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        del dialect
        return None if value is None else _plain(value)


def escaped(text: str) -> str:
    """Return a text as a column has it."""
    return REFUSED.sub(lambda found: f"{MARK}{ord(found[0]):04x}", text)


def _plain(text: str) -> str:
    return ESCAPED.sub(lambda found: chr(int(found[1], 16)), text) if MARK in text else text
