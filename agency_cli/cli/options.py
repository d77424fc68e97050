"""What the options of a command mean: entry agents, models, params, the message."""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TextIO

from agency_cli.cli.asking import Standing
from agency_cli.errors import ManifestError, UsageError
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import Limits, Manifest
from agency_cli.models.choice import ModelOverrides
from agency_cli.rendering.output import print_text
from agency_cli.store import without_password

PATIENCE = 1.0
"""Seconds of waiting for piped input after which a person is told of it."""


def entry_of(manifest: Manifest, wanted: str | None, active: str | None = None) -> str:
    """Return the key of the agent that gets the message.

    Args:
        manifest: The manifest.
        wanted: The agent that the command line names, if any.
        active: The agent that has the thread's conversation, if any.

    Raises:
        UsageError: There is no agent of the wanted name.
    """
    if wanted is not None:
        return _agent_named(manifest, wanted)
    return active if active in manifest.agents else manifest.entries[0]


def overrides_of(models: Sequence[str], manifest: Manifest) -> ModelOverrides:
    """Read `--model MODEL` and `--model AGENT=MODEL`; the last of each wins.

    Raises:
        UsageError: There is no agent of that name, or no model is named.
    """
    everyone, by_agent = None, {}
    for text in models:
        agent, equals, model = text.partition("=")
        if not equals:
            everyone = text
        elif model:
            by_agent[_agent_named(manifest, agent)] = model
        else:
            raise UsageError(f"--model {text} names no model; write AGENT=MODEL")
    return ModelOverrides(everyone, by_agent)


def params_of(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read `--param NAME=VALUE`; a name may come again, for a list.

    Raises:
        UsageError: A text without `=`.
    """
    params: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--param {text} has no value; write NAME=VALUE")
        params.setdefault(name, []).append(value)
    return params


def all_params(file: Path | None, texts: Sequence[str] | None) -> list[str]:
    """Return what `--params FILE` says as `--param` would, before what `--param` says itself.

    Raises:
        UsageError: The file cannot be read, or is no mapping of names to values.
    """
    given = list(texts or ())
    if file is None:
        return given
    named = params_of(given)
    return [*(text for text in _params_in(file) if text.partition("=")[0] not in named), *given]


def _params_in(file: Path) -> Iterator[str]:
    from agency_cli.loading.data_files import read_mapping  # noqa: PLC0415 - rarely needed

    try:
        values = read_mapping(file, str(file))
    except ManifestError as error:
        raise UsageError("; ".join(map(str, error.problems))) from None
    for name, value in values.items():
        if isinstance(value, Mapping) or value is None:
            raise UsageError(f"{file}: {name}: a param is a text, a number, true, false or a list")
        if isinstance(value, str):
            yield f"{name}={value}"
        else:
            yield f"{name}={json.dumps(value, ensure_ascii=False)}"


def extras_of(texts: Sequence[str]) -> dict[str, str]:
    """Read `--context KEY=VALUE`; the last value of a key wins.

    Raises:
        UsageError: A text without `=`, or without a key.
    """
    extras = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--context {text}: write KEY=VALUE")
        extras[name] = value
    return extras


def limits_of(
    loaded: LoadedManifest, given: Mapping[str, float | None]
) -> tuple[Limits, dict[str, str]]:
    """Return the limits in force, and where each was set that has not its default.

    Args:
        loaded: The manifest, whose limits hold unless the command line gives others.
        given: Limits of the command line by name; None where none is given.
    """
    limits = loaded.manifest.limits
    options = {name: value for name, value in given.items() if value is not None}
    for name, value in options.items():
        if value <= 0:
            raise UsageError(f"--{name.replace('_', '-')} must be above 0")
    origins = {name: loaded.place_of(("limits", name)) for name in limits.model_fields_set}
    origins |= {name: f"--{name.replace('_', '-')}" for name in options}
    return limits.model_copy(update=options), origins


def message_of(message: str | None, stdin: TextIO | None) -> str:
    """Return the message to send: the argument, what is piped in, or one after the other.

    Raises:
        UsageError: There is neither, or what is piped in is not UTF-8.
    """
    piped = _piped(stdin)
    if message is None or not message.strip():
        text = piped
    elif piped.strip():
        text = f"{message}\n\n{_fenced(piped)}"
    else:
        text = message
    if not text.strip():
        raise UsageError('there is no message; write one: agency run MANIFEST "Build a REST API"')
    return text


LEFT_OUT = "the command leaves the store's password out; set PGPASSWORD to it"


def resume_command(run_id: str, manifest: Path | None, store: str | None) -> str:
    """Return the command with which a run goes on where it stopped."""
    line = ["agency", "runs", "resume", run_id]
    line += ["--manifest", str(manifest)] if manifest else []
    line += ["--store", without_password(store)] if store else []
    return shlex.join(line)


def standing_of(*, yes: bool, deny: bool) -> Standing:
    """Read `--yes` and `--deny`.

    Raises:
        UsageError: Both are given.
    """
    if yes and deny:
        raise UsageError("--yes and --deny say opposite things; give one of them")
    return Standing(yes=yes, deny=deny)


def since_of(text: str, now: datetime) -> datetime:
    """Return the time that `--since` means: a date or time (UTC), or so long ago as 7d, 24h, 30m.

    Raises:
        UsageError: It is neither.
    """
    ago = re.fullmatch(r"(\d{1,6})([dhm])", text.strip())
    if ago:
        units = {"d": "days", "h": "hours", "m": "minutes"}
        try:
            return now - timedelta(**{units[ago[2]]: int(ago[1])})
        except OverflowError:
            return datetime.min.replace(tzinfo=UTC)
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"--since {text} is no time; write a date such as 2026-01-31, or 7d, 24h or 30m"
        ) from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _agent_named(manifest: Manifest, wanted: str) -> str:
    for key in manifest.agents:
        if key.casefold() == wanted.casefold():
            return key
    raise UsageError(f"no agent named {wanted!r}; the agents are {', '.join(manifest.agents)}")


def _piped(stdin: TextIO | None) -> str:
    """Read a pipe or a file; a terminal, /dev/null and an inherited socket say nothing."""
    if stdin is None:
        return ""
    try:
        mode = os.fstat(stdin.fileno()).st_mode
    except (OSError, ValueError):
        return ""
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
        return ""
    slow = threading.Timer(PATIENCE, _tell_that_input_is_awaited)
    slow.daemon = True
    slow.start()
    try:
        return stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"the input that is piped in is not UTF-8 text ({error.reason})") from None
    finally:
        slow.cancel()


def _tell_that_input_is_awaited() -> None:
    print_text("note: reading what is piped in, to its end; `</dev/null` gives none", sys.stderr)


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"
