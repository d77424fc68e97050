"""One thing that an agency needs, and whether this machine has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FindingStatus = Literal["ok", "missing", "note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found of one need.

    Attributes:
        kind: What sort of thing it is: `variable`, `package`, `folder`, `store`, `weights`,
            `price`, `server`, `program`, `mcp server`, `openapi`, `service`.
        name: Which one.
        status: `missing` keeps the agency from running as it is written; a `note` does not.
        detail: What was found, in some words; never the value of a variable.
        advice: What to do, where there is something.
        needed_by: Agents, or places of the manifest, that need it.
    """

    kind: str
    name: str
    status: FindingStatus
    detail: str
    advice: str = ""
    needed_by: tuple[str, ...] = ()
