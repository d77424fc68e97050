"""What an agent must say of itself, and say once."""

from __future__ import annotations

from collections.abc import Iterator

from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem


def keys_differ_only_by_case(subject: Subject) -> Iterator[Problem]:
    """Agents that a model, or a person, would take for one another."""
    seen: dict[str, str] = {}
    for key in subject.manifest.agents:
        other = seen.setdefault(key.casefold(), key)
        if other != key:
            what = f"the agents {other!r} and {key!r} differ only by case; rename one"
            yield Problem(code="similar-agents", message=what, path=("agents", key), at_key=True)


def instructions_once(subject: Subject) -> Iterator[Problem]:
    """Each agent has instructions, inline or in a file."""
    for key, agent in subject.manifest.agents.items():
        path = ("agents", key)
        if agent.instructions is not None and agent.instructions_file is not None:
            yield _both(path, "instructions", "instructions_file")
        elif agent.instructions is None and agent.instructions_file is None:
            what = "has no instructions; add `instructions: ...` or `instructions_file: FILE`"
            yield Problem(code="missing-instructions", message=what, path=path, at_key=True)
        elif key in subject.instructions and not subject.instructions[key].text.strip():
            what = "the instructions are empty; say what the agent does"
            yield Problem(code="empty", message=what, path=subject.instructions[key].path)


def shared_instructions_once(subject: Subject) -> Iterator[Problem]:
    """Shared instructions stand inline or in a file, not both."""
    manifest = subject.manifest
    if manifest.shared_instructions is not None and manifest.shared_instructions_file is not None:
        yield _both((), "shared_instructions", "shared_instructions_file")


def names_listed_once(subject: Subject) -> Iterator[Problem]:
    """A list of names holds each name once."""
    manifest = subject.manifest
    lists: list[tuple[Path, list[str]]] = [
        (("agents", key, "tools"), agent.tools) for key, agent in manifest.agents.items()
    ]
    lists += [
        (("agents", key, "guardrails"), agent.guardrails or [])
        for key, agent in manifest.agents.items()
    ]
    if isinstance(manifest.entry, list):
        lists.append((("entry",), manifest.entry))
    for path, names in lists:
        seen: set[str] = set()
        for position, name in enumerate(names):
            if name in seen:
                what = f"{name!r} is listed twice; remove one"
                yield Problem(code="listed-twice", message=what, path=(*path, position))
            seen.add(name)


def missing_descriptions(subject: Subject) -> Iterator[Problem]:
    """Agents that others may reach, but that say nothing of themselves."""
    flows = subject.manifest.single_flows
    recipients = {flow.recipient for flow in flows if flow.sender != flow.recipient}
    for key, agent in subject.manifest.agents.items():
        if key in recipients and not (agent.description or "").strip():
            what = "others may ask this agent, but it has no `description` to choose it by"
            yield Problem(
                code="missing-description",
                message=what,
                path=("agents", key),
                severity="warning",
                at_key=True,
            )


def _both(path: Path, first: str, second: str) -> Problem:
    what = f"{first!r} and {second!r} exclude each other; keep one"
    return Problem(code="exclusive-keys", message=what, path=(*path, second), at_key=True)
