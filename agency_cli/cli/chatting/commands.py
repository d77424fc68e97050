"""What a line of a chat means: a command, a message to one agent, or a message."""

from __future__ import annotations

import re
import shlex
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from agency_cli.checks.nearest import did_you_mean
from agency_cli.cli.chatting.conversation import Chat
from agency_cli.errors import UsageError
from agency_cli.rendering.summary import Line
from agency_cli.store import without_password

AS_IT_IS: Final = "to send it as it is, put a blank before it"


class Leave(Exception):
    """The person wants to leave the chat."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: how it is written, what it is for, and what it does with the rest of a line."""

    usage: str
    about: str
    act: Callable[[Chat, str], Awaitable[None]]

    @property
    def takes_text(self) -> bool:
        return " " in self.usage


async def take(chat: Chat, line: str) -> None:
    """Do what a line asks for.

    Raises:
        Leave: It asks to leave.
        AgencyError: It asks for what there is not, or a run failed.
    """
    text = line.rstrip()
    match text[:1]:
        case "":
            return
        case "/":
            await _command(chat, text)
        case "@":
            await _one_message(chat, text)
        case _:
            await chat.send(text[1:] if text[:2] in {" /", " @"} else text)


async def _command(chat: Chat, text: str) -> None:
    name, *following = text[1:].split(maxsplit=1) if text[1:2].strip() else [""]
    rest = "".join(following)
    command = COMMANDS.get(name.lower())
    if command is None:
        near = did_you_mean(f"/{name}", (f"/{known}" for known in COMMANDS))
        raise UsageError(f"there is no command /{name}{near}; see /help, or {AS_IT_IS}")
    if rest and not command.takes_text:
        raise UsageError(f"{command.usage} takes no text, so nothing was done; {AS_IT_IS}")
    await command.act(chat, rest)


async def _one_message(chat: Chat, text: str) -> None:
    found = re.match(r"@([\w-]*)[,:]?\s*", text)
    assert found is not None
    message = text[found.end() :]
    agent = agent_named(chat, found[1], f"; {AS_IT_IS}")
    if not message:
        raise UsageError(f"there is no message; write one: @{agent} MESSAGE")
    await chat.send(message, to=agent)


def agent_named(chat: Chat, wanted: str, advice: str = "") -> str:
    """Return the key of the agent with that name, whatever its case.

    Raises:
        UsageError: There is none; names those that there are, and ends with `advice`.
    """
    keys = {key.casefold(): key for key in chat.manifest.agents}
    if wanted.casefold() in keys:
        return keys[wanted.casefold()]
    near = did_you_mean(wanted, chat.manifest.agents)
    raise UsageError(
        f"no agent named {wanted!r}{near}; the agents are {', '.join(keys.values())}{advice}"
    )


def way_back(chat: Chat) -> str:
    """Return the command line that goes on with the chat's thread."""
    words = ["agency", "chat", str(chat.options.manifest), "--thread", chat.thread_id or ""]
    if chat.options.store:
        words += ["--store", without_password(chat.options.store)]
    return shlex.join(words)


async def _agents(chat: Chat, _rest: str) -> None:
    chat.screen.show_table(
        [
            (f"{'*' if key == chat.active else ' '} {key}", agent.description or "")
            for key, agent in chat.manifest.agents.items()
        ]
    )


async def _agent(chat: Chat, rest: str) -> None:
    agent = agent_named(chat, rest) if rest else chat.active
    chat.order.require_credentials(agent)
    chat.give_to(agent)
    chat.screen.show_lines([Line(f"{agent} has the conversation")])


async def _new(chat: Chat, rest: str) -> None:
    before = chat.thread_id
    chat.begin_anew()
    kept = f"; thread {before} stays stored" if before else ""
    begins = "a new thread begins" if rest else "a new thread begins with your next message"
    chat.screen.show_lines([Line(f"{begins}{kept}")])
    if rest:
        await take(chat, rest)


async def _thread(chat: Chat, _rest: str) -> None:
    if chat.thread_id is None:
        chat.screen.show_lines([Line("there is no thread yet; your first message begins one")])
    else:
        chat.order.threads.require(chat.thread_id)
        chat.screen.show_lines(
            [
                Line(f"thread {chat.thread_id}; to go on with it:"),
                Line(f"  {way_back(chat)}"),
            ]
        )


async def _cost(chat: Chat, _rest: str) -> None:
    chat.screen.show_costs(chat.models, chat.agents)


async def _model(chat: Chat, rest: str) -> None:
    if rest:
        await chat.use_model(rest)
    chat.screen.show_table(list((await chat.models_in_use()).items()))


async def _retry(chat: Chat, _rest: str) -> None:
    await chat.retry()


async def _help(chat: Chat, _rest: str) -> None:
    chat.screen.show_table(
        [(command.usage, command.about) for command in COMMANDS.values()]
        + [
            ("@NAME TEXT", "give this one message to the agent NAME"),
            (" /TEXT,  @TEXT", "a blank before it makes it a message like any other"),
            ("Alt-Enter, Ctrl-J", "begin a new line"),
            ("Ctrl-C", "stop the answer, or clear the line"),
            ("Ctrl-D", "leave"),
        ]
    )


async def _quit(_chat: Chat, _rest: str) -> None:
    raise Leave


COMMANDS: Final[Mapping[str, Command]] = {
    "agents": Command("/agents", "list the agents; * has the conversation", _agents),
    "agent": Command("/agent NAME", "give the conversation to the agent NAME", _agent),
    "new": Command("/new [TEXT]", "begin a new thread, with TEXT; the old one stays stored", _new),
    "thread": Command("/thread", "show the thread's id, and how to go on with it", _thread),
    "cost": Command("/cost", "show what this chat cost, by model and by agent", _cost),
    "model": Command("/model [AGENT=]MODEL", "use another model from now on", _model),
    "retry": Command("/retry", "take the last exchange back and send its message again", _retry),
    "help": Command("/help", "show this list", _help),
    "quit": Command("/quit", "leave", _quit),
}
