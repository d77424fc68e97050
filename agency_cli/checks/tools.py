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
# All of a file or a folder.
_WHOLE: Final = re.compile(r"[^:]+(?:\.py|/)")
_RESERVED: Final = re.compile(r"send_message|transfer_to_.*")


def python_references(subject: Subject) -> Iterator[Problem]:
    """References to Python objects have the form of one."""
    for path, reference in named_python(subject.manifest):
        may_be_whole = path[0] == "tools"
        if _REFERENCE.fullmatch(reference) or (may_be_whole and _WHOLE.fullmatch(reference)):
            continue
        forms = "file.py:name or package.module:name"
        rest = "; for all tools of a file or a folder, file.py or folder/" if may_be_whole else ""
        what = f"{reference!r} names no Python object; write {forms}{rest}"
        yield Problem(code="bad-reference", message=what, path=path)


def named_one_by_one(subject: Subject) -> Iterator[Problem]:
    """What is said of one tool is not said of all tools of a file."""
    for key, tool in subject.manifest.tools.items():
        if isinstance(tool, PythonTool) and tool.is_whole:
            for word in ("name", "description"):
                if getattr(tool, word) is not None:
                    what = (
                        f"{tool.python!r} stands for all its tools, and a `{word}` is that of one;"
                        f" remove it, or name one object: {_one_of(tool.python)!r}"
                    )
                    path: Path = ("tools", key, word)
                    yield Problem(code="not-of-one-tool", message=what, path=path, at_key=True)


def _one_of(reference: str) -> str:
    return f"{reference}:name" if reference.endswith(".py") else f"{reference}file.py:name"


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
    for key, agent in manifest.agents.items():
        if agent.output_class is not None:
            yield ("agents", key, "output_schema"), agent.output_class
    for key, guardrail in manifest.guardrails.items():
        if isinstance(guardrail, PythonGuardrail):
            yield ("guardrails", key, "python"), guardrail.python
    yield from _message_classes(manifest)


def _message_classes(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    for index, flow in enumerate(manifest.flows):
        if not isinstance(flow, str) and flow.send_message is not None:
            yield ("flows", index, "send_message"), flow.send_message
