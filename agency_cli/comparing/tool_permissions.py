"""What a tool may newly do, where its declaration changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from agency_cli.comparing.approving import weaker
from agency_cli.comparing.numbers import is_raised, raised
from agency_cli.comparing.values import shown
from agency_cli.manifest import TOOL_KINDS, Approval
from agency_cli.manifest.tools import ShellTool, ToolSpec

# Lists: what they name is allowed; without a list, everything where that is what it means.
_ALLOWING: Final = ("hosts", "methods", "env", "allow", "operations")
_FORBIDDING: Final = ("deny",)
# What it reaches: anything else there is something new.
_REACH: Final = (
    *("python", "builtin", "root", "folder", "hosted", "options", "mcp", "openapi", "base_url"),
)


def kind_of(tool: ToolSpec) -> str:
    """Return what kind a tool is of, and which: `builtin: shell`."""
    for kind, models in TOOL_KINDS.items():
        if isinstance(tool, models):
            which = getattr(tool, kind)
            return f"{kind}: {which}" if isinstance(which, str) else kind
    return type(tool).__name__


def wider_tool(old: ToolSpec, new: ToolSpec) -> Iterator[tuple[str, str]]:
    """Yield in what way a tool may do more, each with the key that says so."""
    if type(old) is not type(new):
        yield f"is another tool: {kind_of(old)} → {kind_of(new)}", ""
        return
    if change := weaker(approval_in_force(old), approval_in_force(new)):
        yield f"asks less: {change}", "approval"
    if is_raised(old.timeout_seconds, new.timeout_seconds):
        yield (
            f"may take longer: {raised(old.timeout_seconds, new.timeout_seconds)}",
            "timeout_seconds",
        )
    yield from _wider_reach(old.model_dump(mode="json"), new.model_dump(mode="json"))


def _wider_reach(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what two declarations of one kind let their tools reach that is new."""
    if before.get("read_only") and not after.get("read_only"):
        yield "may write", "read_only"
    for key in (*_ALLOWING, *_FORBIDDING):
        if key in before:
            yield from _wider_list(key, before[key], after[key])
    for key in _REACH:
        if before.get(key) != after.get(key):
            ends = " → ".join(shown(each.get(key)) for each in (before, after))
            yield f"reaches something else: {key}: {ends}", key


def _wider_list(
    key: str, before: list[str] | None, after: list[str] | None
) -> Iterator[tuple[str, str]]:
    if key in _FORBIDDING:
        gone = [each for each in before or () if each not in (after or ())]
        if gone:
            yield f"may also: {', '.join(gone)} (no longer under {key})", key
    elif before is not None and after is None:
        yield f"may do all that it can (no `{key}` any more)", key
    elif before is not None and after is not None:
        added = [each for each in after if each not in before]
        if added:
            yield f"may also: {', '.join(added)} (new under {key})", key


def approval_in_force(tool: ToolSpec) -> Approval:
    """Return whom a call of the tool is agreed to by, also where its declaration does not say."""
    usual: Approval = "ask" if isinstance(tool, ShellTool) else "never"
    return usual if tool.approval is None else tool.approval
