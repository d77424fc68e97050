"""The kinds of tools a manifest can declare; the key that names the kind tells them apart."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, SecretStr, StringConstraints, Tag

from agency_cli.manifest.approvals import Approval, ApprovalAnswer, approval_of
from agency_cli.manifest.base import Extensible, Strict, Text, ToolName
from agency_cli.manifest.commands import answer_to_command

FileToolName = Literal["list_files", "read_file", "search_files", "write_file", "edit_file"]
HttpMethod = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


class ToolSpec(Extensible):
    """What every kind of tool can say."""

    description: Text | None = None
    """What the model reads; replaces the tool's own description."""
    timeout_seconds: float | None = Field(default=None, gt=0)
    """How long one call may take; then the model is told, and the run goes on."""
    approval: Approval | None = None
    """Whether a person must agree to a call: an answer for all, or rules, the first match wins."""
    on_resume: Literal["rerun", "report"] | None = None
    """What happens to a call that was under way when its run was interrupted."""
    one_at_a_time: bool | None = None
    """Never run two calls at once, whichever agents make them; they wait for each other."""

    keeps_time_itself: ClassVar[bool] = False
    """Whether the tool ends its calls by itself when their time is up."""

    @property
    def known_names(self) -> tuple[str, ...]:
        """What models call its tools, as far as the declaration alone tells."""
        return ()

    def answer_to(
        self, tool: str, arguments: Mapping[str, Any], own_name: str = ""
    ) -> ApprovalAnswer | None:
        """Return what the manifest says of one call; None where it says nothing.

        Args:
            tool: The tool's name, as the model calls it.
            arguments: The call's arguments by name.
            own_name: What else it is called, where it is a server's.
        """
        if self.approval is None:
            return None
        return approval_of(self.approval, tool, arguments, own_name)


class PythonTool(ToolSpec):
    """A function, a ready tool or a class with `run`, written in Python; or all of a file."""

    python: Text
    """`file.py:name` beside the manifest, or `package.module:name`; or `file.py`, or `folder/`, for
    all public functions and tools that are defined there."""
    name: ToolName | None = None
    """What the model calls it; without it, its own name in Python."""
    strict: bool | None = None
    """Whether providers hold the model to the arguments' schema; without it, where they can."""

    @property
    def is_whole(self) -> bool:
        """Whether it stands for all tools of a file or a folder."""
        return ":" not in self.python and self.python.endswith((".py", "/"))

    @property
    def known_names(self) -> tuple[str, ...]:
        return () if self.name is None else (self.name,)


class FilesTool(ToolSpec):
    """Read, write, edit, list and search files below one folder, and nowhere else."""

    builtin: Literal["files"]
    """Which built-in tool: `files`."""
    root: Text
    """The folder, made when it is missing; nothing outside it can be reached."""
    read_only: bool = False
    """Offer only what reads: no writing and no editing."""
    allow: list[FileToolName] | None = Field(default=None, min_length=1)
    """Which of them to offer; without it, all."""

    @property
    def known_names(self) -> tuple[str, ...]:
        writing = () if self.read_only else ("write_file", "edit_file")
        names = ("list_files", "read_file", "search_files", *writing)
        return names if self.allow is None else tuple(n for n in names if n in self.allow)


class ShellTool(ToolSpec):
    """Run commands in a shell; a person is asked before each unless `approval` says otherwise."""

    keeps_time_itself: ClassVar[bool] = True
    builtin: Literal["shell"]
    """Which built-in tool: `shell`."""
    folder: Text | None = None
    """The working folder, made when it is missing; without it, the folder of the manifest."""
    env: list[Text] = Field(default_factory=list)
    """Names of environment variables that commands get although they look like secrets."""

    @property
    def known_names(self) -> tuple[str, ...]:
        return ("run_command",)

    def answer_to(
        self,
        tool: str,
        arguments: Mapping[str, Any],
        own_name: str = "",  # noqa: ARG002 - of servers' tools alone
    ) -> ApprovalAnswer:
        command = str(arguments.get("command", ""))
        return answer_to_command(self.approval or "ask", tool, command)


