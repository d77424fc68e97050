"""The work of three_workers.yaml, written by hand on the SDK and nothing else."""

from __future__ import annotations

import asyncio
import sys

from agents import Agent, AgentToolStreamEvent, Runner, set_default_openai_api, set_tracing_disabled

MODEL = "gpt-5-mini"
WORKERS = {"alpha": "first", "beta": "second", "gamma": "third"}


async def main(message: str) -> None:
    # As `agency` does with a server that is not OpenAI's: the API that all of them speak, and
    # nothing uploaded.
    set_default_openai_api("chat_completions")
    set_tracing_disabled(disabled=True)
    result = Runner.run_streamed(manager(), message)
    async for _ in result.stream_events():
        pass
    sys.stdout.write(f"{result.final_output}\n")


def manager() -> Agent:
    return Agent(
        "manager",
        instructions="You are the manager. Ask every worker, then sum up.",
        model=MODEL,
        tools=[worker(name, part) for name, part in WORKERS.items()],
    )


def worker(name: str, part: str):
    agent = Agent(name, instructions=f"You are {name}. Do your part.", model=MODEL)
    return agent.as_tool(f"ask_{name}", f"Does the {part} part.", on_stream=streamed)


def streamed(_event: AgentToolStreamEvent) -> None:
    """Having a listener is what makes the SDK stream a tool's agent."""


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
