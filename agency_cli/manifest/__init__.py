"""The file format: frozen models of a manifest, unknown keys refused."""

from agency_cli.manifest.agents import AgentSpec, Defaults
from agency_cli.manifest.approvals import Approval, ApprovalAnswer, ApprovalRule, approval_of
from agency_cli.manifest.document import Manifest
from agency_cli.manifest.flows import (
    DEFAULT_TOOL_NAME,
    MESSAGE_PARAMETERS,
    Flow,
    FlowKind,
    FlowSpec,
    handoff_name,
)
from agency_cli.manifest.limits import Limits
from agency_cli.manifest.models import ModelSettings, ModelSpec, Price, Provider, Retry
from agency_cli.manifest.params import ParamSpec
from agency_cli.manifest.tools import (
    TOOL_KINDS,
    AnyTool,
    FilesTool,
    PythonTool,
    ToolSpec,
)

__all__ = [
    "DEFAULT_TOOL_NAME",
    "MESSAGE_PARAMETERS",
    "TOOL_KINDS",
    "AgentSpec",
    "AnyTool",
    "Approval",
    "ApprovalAnswer",
    "ApprovalRule",
    "Defaults",
    "FilesTool",
    "Flow",
    "FlowKind",
    "FlowSpec",
    "Limits",
    "Manifest",
    "ModelSettings",
    "ModelSpec",
    "ParamSpec",
    "Price",
    "Provider",
    "PythonTool",
    "Retry",
    "ToolSpec",
    "approval_of",
    "handoff_name",
]
