"""One agent asks N others at the same time; each answer takes 0.1 s. Prints the seconds.

python tests/bench/parallel.py          100 delegations
python tests/bench/parallel.py 0        none: what starting up and one answer take
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

from agents import ModelResponse, Usage
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

from agency_cli.building import Agency, build_agency
from agency_cli.calltree import CallTree
from agency_cli.loading import load_manifest
from agency_cli.models.choice import ModelOverrides
from agency_cli.running import RunRequest, quieten_sdk, run_agency

ANSWER_SECONDS = 0.1
USAGE = Usage(requests=1, input_tokens=10, output_tokens=5, total_tokens=15)


def main() -> int:
    """Run once; exit code 1 if not everybody answered."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    quieten_sdk(tracing=False)
    with tempfile.TemporaryDirectory(prefix="agency-bench-") as folder:
        agency = _agency(Path(folder), count)
    tree = CallTree()
    request = RunRequest("Go", "boss", agency.loaded.manifest.limits)
    began = time.perf_counter()
    asyncio.run(run_agency(agency, request, tree.add))
    seconds = time.perf_counter() - began
    answered = sum(node.kind == "message" and node.output == "ok" for node in tree.nodes.values())
    sys.stdout.write(f"{answered} delegations of {ANSWER_SECONDS:g} s: {seconds:.2f} s\n")
    return 0 if answered == count else 1


def _agency(folder: Path, count: int) -> Agency:
    names = [f"worker{number}" for number in range(count)]
    agents = "".join(f"  {name}: {{instructions: You work.}}\n" for name in names)
    flows = f"flows: ['boss > {', '.join(names)}']\n" if names else ""
    path = folder / "agency.yaml"
    path.write_text(
        "version: 1\nname: parallel\nentry: boss\n"
        f"limits: {{max_parallel: {max(count, 1)}, max_turns: {count + 2}}}\n"
        f"agents:\n  boss: {{instructions: You ask.}}\n{agents}{flows}",
        encoding="utf-8",
    )
    agency = build_agency(
        load_manifest(path),
        overrides=ModelOverrides(),
        environ={"OPENAI_API_KEY": "not used"},
        notify=lambda _: None,
    )
    agency.agents["boss"].model.models[0].inner = ScriptedModel(_asking(names))
    for name in names:
        agency.agents[name].model.models[0].inner = ScriptedModel([ModelStep.respond(_answer)])
    return agency


def _asking(names: list[str]) -> list[ModelResponse]:
    calls = [
        function_call("send_message", json.dumps(_message(name)), call_id=name) for name in names
    ]
    asked = [ModelResponse(output=calls, usage=USAGE, response_id=None)] if calls else []
    done = ModelResponse(output=[assistant_message("done")], usage=USAGE, response_id=None)
    return [*asked, done]


def _message(recipient: str) -> dict[str, str | None]:
    return {"recipient_agent": recipient, "message": "Work.", "additional_instructions": None}


async def _answer(_call: object) -> ModelResponse:
    await asyncio.sleep(ANSWER_SECONDS)
    return ModelResponse(output=[assistant_message("ok")], usage=USAGE, response_id=None)


if __name__ == "__main__":
    sys.exit(main())
