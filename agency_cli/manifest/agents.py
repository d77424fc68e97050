"""An agent, as the manifest writes it."""

from typing import Any

from pydantic import Field

from agency_cli.manifest.base import Extensible, Name, Strict, Text
from agency_cli.manifest.models import ModelSettings


class AgentSpec(Extensible):
    """One model with instructions and tools; its key is its name for flows and models."""

    name: Text | None = None
    """Display name; the key stays what flows, tools and the model see."""
    description: Text | None = None
    """What other agents read when they choose whom to ask."""
    instructions: Text | None = None
    """What the agent is told before any input."""
    instructions_file: Text | None = None
    """File with the instructions, instead of `instructions`."""
    model: Text | None = None
    """A name under `models`, or a model id; without it, `defaults.model`."""
    settings: ModelSettings | None = None
    """Settings of its model calls, before those of the model."""
    tools: list[Name] = Field(default_factory=list)
    """Names under `tools` that this agent may use."""
    guardrails: list[Name] | None = None
    """Names under `guardrails` that apply to this agent."""
    max_turns: int | None = Field(default=None, ge=1)
    """The most model calls for one input."""
    output_schema: Text | dict[str, Any] | None = None
    """JSON Schema that the final output must satisfy; or its file, in JSON or YAML; or a Pydantic
    class, `path.py:Class`."""
    outbound: bool = True
    """Whether this agent may be the sender of a flow."""

    @property
    def output_class(self) -> str | None:
        """The Python class that the final output must be, if it is one."""
        given = self.output_schema
        return given if isinstance(given, str) and ":" in given else None

    @property
    def output_schema_file(self) -> str | None:
        """The file of the schema that the final output must satisfy, if it is in one."""
        given = self.output_schema
        return given if isinstance(given, str) and ":" not in given else None


class Defaults(Strict):
    """What holds for every agent that says nothing else."""

    model: Text | None = None
    """A name under `models`, or a model id."""
    settings: ModelSettings | None = None
    """Settings of model calls."""
    guardrails: list[Name] | None = None
    """Names under `guardrails`."""
    max_turns: int | None = Field(default=None, ge=1)
    """The most model calls for one input."""
