"""Contracts of messages alone: made from YAML or a class, read, and shown to a strict provider."""

from __future__ import annotations

import json
from typing import Any

from jsonschema import Draft202012Validator
from pydantic import BaseModel

from agency_cli import SendMessage
from agency_cli.messaging.contract import Contract
from agency_cli.strictness import FORMATS, KEYWORDS
from fake_server.soundness import faults_of

BASE = {"recipient_agent": "worker", "message": "Go", "additional_instructions": None}


def read(contract: Contract, **extra: Any) -> BaseModel:
    return contract.read(json.dumps({**BASE, **extra})).params


def of_yaml(**params: Any) -> Contract:
    return Contract(extra_params=params)


def of_class(params: type[BaseModel]) -> Contract:
    return Contract(type("Request", (SendMessage,), {"ExtraParams": params}))


def refused_by_provider(contract: Contract) -> list[str]:
    """Return what a provider says against the tool; nothing if it takes it."""
    schema, strict = contract.tool_schema(["worker"])
    function = {"name": "send_message", "parameters": schema, "strict": strict}
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "tools": [{"type": "function", "function": function}],
    }
    Draft202012Validator.check_schema(schema)
    return [*faults_of("/v1/chat/completions", body), *(_unknown_words(schema) if strict else ())]


def _unknown_words(schema: Any) -> list[str]:
    """Name what strict mode does not know, in any depth."""
    if not isinstance(schema, dict):
        return []
    found = sorted(schema.keys() - (KEYWORDS - {"default", "oneOf"}))
    found += [] if schema.get("format", "date") in FORMATS else [schema["format"]]
    parts = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    for part in (*parts, *schema.get("anyOf", ()), schema.get("items")):
        found += _unknown_words(part)
    return found
