"""The model of agents that name none: the SDK knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agents.models import get_default_model

from agency_cli.models.choice import ModelChoice


def with_default_model(choices: Mapping[str, ModelChoice]) -> dict[str, ModelChoice]:
    """Return the choices with the SDK's default model where no model was named."""
    return {
        key: choice if choice.model else replace(choice, model=get_default_model())
        for key, choice in choices.items()
    }
