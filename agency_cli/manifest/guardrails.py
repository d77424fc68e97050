"""Guardrails: checks on what goes into an agent and what comes out."""

from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from agency_cli.manifest.base import Strict, Text

GUARDRAIL_KINDS = ("python", "regex", "json_schema", "judge")
"""The key that names a kind of guardrail."""


class GuardrailSpec(Strict):
    """What every kind of guardrail can say."""

    applies_to: Literal["input", "output", "tool_input", "tool_output"]
    """What is checked."""
    action: Literal["block", "retry", "warn"] = "block"
    """What happens to a value that does not pass: it is refused, asked for again, or told of."""
    retries: int = Field(default=1, ge=1)
    """How many times `retry` sends the reason back."""
    message: Text | None = None
    """What the user, or the model, is told."""


class PythonGuardrail(GuardrailSpec):
    """A check written in Python."""

    python: Text
    """`file.py:name` beside the manifest, or `package.module:name`."""


class RegexGuardrail(GuardrailSpec):
    """A check that a value does not pass where a regular expression is found in it."""

    regex: Text
    """The regular expression."""


class SchemaGuardrail(GuardrailSpec):
    """A check against a JSON Schema."""

    json_schema: Text | dict[str, Any]
    """File of the schema, or the schema."""


class Judge(Strict):
    """An agent that judges."""

    instructions: Text
    """The question that it answers."""
    model: Text | None = None
    """Its model; without it, that of the agents."""


class JudgeGuardrail(GuardrailSpec):
    """A check by a model."""

    judge: Judge
    """The judge."""


def guardrail_kind(value: Any) -> str | None:
    """Return the kind key of a guardrail as written."""
    if isinstance(value, GuardrailSpec):
        # It is written out, not read.
        value = vars(value)
    if not isinstance(value, dict):
        return type(value).__name__
    return next((key for key in GUARDRAIL_KINDS if key in value), None)


AnyGuardrail = Annotated[
    Annotated[PythonGuardrail, Tag("python")]
    | Annotated[RegexGuardrail, Tag("regex")]
    | Annotated[SchemaGuardrail, Tag("json_schema")]
    | Annotated[JudgeGuardrail, Tag("judge")],
    Discriminator(guardrail_kind),
]
