"""Limits over the whole tree of a run."""

from pydantic import Field

from agency_cli.manifest.base import Strict


class Limits(Strict):
    """Bounds of one run, counted over all its agents together."""

    max_turns: int = Field(default=100, ge=1)
    """The most model calls."""
    max_depth: int = Field(default=8, ge=1)
    """How deep delegations may nest."""
    max_repeats: int = Field(default=3, ge=1)
    """How often one agent may call one tool with the same arguments and the same result."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The most tokens, input and output together."""
    max_cost_usd: float | None = Field(default=None, gt=0)
    """The most money, in US dollars."""
    max_seconds: float | None = Field(default=None, gt=0)
    """The longest time."""
    max_parallel: int = Field(default=16, ge=1)
    """The most tool calls of one response that run at once."""
