"""Values held against JSON Schemas: formats are checked, multiples are those of decimals.

Loads jsonschema, which takes a while; import it where a value, or a schema, is there to be checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from agency_cli.checks.formats import FORMATS, has_format


def _text_has_format(name: str, value: object) -> bool:
    return not isinstance(value, str) or has_format(name, value)


def _format_checker() -> FormatChecker:
    checker = FormatChecker(formats=())
    for name in FORMATS:
        checker.checks(name)(partial(_text_has_format, name))
    return checker


def _multiple_of(
    validator: Validator, unit: float, value: Any, _schema: object
) -> Iterator[ValidationError]:
    """0.3 is a multiple of 0.1, as it is for people; in binary fractions it is not."""
    if not validator.is_type(value, "number"):
        return
    if (_exact(value) / _exact(unit)).denominator != 1:
        yield ValidationError(f"{value!r} is not a multiple of {unit}")


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


FORMAT_CHECKER: Final = _format_checker()
ParamValidator: Final[type[Validator]] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {"multipleOf": _multiple_of}
)