class HttpTool(ToolSpec):
    """Fetch from, and post to, named hosts."""

    keeps_time_itself: ClassVar[bool] = True
    builtin: Literal["http"]
    """Which built-in tool: `http`."""
    hosts: list[Text] = Field(min_length=1)
    """The only hosts that can be reached: `example.org`, `example.org:8080`, `*.example.org`."""
    methods: list[HttpMethod] = Field(default=["GET", "POST"], min_length=1)
    """The only methods of requests."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """HTTP headers of every request, such as a key; models do not see them."""

    @property
    def known_names(self) -> tuple[str, ...]:
        return ("http_request",)


class AskUserTool(ToolSpec):
    """Ask the person at the terminal."""

    builtin: Literal["ask_user"]
    """Which built-in tool: `ask_user`."""

    @property
    def known_names(self) -> tuple[str, ...]:
        return ("ask_user",)


class HostedTool(ToolSpec):
    """A tool that the provider runs."""

    hosted: Text
    """Its name, such as `web_search`."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Its settings, by the names that the SDK and the provider have for them."""

    @property
    def known_names(self) -> tuple[str, ...]:
        # An agent may have several servers, and no function has such a name.
        label = self.options.get("server_label", "")
        return (f"mcp:{label}" if self.hosted == "mcp" else self.hosted,)


class McpServer(Strict):
    """How to start, or reach, an MCP server."""

    command: Text | None = None
    """Program to start; it speaks over its standard input and output."""
    args: list[str] = Field(default_factory=list)
    """Arguments of the program."""
    env: dict[str, SecretStr] = Field(default_factory=dict)
    """Variables of the program's environment."""
    folder: Text | None = None
    """Working folder of the program; without it, the manifest's."""
    url: Text | None = None
    """Address of a server that is already running."""
    transport: Literal["streamable_http", "sse"] = "streamable_http"
    """How the server at `url` is spoken to."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """HTTP headers of every request to `url`."""


class McpTool(ToolSpec):
    """The tools of an MCP server."""

    mcp: McpServer
    """The server."""
    allow: list[Text] | None = None
    """Patterns (`*`, `?`) of the tools to offer, by the server's names; without it, all."""
    deny: list[Text] = Field(default_factory=list)
    """Patterns of the tools to leave out."""
    required: bool = True
    """Whether a run may not start without the server."""
    startup_timeout_seconds: float = Field(default=30, gt=0)
    """How long the server may take to start."""


class OpenApiTool(ToolSpec):
    """One tool for each operation of an HTTP service."""

    keeps_time_itself: ClassVar[bool] = True
    openapi: Text
    """File beside the manifest, or address, of its OpenAPI document (3.x, JSON or YAML)."""
    base_url: Text | None = None
    """Address of the service; without it, the document's first server."""
    operations: list[Text] | None = Field(default=None, min_length=1)
    """Patterns (`*`, `?`) of the operations to offer, each of an operationId or of a method and a
    path, such as `GET /pets/*`; without it, all."""
    prefix: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{0,32}$")] = ""
    """What the name of each tool begins with."""
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    """HTTP headers of every request, such as a key; models do not see them."""
    query: dict[str, SecretStr] = Field(default_factory=dict)
    """Parameters in the query of every request, such as a key; models do not see them."""
    remote_refs: bool = False
    """Whether the document may refer to documents on any server; without it, only to those below
    its own folder."""

    @property
    def is_remote(self) -> bool:
        """Whether the document is fetched."""
        return self.openapi.lower().startswith(("http://", "https://"))


TOOL_KINDS: dict[str, tuple[type[ToolSpec], ...]] = {
    "python": (PythonTool,),
    "builtin": (FilesTool, ShellTool, HttpTool, AskUserTool),
    "hosted": (HostedTool,),
    "mcp": (McpTool,),
    "openapi": (OpenApiTool,),
}
"""The key that names a kind, and the models it can lead to."""


def kind_tag(value: Any) -> str | None:
    """Return the kind of a tool as written: its kind key, or the name of the built-in tool."""
    if isinstance(value, ToolSpec):
        # It is written out, not read.
        value = vars(value)
    if not isinstance(value, dict):
        return type(value).__name__
    for key in TOOL_KINDS:
        if key in value:
            return str(value[key]) if key == "builtin" else key
    return None


AnyTool = Annotated[
    Annotated[PythonTool, Tag("python")]
    | Annotated[FilesTool, Tag("files")]
    | Annotated[ShellTool, Tag("shell")]
    | Annotated[HttpTool, Tag("http")]
    | Annotated[AskUserTool, Tag("ask_user")]
    | Annotated[HostedTool, Tag("hosted")]
    | Annotated[McpTool, Tag("mcp")]
    | Annotated[OpenApiTool, Tag("openapi")],
    Discriminator(kind_tag),
]
