"""What an agent's final output must be: an object that satisfies a schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from agents import AgentOutputSchemaBase, ModelBehaviorError
from pydantic import BaseModel, ValidationError

from agency_cli.misfits import misfits_of_model, misfits_of_schema
from agency_cli.strictness import strict_form

MOST_FAULTS = 5
"""How many faults a model is told of at once."""
_WHOLE = "the answer"
_FENCED = re.compile(r"```\w*[ \t]*\n(.*)\n```", re.DOTALL)

Check = Callable[[Any], list[str]]
"""Returns what is wrong with a value; nothing where it is sound."""


class OutputContract(AgentOutputSchemaBase):
    """The schema of one agent's final output, for the provider and for the check of what came."""

    def __init__(self, agent: str, schema: Mapping[str, Any], check: Check) -> None:
        """Take the schema as it was written; providers get its strict form where it has one."""
        self._agent = agent
        self._check = check
        strict = strict_form(schema)
        self._is_strict = strict is not None
        self._schema = dict(schema) if strict is None else strict

    @classmethod
    def of_schema(cls, agent: str, schema: Mapping[str, Any]) -> OutputContract:
        """Return the contract that a JSON Schema is."""
        return cls(agent, schema, partial(misfits_of_schema, schema, whole=_WHOLE))

    @classmethod
    def of_class(cls, agent: str, model: type[BaseModel]) -> OutputContract:
        """Return the contract that a Pydantic class is."""

        def check(value: Any) -> list[str]:
            try:
                model.model_validate_json(json.dumps(value))
            except ValidationError as error:
                return misfits_of_model(error, whole=_WHOLE)
            return []

        return cls(agent, model.model_json_schema(), check)

    def is_plain_text(self) -> bool:
        return False

    def name(self) -> str:
        return self._agent

    def json_schema(self) -> dict[str, Any]:
        return self._schema

    def is_strict_json_schema(self) -> bool:
        return self._is_strict

    def validate_json(self, json_str: str) -> Any:
        if fault := self.fault_of(json_str):
            raise ModelBehaviorError(fault)
        return _value(json_str)

    def fault_of(self, text: str) -> str:
        """Return what is wrong with an answer, for its model; nothing where it is sound."""
        try:
            value = _value(text)
        except (ValueError, RecursionError):
            return "it is not JSON"
        faults = self._check(value)
        more = f"; and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
        return "; ".join(faults[:MOST_FAULTS]) + more


def _value(text: str) -> Any:
    """Read JSON; models that know no schemas like to put it into a fence."""
    fenced = _FENCED.fullmatch(text.strip())
    return json.loads(fenced[1] if fenced else text, parse_constant=_no_number)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
