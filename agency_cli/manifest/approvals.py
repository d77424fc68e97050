"""Whether a person must agree to a call: an answer for all calls, or rules that look at them."""

import fnmatch
import json
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import Field

from agency_cli.manifest.base import Strict, Text

ApprovalAnswer = Literal["never", "ask", "deny"]


class ApprovalRule(Strict):
    """One rule; the first that matches a call decides."""

    tool: Text | None = None
    """Pattern (`*`, `?`) of the tool's name, where a declaration brings several tools."""
    when: dict[str, str] = Field(default_factory=dict)
    """Patterns (`*`, `?`) by argument name; without it the rule matches every call."""
    then: ApprovalAnswer
    """`never` asks nobody, `ask` asks a person, `deny` refuses."""

    def is_about(self, names: Collection[str]) -> bool:
        """Tell whether the rule is about a tool that has these names."""
        return self.tool is None or any(_pattern(self.tool).match(name) for name in names)

    def matches(self, names: Collection[str], arguments: Mapping[str, Any]) -> bool:
        """Tell whether the rule is about a call; an argument that is not given matches nothing."""
        if not self.is_about(names):
            return False
        return all(
            name in arguments and _pattern(pattern).match(_as_text(arguments[name]))
            for name, pattern in self.when.items()
        )


Approval = ApprovalAnswer | list[ApprovalRule]


def approval_of(
    approval: ApprovalAnswer | Sequence[ApprovalRule],
    tool: str,
    arguments: Mapping[str, Any],
    own_name: str = "",
) -> ApprovalAnswer:
    """Return what the manifest says of one call.

    Args:
        approval: One answer for all calls, or rules; a call that no rule matches is asked about.
        tool: The tool's name, as the model calls it.
        arguments: The call's arguments by name.
        own_name: What else it is called, where it is a server's.
    """
    if isinstance(approval, str):
        return approval
    names = [tool, own_name] if own_name else [tool]
    return next((rule.then for rule in approval if rule.matches(names, arguments)), "ask")


def _as_text(value: object) -> str:
    """Return a text as it is, without the spaces around it, and anything else as JSON."""
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Compile a pattern in which `*` and `?` alone are special; they match line ends too."""
    return re.compile(fnmatch.translate(text.replace("[", "[[]")))
