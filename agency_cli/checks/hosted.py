"""Tools that the provider runs: their names and options, and providers that have none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.checks.references import BUILT_IN_PROVIDER
from agency_cli.checks.subject import Path, Subject
from agency_cli.errors import Problem
from agency_cli.manifest import HostedTool, Manifest, ModelSpec


@dataclass(frozen=True, slots=True)
class HostedKind:
    """A tool as the SDK has it.

    Attributes:
        options: Names of what can be said of it.
        required: Those that must be.
    """

    options: frozenset[str]
    required: tuple[str, ...] = ()


HOSTED: Final = {
    "web_search": HostedKind(
        frozenset(
            {
                "external_web_access",
                "filters",
                "image_settings",
                "search_content_types",
                "search_context_size",
                "user_location",
            }
        )
    ),
    "file_search": HostedKind(
        frozenset(
            {
                "filters",
                "include_search_results",
                "max_num_results",
                "ranking_options",
                "vector_store_ids",
            }
        ),
        ("vector_store_ids",),
    ),
    "code_interpreter": HostedKind(frozenset({"allowed_callers", "container"}), ("container",)),
    "image_generation": HostedKind(
        frozenset(
            {
                "action",
                "background",
                "input_fidelity",
                "input_image_mask",
                "model",
                "moderation",
                "output_compression",
                "output_format",
                "partial_images",
                "quality",
                "size",
            }
        )
    ),
    "mcp": HostedKind(
        frozenset(
            {
                "allowed_callers",
                "allowed_tools",
                "authorization",
                "connector_id",
                "defer_loading",
                "headers",
                "require_approval",
                "server_description",
                "server_label",
                "server_url",
                "tunnel_id",
            }
        ),
        ("server_label", "require_approval"),
    ),
}
"""The SDK's hosted tools by name; a test proves that it says what the SDK says."""

_WITHOUT_EFFECT: Final = (
    "description", "timeout_seconds", "approval", "on_resume", "one_at_a_time",
)  # fmt: skip


def known_hosted_tools(subject: Subject) -> Iterator[Problem]:
    """Each hosted tool is one that there is, with options that it has."""
    for key, tool in _hosted(subject.manifest):
        path: Path = ("tools", key)
        kind = HOSTED.get(tool.hosted)
        if kind is None:
            hint = did_you_mean(tool.hosted, HOSTED) or f"; there are {listed(HOSTED)}"
            what = f"no hosted tool is named {tool.hosted!r}{hint}"
            yield Problem(code="unknown-hosted-tool", message=what, path=(*path, "hosted"))
            continue
        yield from _option_problems(tool, kind, path)
        for name in _WITHOUT_EFFECT:
            if name in tool.model_fields_set:
                what = f"{name!r} has no effect on a tool that the provider runs; remove it"
                yield Problem(
                    code="key-without-effect", message=what, path=(*path, name), at_key=True
                )


def providers_of_hosted_tools(subject: Subject) -> Iterator[Problem]:
    """Agents with hosted tools have models whose provider runs such tools."""
    manifest = subject.manifest
    hosted = {key for key, _ in _hosted(manifest)}
    for key, agent in manifest.agents.items():
        name = agent.model or manifest.defaults.model
        lacking = _without_responses(name, manifest) if name else None
        for position, tool in enumerate(agent.tools):
            if lacking is not None and tool in hosted:
                yield without_hosted_tools(tool, lacking, ("agents", key, "tools", position))


def without_hosted_tools(tool: str, model: str, path: Path) -> Problem:
    """Return the problem of an agent whose model cannot have a hosted tool."""
    what = (
        f"{tool!r} is run by the provider, which needs OpenAI's Responses API, and {model!r} is"
        " not reached through it; give the agent a model of OpenAI, or of a provider with"
        " `api: responses`, or take the tool away"
    )
    return Problem(code="needs-responses", message=what, path=path)


def _option_problems(tool: HostedTool, kind: HostedKind, path: Path) -> Iterator[Problem]:
    for name in tool.options:
        if name not in kind.options:
            hint = did_you_mean(name, kind.options) or f"; there are {listed(sorted(kind.options))}"
            what = f"{tool.hosted} has no option {name!r}{hint}"
            place = (*path, "options", name)
            yield Problem(code="unknown-option", message=what, path=place, at_key=True)
    missing = [name for name in kind.required if name not in tool.options]
    if missing:
        what = f"{tool.hosted} needs `options` with {' and '.join(missing)}"
        yield Problem(code="missing-key", message=what, path=path)
    elif tool.hosted == "mcp" and tool.options["require_approval"] != "never":
        what = (
            "calls that the provider makes cannot be asked about here; write `require_approval:"
            " never`, choose the tools with `allowed_tools`, or use the server as `mcp:` instead"
        )
        place = (*path, "options", "require_approval")
        yield Problem(code="bad-value", message=what, path=place)


def _without_responses(name: str, manifest: Manifest) -> str | None:
    """Return the first model of a chain that is surely not reached by the Responses API."""
    for each, spec in manifest.model_chain(name).items():
        if not _may_have_responses(spec, manifest):
            return each
    return None


def _may_have_responses(spec: ModelSpec, manifest: Manifest) -> bool:
    if spec.model == "local" or spec.model.startswith(("local:", "litellm/")):
        return False
    provider = manifest.providers.get(spec.provider or BUILT_IN_PROVIDER)
    # What is not declared is OpenAI, or what the environment says.
    return provider is None or provider.api == "responses"


def _hosted(manifest: Manifest) -> Iterator[tuple[str, HostedTool]]:
    for key, tool in manifest.tools.items():
        if isinstance(tool, HostedTool):
            yield key, tool
