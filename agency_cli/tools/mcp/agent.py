"""An agent some of whose tools are known only when their servers are connected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agents import Agent, FunctionTool, RunContextWrapper, Tool

from agency_cli.run_context import RunContext


def _none() -> Sequence[FunctionTool]:
    return ()


@dataclass
class AgencyAgent(Agent[RunContext]):
    """The SDK's agent; the SDK asks it for the tools of MCP servers before each model call.

    Attributes:
        tools_of_servers: Gives them, watched as every other tool of the agent is.
    """

    tools_of_servers: Callable[[], Sequence[FunctionTool]] = field(default=_none)

    async def get_mcp_tools(self, run_context: RunContextWrapper[RunContext]) -> list[Tool]:  # noqa: ARG002 - the SDK's signature
        return list(self.tools_of_servers())
