"""What an agent is told that is called into a conversation which another one had."""

from __future__ import annotations

import re

_REMINDER = re.compile(r"\[You are \S+ now; until now \S+ had this conversation\.\]\n\n")


def with_reminder(message: str, agent: str, before: str) -> str:
    """Return the message with who the agent is, and who had the conversation before."""
    return f"[You are {agent} now; until now {before} had this conversation.]\n\n{message}"


def without_reminder(message: str) -> str:
    """Return what was said by the person alone."""
    found = _REMINDER.match(message)
    return message[found.end() :] if found else message
