"""The file format: frozen models of a manifest, unknown keys refused."""

from agency_cli.manifest.agents import AgentSpec, Defaults
from agency_cli.manifest.approvals import Approval, ApprovalAnswer, ApprovalRule, approval_of
from agency_cli.manifest.credentials import credentials_in, credentials_of, without_scheme
from agency_cli.manifest.document import Manifest
from agency_cli.manifest.flows import (
    DEFAULT_TOOL_NAME,
    MESSAGE_PARAMETERS,
    Flow,
    FlowKind,
    FlowSpec,
    handoff_name,
)
from agency_cli.manifest.guardrails import (
    AnyGuardrail,
    JudgeGuardrail,
    PythonGuardrail,
    RegexGuardrail,
    SchemaGuardrail,
)
from agency_cli.manifest.limits import Limits
from agency_cli.manifest.models import ModelSettings, ModelSpec, Price, Provider, Retry
from agency_cli.manifest.params import ParamSpec
from agency_cli.manifest.tools import (
    TOOL_KINDS,
    AnyTool,
    AskUserTool,
    FilesTool,
    HostedTool,
    HttpTool,
    McpServer,
    McpTool,
    OpenApiTool,
    PythonTool,
    ShellTool,
    ToolSpec,
)

__all__ = [
    "DEFAULT_TOOL_NAME",
    "MESSAGE_PARAMETERS",
    "TOOL_KINDS",
    "AgentSpec",
    "AnyGuardrail",
    "AnyTool",
    "Approval",
    "ApprovalAnswer",
    "ApprovalRule",
    "AskUserTool",
    "Defaults",
    "FilesTool",
    "Flow",
    "FlowKind",
    "FlowSpec",
    "HostedTool",
    "HttpTool",
    "JudgeGuardrail",
    "Limits",
    "Manifest",
    "McpServer",
    "McpTool",
    "ModelSettings",
    "ModelSpec",
    "OpenApiTool",
    "ParamSpec",
    "Price",
    "Provider",
    "PythonGuardrail",
    "PythonTool",
    "RegexGuardrail",
    "Retry",
    "SchemaGuardrail",
    "ShellTool",
    "ToolSpec",
    "approval_of",
    "credentials_in",
    "credentials_of",
    "handoff_name",
    "without_scheme",
]
