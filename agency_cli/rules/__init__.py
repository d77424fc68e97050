"""Every rule that a manifest must keep, told to people: in the docs, and in logs of SARIF."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agency_cli.rules import agents, deep, files, flows, lint, names, shape, texts, yaml
from agency_cli.rules.rule import Rule

__all__ = ["RULES", "SECTIONS", "Rule"]

SECTIONS: Final[Mapping[str, tuple[Rule, ...]]] = {
    "Files": files.RULES,
    "YAML": yaml.RULES,
    "Keys and values": shape.RULES,
    "Variables, params and texts": texts.RULES,
    "Names that lead nowhere": names.RULES,
    "Agents, tools and models": agents.RULES,
    "Flows": flows.RULES,
    "Warnings": lint.RULES,
    "Python code": deep.RULES,
}
"""The rules by the title of their part of `docs/problems.md`, in its order."""

RULES: Final[Mapping[str, Rule]] = {
    rule.code: rule for rules in SECTIONS.values() for rule in rules
}
"""The rules by their codes."""
