"""The real embedded model, run by the real SDK."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise

import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    ModelTracing,
    RunConfig,
    Runner,
    function_tool,
)
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from agency_cli.checks.formats import FORMATS, has_format
from agency_cli.errors import ProviderFailed
from agency_cli.models.local.asking import Asker
from agency_cli.models.local.conversation import Conversation
from agency_cli.models.local.deciding import Offer
from agency_cli.models.local.engine import WINDOW, Engines, Sampling, Stopped
from agency_cli.models.local.filling import fill
from agency_cli.models.local.model import LocalModel
from agency_cli.models.local.schemas import Unfillable
from agency_cli.models.local.speaker import Question, Speaker

UNTRACED = RunConfig(tracing_disabled=True)
SHORT = ModelSettings(max_tokens=12)


def run_streamed(agent, message):
    async def run():
        result = Runner.run_streamed(agent, message, run_config=UNTRACED)
        events = [event async for event in result.stream_events()]
        return result, [e.data for e in events if e.type == "raw_response_event"]

    return asyncio.run(run())


def send_tool(names, asked):
    async def invoke(_context, arguments):
        asked.append(json.loads(arguments))
        return f"{asked[-1]['recipient_agent']} did it"

    schema = {
        "type": "object",
        "properties": {
            "recipient_agent": {"type": "string", "enum": names},
            "message": {"type": "string"},
            "additional_instructions": {"type": ["string", "null"]},
        },
        "required": ["recipient_agent", "message", "additional_instructions"],
        "additionalProperties": False,
    }
    lines = "\n".join(f"- {name}: Knows about {name}." for name in names)
    return FunctionTool("send_message", f"Ask a colleague.\n{lines}", schema, invoke)


def test_an_agent_asks_each_colleague_once_and_then_answers(model):
    asked = []
    tools = [send_tool(["gardens", "kitchens"], asked)]
    agent = Agent("lead", model=model, tools=tools, model_settings=SHORT)
    result, events = run_streamed(agent, "Plan a tea party")
    assert [call["recipient_agent"] for call in asked] == ["gardens", "kitchens"]
    assert all("Plan a tea party" in call["message"] for call in asked)
    assert "gardens did it" in result.final_output
    assert "kitchens did it" in result.final_output
    deltas = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    assert deltas == result.final_output
    usage = result.context_wrapper.usage
    assert usage.requests == 2
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0


def test_events_come_in_the_order_of_the_responses_api(model):
    agent = Agent("lead", model=model, tools=[send_tool(["gardens"], [])], model_settings=SHORT)
    _, events = run_streamed(agent, "Plan a tea party")
    types = [e.type.removeprefix("response.") for e in events]
    kinds = list(dict.fromkeys(types))
    assert kinds == [
        "created",
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
    ]
    numbers = [e.sequence_number for e in events]
    assert numbers.count(0) == 2
    assert all(after in (0, before + 1) for before, after in pairwise(numbers))


def test_a_file_is_written_once_before_the_answer(model):
    written = {}

    @function_tool
    def write_file(path: str, content: str) -> str:
        """Write a text file."""
        assert path not in written
        written[path] = content
        return f"wrote {path}"

    agent = Agent("writer", instructions="You write files.", model=model, tools=[write_file])
    result, _ = run_streamed(agent, "Write a poem about the sea")
    ((path, content),) = written.items()
    assert "." in path
    assert len(content) > 20
    assert f"wrote {path}" in result.final_output


def test_both_ways_of_calling_give_the_same_answer(model):
    agent = Agent("friend", model=model, model_settings=ModelSettings(max_tokens=20))
    streamed, _ = run_streamed(agent, "Say hello")
    plain = asyncio.run(Runner.run(agent, "Say hello", run_config=UNTRACED))
    assert plain.final_output == streamed.final_output
    assert plain.final_output.strip()


def test_the_agent_that_was_handed_a_conversation_answers_without_the_machinery(model):
    description = "Invoices and refunds."
    billing = Agent("billing", model=model, handoff_description=description, model_settings=SHORT)
    triage = Agent("triage", model=model, handoffs=[billing], model_settings=SHORT)
    billing.handoffs = [triage]
    result, _ = run_streamed(triage, "I want a refund for my invoice")
    assert result.last_agent is billing
    assert "transfer" not in result.final_output
    assert result.context_wrapper.usage.requests == 2


class Finding(BaseModel):
    severity: int = Field(ge=1, le=3)
    title: str = Field(max_length=60)


class Review(BaseModel):
    verdict: str = Field(pattern="^(ok|bad)$")
    findings: list[Finding] = Field(min_length=1, max_length=2)


def test_an_output_schema_is_satisfied(model):
    agent = Agent("reviewer", model=model, output_type=Review)
    result, _ = run_streamed(agent, "Review the door: it squeaks")
    assert isinstance(result.final_output, Review)
    assert result.final_output.verdict in {"ok", "bad"}


def test_an_output_schema_beyond_the_model_is_told(model):
    class Impossible(BaseModel):
        number: int = Field(ge=2, le=1)

    agent = Agent("reviewer", model=model, output_type=Impossible)
    with pytest.raises(ProviderFailed, match="cannot write what the output schema asks for"):
        run_streamed(agent, "Review")


SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 20},
        "when": {"type": "string", "format": "date"},
        "code": {"type": "string", "pattern": "^[A-Z]{2}-\\d{1,3}$"},
        "kind": {"enum": ["a", "ab", "", 'with "quotes"', "ä", 3, True]},
        "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "steps": {"type": "array", "items": {"$ref": "#/$defs/step"}, "minItems": 2},
        "either": {"anyOf": [{"type": "integer", "title": "count"}, {"$ref": "#/$defs/step"}]},
    },
    "required": ["title", "when", "code", "kind", "ratio", "steps", "either"],
    "additionalProperties": False,
    "$defs": {
        "step": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "done": {"type": "boolean"}},
            "required": ["name", "done"],
            "additionalProperties": False,
        }
    },
}


def test_the_models_own_arguments_are_valid(engine):
    speaker = Speaker(engine, lambda: False)
    offer = Offer("plan", "Make a plan.", SCHEMA)
    asker = Asker(speaker, Conversation("Plan the move to a new house"), offer, "You plan.")
    value = fill(SCHEMA, asker)
    Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)
    assert speaker.input_tokens > speaker.cached_tokens > 0


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"regex"}))
def test_a_text_of_each_format_is_one_that_a_contract_takes(engine, name):
    schema = {"type": "object", "properties": {"value": {"type": "string", "format": name}}}
    schema |= {"required": ["value"], "additionalProperties": False}
    asker = Asker(
        Speaker(engine, lambda: False),
        Conversation("Plan the move to a new house"),
        Offer("plan", "Make a plan.", schema),
        "You plan.",
    )
    assert has_format(name, fill(schema, asker)["value"])


def test_the_numbers_of_the_request_are_the_ones_that_are_used(engine):
    number = {"type": "number"}
    schema = {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    offer = Offer("add", "Add two numbers.", schema)
    asker = Asker(Speaker(engine, lambda: False), Conversation("What is 17 plus 4?"), offer, "")
    assert sorted(fill(schema, asker).values()) == [4, 17]


def test_a_file_that_is_spoken_of_is_the_one_that_is_read(engine):
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    offer = Offer("read_file", "Read a file.", schema)
    asker = Asker(Speaker(engine, lambda: False), Conversation("What is in notes.txt?"), offer, "")
    assert fill(schema, asker) == {"path": "notes.txt"}


def test_a_generation_ends_when_nobody_waits(engine):
    pieces = []

    def collect(text):
        pieces.append(text)
        return True

    messages = [{"role": "user", "content": "Tell me a long story about a whale"}]
    with pytest.raises(Stopped):
        engine.generate(messages, Sampling(most_tokens=500), collect, lambda: len(pieces) >= 3)
    assert len(pieces) == 3


def test_a_cancelled_call_leaves_its_thread_free(model, engines):
    async def run():
        stream = model.stream_response(
            None, "Tell me a long story", ModelSettings(), [], None, [], ModelTracing.DISABLED,
            previous_response_id=None, conversation_id=None, prompt=None,
        )  # fmt: skip
        async for event in stream:
            if event.type == "response.output_text.delta":
                break
        await stream.aclose()

    asyncio.run(run())
    # The pool runs one job a thread: these finish only if the story's thread has ended.
    waiting = [engines.threads.submit(int) for _ in range(4)]
    assert [job.result() for job in waiting] == [0] * 4


def test_a_prompt_beyond_the_window_is_shortened(engine):
    messages = [{"role": "user", "content": "漢字 and words " * WINDOW}]
    room = 200
    sampling = Sampling(most_tokens=WINDOW - room)
    generation = engine.generate(messages, sampling, on_text=lambda _: False)
    assert room * 0.5 < generation.prompt_tokens < room * 1.2


def test_what_llama_cpp_refuses_is_told_as_a_providers_failure(engine):
    messages = [{"role": "user", "content": "x"}]
    with pytest.raises(ProviderFailed, match=r"the embedded model: .*grammar"):
        engine.generate(messages, Sampling(most_tokens=1, grammar="root ::= nothing"))


def test_a_pattern_that_cannot_be_followed_makes_the_schema_unfillable(engine):
    asker = Asker(Speaker(engine, lambda: False), Conversation("Go"), Offer("go", "", {}), "")
    with pytest.raises(Unfillable, match="no text was found"):
        fill({"type": "string", "pattern": "^(?=a)[ab]{3}$"}, asker)


def test_a_choice_is_always_one_of_the_options(engine):
    speaker = Speaker(engine, lambda: False)
    options = ["", "a", "ab", 'x"y', "\\", "two\nlines", "日本", "\0\x07"]
    assert speaker.choose(Question("", (), "Choose"), options) in options


def test_nothing_is_loaded_before_the_first_call(engines):
    fresh = Engines()
    agent = Agent("idle", model=LocalModel("local:/nowhere.gguf", engines=fresh))
    assert agent.model is not None
    with pytest.raises(ProviderFailed, match=r"/nowhere\.gguf cannot be read"):
        run_streamed(agent, "Hello")
    fresh.threads.shutdown()


def test_loading_and_writing_leave_the_terminal_alone(engines, capfd):
    fresh = Engines()
    loaded = fresh.get("local", notify=print, stopped=lambda: False)
    loaded.generate([{"role": "user", "content": "Hi"}], Sampling(most_tokens=3))
    assert capfd.readouterr() == ("", "")
    fresh.threads.shutdown()
