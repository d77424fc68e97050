"""What a message must hold: the parameters of a flow's tool, checked before anyone is asked."""

from __future__ import annotations

import copy
import json
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from jsonschema.protocols import Validator
from pydantic import BaseModel, ValidationError, create_model

from agency_cli.checks.param_values import FORMAT_CHECKER, ParamValidator
from agency_cli.message_class import SendMessage
from agency_cli.messaging.undelivered import Undelivered
from agency_cli.strictness import strict_form

BUILT_IN: dict[str, dict[str, Any]] = {
    "recipient_agent": {"type": "string", "description": "Who is asked."},
    "message": {
        "type": "string",
        "description": "What is asked for, with everything that is needed to do it.",
    },
    "additional_instructions": {
        "type": ["string", "null"],
        "description": "How to do it, where that is not said already; else null.",
    },
}
"""Parameters of every message; extra params may not hide them."""


@dataclass(frozen=True, slots=True)
class Message:
    """What a sender's model asked for, checked; `recipient` as the model spelt it."""

    recipient: str
    message: str
    additional_instructions: str
    params: BaseModel


@dataclass(frozen=True)
class Contract:
    """The extra params of one tool, from its class and from its flows' YAML.

    Attributes:
        message_class: The class; SendMessage where the flow names none.
        extra_params: JSON Schema properties of the flow. One with a `default` may be left out.
    """

    message_class: type[SendMessage] = SendMessage
    extra_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def is_plain(self) -> bool:
        """Whether the flow names no class of its own."""
        return self.message_class is SendMessage

    @property
    def clashes(self) -> list[str]:
        """Names of extra params that stand twice, or hide a built-in parameter."""
        in_class = self.class_names
        hidden = [name for name in (*in_class, *self.extra_params) if name in BUILT_IN]
        return sorted({*hidden, *(set(in_class) & set(self.extra_params))})

    def tool_schema(self, recipients: Sequence[str]) -> tuple[dict[str, Any], bool]:
        """Return the JSON Schema of the tool's arguments, and whether it is strict."""
        schema = self._plain_schema(recipients)
        strict = strict_form(schema)
        # Open objects and the like: still checked here, but not by the provider.
        return (schema, False) if strict is None else (strict, True)

    def read(self, arguments: str) -> Message:
        """Check what the model wrote.

        Raises:
            Undelivered: With what is wrong and what would be right.
        """
        values = _object(arguments)
        known = [*BUILT_IN, *self._names]
        unknown = [name for name in values if name not in known]
        if unknown:
            names = ", ".join(map(repr, unknown))
            raise Undelivered(f"there is no parameter {names}; use {', '.join(known)}")
        extra = {name: values[name] for name in self._names if name in values}
        return Message(
            recipient=_text(values, "recipient_agent"),
            message=_text(values, "message"),
            additional_instructions=_text(values, "additional_instructions", optional=True),
            params=self._checked(extra),
        )

    def _checked(self, values: dict[str, Any]) -> BaseModel:
        errors = [
            f"{'.'.join(map(str, error.absolute_path)) or 'params'}: {error.message}"
            for error in self._yaml_validator.iter_errors(
                {name: value for name, value in values.items() if name in self.extra_params}
            )
        ]
        try:
            params = self._params_model.model_validate(values)
        except ValidationError as invalid:
            errors += [
                f"{'.'.join(map(str, error['loc'])) or 'params'}: {error['msg']}"
                for error in invalid.errors(include_url=False)
                if not error["loc"] or error["loc"][0] not in self.extra_params
            ]
            params = None
        if errors or params is None:
            raise Undelivered(f"invalid parameters ({'; '.join(errors)}); correct them")
        return params

    @cached_property
    def _names(self) -> list[str]:
        return [*self.class_names, *self.extra_params]

    @cached_property
    def _class_schema(self) -> dict[str, Any]:
        return self.message_class.ExtraParams.model_json_schema()

    @property
    def class_names(self) -> list[str]:
        """What the model calls the params of the class; an alias comes before the field's name."""
        return list(self._class_schema.get("properties", {}))

    @cached_property
    def _yaml_validator(self) -> Validator:
        return ParamValidator(
            {
                "type": "object",
                "properties": self.extra_params,
                "required": [n for n, s in self.extra_params.items() if "default" not in s],
            },
            format_checker=FORMAT_CHECKER,
        )

    @cached_property
    def _params_model(self) -> type[BaseModel]:
        extra: dict[str, Any] = {
            name: (Any, copy.deepcopy(schema.get("default", ...)))
            for name, schema in self.extra_params.items()
        }
        with warnings.catch_warnings():
            # A param may be called `schema` or `json`, as old methods of Pydantic's models are.
            warnings.filterwarnings("ignore", message="Field name .* shadows an attribute")
            return create_model("Params", __base__=self.message_class.ExtraParams, **extra)

    def _plain_schema(self, recipients: Sequence[str]) -> dict[str, Any]:
        of_class = copy.deepcopy(self._class_schema)
        properties = copy.deepcopy(BUILT_IN)
        properties["recipient_agent"]["enum"] = list(recipients)
        properties |= of_class.get("properties", {})
        properties |= copy.deepcopy({name: dict(s) for name, s in self.extra_params.items()})
        optional = [name for name, schema in properties.items() if "default" in schema]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name not in optional],
            "additionalProperties": False,
        }
        if "$defs" in of_class:
            schema["$defs"] = of_class["$defs"]
        return schema


def _object(arguments: str) -> dict[str, Any]:
    try:
        values = json.loads(arguments or "{}", parse_constant=_refuse_constant, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise Undelivered(f"the arguments are not JSON ({error}); send them again") from None
    if not isinstance(values, dict):
        raise Undelivered("the arguments are not a JSON object; send them again")
    return values


def _refuse_constant(name: str) -> None:
    """NaN and the infinities pass every bound, and are no JSON."""
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large a number")
    return number


def _text(values: Mapping[str, Any], name: str, *, optional: bool = False) -> str:
    value = values.get(name)
    if optional and value is None:
        return ""
    if not isinstance(value, str):
        raise Undelivered(f"{name} must be a text")
    if not optional and not value.strip():
        raise Undelivered(f"{name} is empty; say what is asked for")
    return value
