"""The SDK's tools, made of the operations of a service."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx2
from agents import FunctionTool, UserError
from agents.tool_context import ToolContext
from jsonschema import Draft202012Validator

from agency_cli.foreign import ToolRefused
from agency_cli.manifest import OpenApiTool
from agency_cli.strictness import strict_form
from agency_cli.tools.openapi.calling import Access, prepared
from agency_cli.tools.openapi.sending import USUAL_SECONDS, sent
from agency_cli.tools.openapi.service import Operation, read_service

MOST_MISFITS: Final = 5
"""How many faults of a call's arguments are told at once."""


@dataclass
class OperationTool(FunctionTool):
    """A tool that stands for an operation.

    Attributes:
        route: Its method and path, which rules of approval may name.
    """

    route: str = ""


def openapi_tools(
    spec: OpenApiTool, folder: Path, notify: Callable[[str], None]
) -> list[FunctionTool]:
    """Return one tool for each operation that a manifest chooses.

    Args:
        spec: What the manifest says.
        folder: That of the manifest.
        notify: Gets why an operation is left out.

    Raises:
        Unusable: The document is not sound, or what the manifest says does not fit it.
        NotFetched: The document cannot be fetched.
    """
    service = read_service(spec, folder)
    for text in service.left_out:
        notify(text)
    access = Access(
        {name: value.get_secret_value() for name, value in spec.headers.items()},
        {name: value.get_secret_value() for name, value in spec.query.items()},
    )
    seconds = spec.timeout_seconds or USUAL_SECONDS
    return [_tool(operation, access, seconds) for operation in service.operations]


def _tool(operation: Operation, access: Access, seconds: float) -> OperationTool:
    signature = operation.signature
    schema = signature.schema
    calls = _Calls(operation, access, seconds, schema, Draft202012Validator(schema))
    strict = _strict(schema)
    return OperationTool(
        name=operation.name,
        description=operation.description,
        params_json_schema=schema if strict is None else strict,
        on_invoke_tool=calls.invoke,
        strict_json_schema=strict is not None,
        route=operation.called.route,
    )


@dataclass(frozen=True, slots=True)
class _Calls:
    """What happens at each call of one operation."""

    operation: Operation
    access: Access
    seconds: float
    schema: Mapping[str, Any]
    validator: Draft202012Validator

    async def invoke(self, _context: ToolContext[Any], arguments: str) -> str:
        values = self._sound(arguments)
        called = self.operation.called
        request = prepared(
            (called.method, called.path),
            self.operation.base_url,
            self.operation.signature,
            values,
            self.access,
        )
        # Neither proxies nor passwords of the machine's user have a part in it. One client a
        # call: nothing has to be closed when a run ends, and event loops never share one.
        async with httpx2.AsyncClient(timeout=self.seconds, trust_env=False) as client:
            return await sent(request, client, self.seconds)

    def _sound(self, arguments: str) -> Mapping[str, Any]:
        """Return the arguments by name, without those that say nothing.

        Raises:
            ToolRefused: They do not fit; tells the model how.
        """
        try:
            values = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            raise ToolRefused("the arguments are not JSON; send them again") from None
        if not isinstance(values, dict):
            raise ToolRefused("the arguments are not a JSON object; send them again")
        optional = [each for each in self.operation.signature.arguments if not each.required]
        for each in optional:
            # Models write null for what they leave out.
            if values.get(each.name, ...) is None and not self._takes_null(each.name):
                del values[each.name]
        faults = [
            f"{'.'.join(map(str, fault.absolute_path)) or 'arguments'}: {fault.message[:300]}"
            for fault in self.validator.iter_errors(values)
        ]
        if faults:
            raise ToolRefused(f"wrong arguments ({'; '.join(faults[:MOST_MISFITS])}); correct them")
        return values

    def _takes_null(self, name: str) -> bool:
        definitions = self.schema.get("$defs", {})
        schema = {"$defs": definitions, "allOf": [self.schema["properties"][name]]}
        return self.validator.evolve(schema=schema).is_valid(None)


def _strict(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the strict form of a schema; None where it has none."""
    try:
        return strict_form(schema)
    except (AttributeError, TypeError, UserError):
        return None
