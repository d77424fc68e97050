"""What a tool's declaration must say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import Manifest, PythonTool
from agency_cli.manifest.guardrails import PythonGuardrail

# `file.py:name` or `package.module:name`; the file may stand in a folder.
_REFERENCE: Final = re.compile(r"(?:[^:]+\.py|[^\W\d]\w*(?:\.[^\W\d]\w*)*):[^\W\d]\w*")
_RESERVED: Final = re.compile(r"send_message|transfer_to_.*")


def python_references(subject: Subject) -> Iterator[Problem]:
    """References to Python objects have the form of one."""
    for path, reference in named_python(subject.manifest):
        if not _REFERENCE.fullmatch(reference):
            what = (
                f"{reference!r} names no Python object; write file.py:name or package.module:name"
            )
            yield Problem(code="bad-reference", message=what, path=path)


def reserved_names(subject: Subject) -> Iterator[Problem]:
    """No tool takes a name that flows give to theirs."""
    for key, tool in subject.manifest.tools.items():
        if isinstance(tool, PythonTool) and tool.name and is_reserved(tool.name):
            what = f"{tool.name!r} is kept for the tools of flows; choose another name"
            yield Problem(code="reserved-name", message=what, path=("tools", key, "name"))


def is_reserved(name: str) -> bool:
    """Say whether flows give their tools such a name."""
    return bool(_RESERVED.fullmatch(name))


def named_python(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Yield each reference to a Python object, and where it stands."""
    for key, tool in manifest.tools.items():
        if isinstance(tool, PythonTool):
            yield ("tools", key, "python"), tool.python
    for key, guardrail in manifest.guardrails.items():
        if isinstance(guardrail, PythonGuardrail):
            yield ("guardrails", key, "python"), guardrail.python
    for index, flow in enumerate(manifest.flows):
        if not isinstance(flow, str) and flow.send_message is not None:
            yield ("flows", index, "send_message"), flow.send_message
