"""The work of one_agent.yaml, written by hand on the SDK and nothing else."""

from __future__ import annotations

import asyncio
import sys

from agents import Agent, Runner, set_default_openai_api, set_tracing_disabled


async def main(message: str) -> None:
    set_default_openai_api("chat_completions")
    set_tracing_disabled(disabled=True)
    agent = Agent("greeter", instructions="You answer in one sentence.", model="gpt-5-mini")
    result = Runner.run_streamed(agent, message)
    async for _ in result.stream_events():
        pass
    sys.stdout.write(f"{result.final_output}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
