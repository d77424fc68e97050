"""What models call the tools of MCP servers, and which of a server's tools are offered."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from agency_cli.checks.nearest import did_you_mean, listed

LONGEST_NAME = 64
"""Characters, as providers count."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")


def public_name(server: str, tool: str) -> str:
    """Return the one name of a server's tool, whatever other servers and tools there are.

    It is the SDK's `mcp_<server>__<tool>`. Where two tools could come to the same name by that,
    or it is longer than providers allow, a hash of both parts stands at the end.
    """
    parts = [_FOREIGN.sub("_", part).strip("_-") for part in (server, tool)]
    name = f"mcp_{parts[0]}__{parts[1]}"
    if parts == [server, tool] and "__" not in server and len(name) <= LONGEST_NAME:
        return name
    mark = "_" + hashlib.sha256(f"{server}\0{tool}".encode(errors="surrogatepass")).hexdigest()[:8]
    return name[: LONGEST_NAME - len(mark)].rstrip("_-") + mark


def is_of(server: str, name: str) -> bool:
    """Say whether a tool, by its public name, can be a server's."""
    return name.startswith(f"mcp_{_FOREIGN.sub('_', server).strip('_-')}__")


@dataclass(frozen=True, slots=True)
class Choice:
    """Which tools of a server are offered.

    Attributes:
        allow: Patterns of those that are; None for all.
        deny: Patterns of those that are not, whatever `allow` says.
    """

    allow: Sequence[str] | None
    deny: Sequence[str]

    def takes(self, tool: str) -> bool:
        """Say whether a tool, by the server's own name of it, is offered."""
        allowed = self.allow is None or _any(self.allow, tool)
        return allowed and not _any(self.deny, tool)

    def idle_patterns(self, tools: Collection[str]) -> Iterator[str]:
        """Tell of each pattern that matches none of a server's tools."""
        for key, patterns in (("allow", self.allow or ()), ("deny", self.deny)):
            for pattern in patterns:
                if not any(_any((pattern,), tool) for tool in tools):
                    near = did_you_mean(pattern, tools)
                    yield (
                        f"{key}: no tool of the server matches {pattern!r}{near}; it has:"
                        f" {listed(sorted(tools))}"
                    )


def _any(patterns: Sequence[str], tool: str) -> bool:
    # As in rules of approval, `*` and `?` alone are special.
    return any(fnmatch.fnmatchcase(tool, each.replace("[", "[[]")) for each in patterns)
