"""Rules of approval for shell commands: a pattern of one command says nothing of the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agency_cli.manifest.approvals import ApprovalAnswer, ApprovalRule, approval_of

_STRICTEST: Final[tuple[ApprovalAnswer, ...]] = ("deny", "ask", "never")
_OPERATORS: Final = ";&|<>()\n"
_SUBSTITUTIONS: Final = ("`", "$(", "${")


def answer_to_command(
    approval: ApprovalAnswer | Sequence[ApprovalRule], tool: str, command: str
) -> ApprovalAnswer:
    """Return what rules say of a shell command.

    Where it joins several commands, each counts, and the strictest answer holds. Where it writes or
    reads files by `<` and `>`, or holds the output of another command, no `never` that looks at the
    command holds: what is run is then more than what a pattern was written for.

    Args:
        approval: One answer for all, or rules.
        tool: The tool's name.
        command: The command.
    """
    if isinstance(approval, str):
        return approval
    parts, is_plain = parts_of(command)
    if not is_plain:
        approval = [rule for rule in approval if rule.then != "never" or "command" not in rule.when]
    answers = {approval_of(approval, tool, {"command": part}) for part in (command, *parts)}
    if len(parts) > 1 and is_plain:
        # The whole begins as its first command does, which is looked at by itself.
        answers = {approval_of(approval, tool, {"command": part}) for part in parts}
    return next(answer for answer in _STRICTEST if answer in answers)


def parts_of(command: str) -> tuple[list[str], bool]:
    """Return the commands that a line joins, and whether it is nothing else but them."""
    import shlex  # noqa: PLC0415 - only for a command, as few runs have one

    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    parts: list[list[str]] = [[]]
    is_plain = not any(each in command for each in _SUBSTITUTIONS)
    try:
        for token in lexer:
            if token.strip(_OPERATORS):
                parts[-1].append(token)
                continue
            parts.append([])
            is_plain = is_plain and not set(token) & set("<>()")
    except ValueError:
        # A quote that is not closed.
        return [command], False
    if len(parts) == 1:
        return [command], is_plain
    return [" ".join(part) for part in parts if part], is_plain
