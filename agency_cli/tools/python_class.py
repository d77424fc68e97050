"""Tools that are Pydantic classes: the fields are the arguments, `run` does the work."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, TypeGuard

from agents import FunctionTool, ModelBehaviorError
from agents.tool_context import ToolContext
from pydantic import BaseModel, ValidationError

from agency_cli.foreign import contained
from agency_cli.misfits import misfits_of_model
from agency_cli.strictness import strict_form


def is_tool_class(value: object) -> TypeGuard[type[BaseModel]]:
    """Say whether `value` is a Pydantic class with a method `run`."""
    return (
        isinstance(value, type)
        and issubclass(value, BaseModel)
        and inspect.isroutine(getattr(value, "run", None))
    )


def class_tool(tool_class: type[BaseModel]) -> FunctionTool:
    """Return the tool that a class is, strict where its fields allow it.

    Each call makes an instance from the arguments and calls its `run`, which may be async, and may
    take the run context as its one parameter.

    Raises:
        PydanticUserError: A field has no JSON Schema.
    """
    schema = tool_class.model_json_schema()
    schema.pop("description", None)
    strict = strict_form({**schema, "properties": schema.get("properties", {})})

    async def invoke(context: ToolContext[Any], arguments: str) -> object:
        try:
            instance = tool_class.model_validate_json(arguments or "{}")
        except ValidationError as error:
            faults = "; ".join(misfits_of_model(error, whole="arguments"))
            raise ModelBehaviorError(f"wrong arguments ({faults}); correct them") from error
        return await _run(instance, context)

    return FunctionTool(
        name=tool_class.__name__,
        description=inspect.cleandoc(tool_class.__doc__ or ""),
        params_json_schema=strict or schema,
        on_invoke_tool=invoke,
        strict_json_schema=strict is not None,
    )


async def _run(instance: BaseModel, context: ToolContext[Any]) -> object:
    run = contained(instance.run)  # type: ignore[attr-defined]
    given = (context,) if inspect.signature(run).parameters else ()
    if inspect.iscoroutinefunction(run):
        return await run(*given)
    # As the SDK does with functions: one that waits must not keep other branches waiting.
    result = await asyncio.to_thread(run, *given)
    return await result if inspect.isawaitable(result) else result
