"""The params of a manifest, for whoever gives it values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TextIO

from agency_cli.manifest import Manifest, ParamSpec
from agency_cli.rendering.printable import one_line
from agency_cli.rendering.summary import Line, print_lines

_TITLES = ("PARAM", "TYPE", "DEFAULT", "WHAT IT IS")


def print_params(manifest: Manifest, stdout: TextIO, environ: Mapping[str, str]) -> None:
    """Write a line a param: its type, what it is without a value, what it is for."""
    print_lines(_lines(manifest), stdout, environ)


def _lines(manifest: Manifest) -> Iterator[Line]:
    if not manifest.params:
        yield Line(f"{one_line(manifest.name)} has no params")
        return
    rows = [_TITLES, *(_row(name, spec) for name, spec in manifest.params.items())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES))]
    for position, row in enumerate(rows):
        yield Line(_aligned(row, widths), "" if position else "dim")


def _row(name: str, spec: ParamSpec) -> tuple[str, ...]:
    about = one_line(spec.description or "")
    if spec.enum is not None:
        about = f"{about} " if about else ""
        about += f"(one of {', '.join(one_line(_shown(each)) for each in spec.enum)})"
    return name, spec.type, _default(spec), about


def _default(spec: ParamSpec) -> str:
    if spec.default is not None:
        return one_line(_shown(spec.default), 40)
    return "(empty)" if spec.required is False else "required"


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
