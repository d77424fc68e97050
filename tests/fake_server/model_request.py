"""One view of a request to a model, whichever of the two APIs it came through."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Api = Literal["chat", "responses"]
Speaker = Literal["user", "assistant", "tool"]


@dataclass(frozen=True)
class Message:
    """What somebody said: the user, the assistant (with its calls), or a tool.

    `calls` are (call id, tool name, arguments as text); `call_id` is the call a tool answers.
    """

    speaker: Speaker
    text: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    call_id: str = ""


@dataclass(frozen=True)
class OfferedTool:
    name: str
    description: str
    schema: Mapping[str, Any]
    strict: bool


@dataclass(frozen=True, kw_only=True)
class ModelRequest:
    """A request as the rules see it; `body` is what was sent."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    api: Api
    model: str
    stream: bool
    include_usage: bool
    instructions: str
    messages: tuple[Message, ...]
    tools: tuple[OfferedTool, ...]
    _maker_of: Callable[[str], str | None] = field(repr=False, default=lambda _: None)

    @property
    def last_user_text(self) -> str:
        return next((m.text for m in reversed(self.messages) if m.speaker == "user"), "")

    @property
    def since_user(self) -> tuple[Message, ...]:
        """The messages after the user's last one."""
        spoken = [at for at, m in enumerate(self.messages) if m.speaker == "user"]
        return self.messages[spoken[-1] + 1 :] if spoken else self.messages

    @property
    def tool_outputs(self) -> tuple[str, ...]:
        """What tools gave back since the user's last message."""
        return tuple(m.text for m in self.since_user if m.speaker == "tool")

    @property
    def tool_names(self) -> tuple[str, ...]:
        return tuple(tool.name for tool in self.tools)

    @property
    def turn(self) -> int:
        """How often an assistant has spoken or called tools since the user's last message."""
        return self.turn_of(lambda _: True)

    def turn_of(self, is_own: Callable[[str], bool]) -> int:
        """Count only what an agent did whose instructions `is_own` accepts.

        After a handoff the history holds what others did. Whose a call was is known by its id, if
        this server made it; everything else counts.
        """
        turns = 0
        for message in self.since_user:
            if message.speaker == "assistant":
                makers = {self._maker_of(call_id) for call_id, _, _ in message.calls} - {None}
                turns += not makers or any(is_own(maker) for maker in makers if maker)
        return turns

    def __str__(self) -> str:
        """Everything that a person needs to write the rule that is missing."""
        return (
            f"{self.api} model={self.model!r} stream={self.stream} turn={self.turn} "
            f"tool_results={len(self.tool_outputs)} instructions={_short(self.instructions)} "
            f"user={_short(self.last_user_text)} tools={list(self.tool_names)}"
        )


def view(
    path: str,
    headers: Mapping[str, str],
    body: Mapping[str, Any],
    maker_of: Callable[[str], str | None],
) -> ModelRequest:
    """Read a sound body of either API."""
    is_chat = path.endswith("/chat/completions")
    instructions, messages = _chat(body["messages"]) if is_chat else _responses(body)
    options = body.get("stream_options") or {}
    return ModelRequest(
        path=path,
        headers=headers,
        body=body,
        api="chat" if is_chat else "responses",
        model=body["model"],
        stream=bool(body.get("stream")),
        # The Responses API always reports usage.
        include_usage=bool(options.get("include_usage")) or not is_chat,
        instructions=instructions,
        messages=messages,
        tools=tuple(_tools(body.get("tools") or ())),
        _maker_of=maker_of,
    )


def _chat(messages: Iterable[Mapping[str, Any]]) -> tuple[str, tuple[Message, ...]]:
    instructions, said = [], []
    for message in messages:
        text = text_of(message.get("content"))
        match message["role"]:
            case "system" | "developer":
                instructions.append(text)
            case "assistant":
                calls = tuple(
                    (call["id"], call["function"]["name"], call["function"]["arguments"])
                    for call in message.get("tool_calls") or ()
                )
                said.append(Message("assistant", text, calls))
            case "tool":
                said.append(Message("tool", text, call_id=message["tool_call_id"]))
            case _:
                said.append(Message("user", text))
    return "\n".join(instructions), _joined(said)


def _responses(body: Mapping[str, Any]) -> tuple[str, tuple[Message, ...]]:
    given = body.get("input") or []
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    instructions = [body["instructions"]] if body.get("instructions") else []
    said = []
    for item in items:
        match item.get("type", "message"):
            case "function_call":
                call = (item["call_id"], item["name"], item["arguments"])
                said.append(Message("assistant", calls=(call,)))
            case "function_call_output":
                said.append(Message("tool", text_of(item["output"]), call_id=item["call_id"]))
            case "message":
                text = text_of(item["content"])
                if item["role"] in ("system", "developer"):
                    instructions.append(text)
                else:
                    said.append(
                        Message("assistant" if item["role"] == "assistant" else "user", text)
                    )
            case _:
                # Reasoning and hosted tools' items belong to what stands beside them.
                continue
    return "\n".join(instructions), _joined(said)


def _joined(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Make one message of what an assistant said and called in one response."""
    joined: list[Message] = []
    for message in messages:
        last = joined[-1] if joined else None
        if last and last.speaker == message.speaker == "assistant":
            text = "\n".join(filter(None, (last.text, message.text)))
            joined[-1] = Message("assistant", text, last.calls + message.calls)
        else:
            joined.append(message)
    return tuple(joined)


def text_of(content: Any) -> str:
    """Return the text of a message's content: a string, or parts of which some are texts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return json.dumps(content)
    return "".join(part.get("text") or part.get("refusal") or "" for part in content)


def _tools(tools: Iterable[Mapping[str, Any]]) -> Iterable[OfferedTool]:
    for tool in tools:
        # Chat Completions wraps a function in an object of its own.
        function = tool.get("function", tool)
        yield OfferedTool(
            name=function.get("name") or tool["type"],
            description=function.get("description") or "",
            schema=function.get("parameters") or {},
            strict=bool(function.get("strict")),
        )


def _short(text: str) -> str:
    longest = 200
    return repr(text if len(text) <= longest else f"{text[:longest]}…")
