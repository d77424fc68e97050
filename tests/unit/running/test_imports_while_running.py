"""Files beside a manifest are found by imports that run while agents do, apart from others'."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agency_cli.building import Agency
from agency_runs import LONGEST, build, message, run_async

MESSAGES = """
from agency_cli import SendMessage

class Lazy(SendMessage):
    def compose(self, message, params, sender, recipient):
        from run_helper import NAME
        return f"{message} in {NAME}"

    async def reply(self, output, params, sender, recipient):
        import run_helper
        return f"{output} of {run_helper.NAME}"
"""
TOOLS = """
def where() -> str:
    "Tell where."
    import run_package.inner as inner
    return inner.name()

async def where_async() -> str:
    "Tell where."
    from run_package import inner
    return inner.name()
"""
INNER = """
def name():
    from run_helper import NAME
    return NAME
"""
TEAM = """
entry: boss
tools: {where: {python: "tools.py:where"}, later: {python: "tools.py:where_async"}}
agents:
  boss: {instructions: You are the boss of NAME., tools: [where, later]}
  worker: {instructions: You are the worker of NAME.}
flows:
  - {from: boss, to: worker, send_message: "messages.py:Lazy"}
"""


@pytest.fixture
def agencies(tmp_path: Path, fake_server) -> list[Agency]:
    built = []
    for name in ("north", "south"):
        folder = tmp_path / name
        (folder / "run_package").mkdir(parents=True)
        (folder / "messages.py").write_text(MESSAGES)
        (folder / "tools.py").write_text(TOOLS)
        (folder / "run_helper.py").write_text(f"NAME = {name!r}")
        (folder / "run_package" / "inner.py").write_text(INNER)
        built.append(build(folder, fake_server, TEAM.replace("NAME", name)))
    return built


def test_two_agencies_that_run_at_once_each_find_their_own_files(agencies, fake_server):
    for name in ("north", "south"):
        when = fake_server.when
        boss = f"the boss of {name}"
        when(instructions=boss, turn=0).calls("send_message", **message("worker", "Dig"))
        when(instructions=f"worker of {name}", user=f"Dig in {name}").says("dug")
        when(instructions=boss, turn=1, tool_output=f"dug of {name}").calls("where")
        when(instructions=boss, turn=2, tool_output=name).calls("where_async")
        when(instructions=boss, turn=3, tool_output=name).says(f"done in {name}")

    async def main() -> list[str | None]:
        runs = asyncio.gather(*(run_async(agency) for agency in agencies))
        outcomes = await asyncio.wait_for(runs, LONGEST)
        for agency in agencies:
            await agency.close()
        return [outcome.output for outcome in outcomes]

    assert asyncio.run(main()) == ["done in north", "done in south"]
