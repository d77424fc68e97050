"""The base of every model of the file format: frozen, unknown keys refused."""

# No module of this package postpones its annotations: Pydantic would compile each of them anew.
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

AGENT_KEY_PATTERN = r"^[A-Za-z][A-Za-z0-9_-]{0,49}$"
NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_.-]{0,63}$"
TOOL_NAME_PATTERN = r"^[A-Za-z0-9_-]{1,64}$"

AgentKey = Annotated[str, StringConstraints(pattern=AGENT_KEY_PATTERN)]
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
ToolName = Annotated[str, StringConstraints(pattern=TOOL_NAME_PATTERN)]
Text = Annotated[str, StringConstraints(min_length=1)]


class Strict(BaseModel):
    """A mapping of the manifest in which every unknown key is a problem."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        # As strict as the JSON Schema: the text "3" is no number.
        strict=True,
        allow_inf_nan=False,
        # Built at the first use, all together: twice as fast as one by one.
        defer_build=True,
    )


class Extensible(Strict):
    """A mapping that also takes free-form keys beginning with `x-`; the loader drops them."""

    model_config = ConfigDict(json_schema_extra={"patternProperties": {"^x-": {}}})
