"""The models of one agent: the first is asked, the others when its provider fails for good."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents import Model, ModelRetryAdvice, ModelRetryAdviceRequest, ModelSettings
from agents.items import ModelResponse, TResponseStreamEvent
from openai.types.responses import Response, ResponseCompletedEvent

from agency_cli.errors import ProviderFailed, Refused
from agency_cli.final_output import OutputContract
from agency_cli.models.asked import Asked, drop_server_state
from agency_cli.models.persevering import REST, persevering
from agency_cli.models.recorded import as_event, as_response, record_of
from agency_cli.models.responses import final_text, note_unknown_tools
from agency_cli.models.watched import WatchedModel
from agency_cli.run_context import Attempts, Frame, RunContext, current_frame


class AgentModel(Model):
    """What the SDK calls for one agent, once for each attempt.

    What the journal has is given back without a call. The runner decides with `settings.retry`
    whether it calls again, and which model is then tried. It is no dataclass because the SDK
    copies those deeply, clients and locks included, to tell agents apart.
    """

    def __init__(self, models: Sequence[WatchedModel]) -> None:
        """Take the models of an agent, in the order in which they are tried; at least one."""
        self.models = tuple(models)
        self.agent = models[0].agent

    @property
    def settings(self) -> ModelSettings:
        """The settings of the SDK's agent."""
        # How long an attempt may take is kept by the model that makes it.
        return replace(self.models[0].settings, timeout=None, retry=persevering(self.models))

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        return self._tried(self._attempts(current_frame.get())).inner.get_retry_advice(request)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        event = await self._answer(Asked(args, kwargs))
        return as_response(record_of(event.response))

    async def stream_response(
        self, *args: Any, **kwargs: Any
    ) -> AsyncGenerator[TResponseStreamEvent]:
        # The pieces are told by the node of the call; the SDK needs the whole alone, and tries
        # a stream again, or lets another model answer, as long as it was given nothing of it.
        yield await self._answer(Asked(args, kwargs))

    async def _answer(self, asked: Asked) -> ResponseCompletedEvent:
        """Answer; a final output that does not do is sent back, and stays out of the conversation.

        Raises:
            Refused: What was asked, or the final output, is refused for good.
        """
        frame = current_frame.get()
        await self._look_at_input(frame, asked)
        corrections = frame.corrections.setdefault(self.agent, [])
        while True:
            event = await self._one_answer(asked.followed_by(corrections))
            text = final_text(event.response)
            fault = "" if text is None else await self._fault_of(frame, text, asked.contract)
            if text is None or not fault:
                break
            corrections += _correction(text, fault)
            frame.run.notify(f"the final output of {self.agent} is sent back: {fault}")
        corrections.clear()
        if text is not None:
            frame.refusals.clear()
        return event

    async def _look_at_input(self, frame: Frame, asked: Asked) -> None:
        guards = frame.run.guards.get(self.agent)
        if guards is not None and self.agent not in frame.greeted:
            frame.greeted.add(self.agent)
            place = f"{frame.path}/input~{self.agent}"
            await guards.fault_of("input", asked.last_message, place, frame.node_id)

    async def _fault_of(self, frame: Frame, text: str, contract: OutputContract | None) -> str:
        """Return why a final output must be given again; nothing where it does."""
        misfit = contract.fault_of(text) if contract is not None else ""
        if misfit:
            key = (self.agent, "output_schema")
            if frame.refusals.get(key):
                raise Refused(
                    f"the final output of {self.agent} does not fit its output_schema, again:"
                    f" {misfit}",
                    agent=self.agent,
                )
            frame.refusals[key] = 1
            return f"it does not fit the schema: {misfit}"
        guards = frame.run.guards.get(self.agent)
        if guards is None:
            return ""
        place = f"{frame.path}/output~{self.agent}~{frame.turns.get(self.agent, 0)}"
        return await guards.fault_of("output", text, place, frame.node_id)

    async def _one_answer(self, asked: Asked) -> ResponseCompletedEvent:
        frame = current_frame.get()
        key = (frame.path, self.agent, frame.turns.get(self.agent, 0))
        recorded = frame.run.past.responses.get(key)
        if recorded is not None:
            return self._recalled(frame, asked, recorded)
        attempts = self._attempts(frame)
        model = self._tried(attempts)
        try:
            event = await model.answer(self._fitted(asked, model, frame), self._adapt(model))
        except ProviderFailed as failure:
            if not attempts.failures:
                raise
            raise _all_failed(attempts, model, failure) from failure
        del frame.attempts[self.agent]
        return event

    def _recalled(
        self, frame: Frame, asked: Asked, recorded: Mapping[str, Any]
    ) -> ResponseCompletedEvent:
        frame.turns[self.agent] = frame.turns.get(self.agent, 0) + 1
        frame.last_speaker = self.agent
        event = as_event(recorded, self.models[0].label)
        note_unknown_tools(frame, self.agent, event.response, asked.offered, again=True)
        return event

    def _attempts(self, frame: Frame) -> Attempts:
        if self.agent not in frame.attempts:
            frame.attempts[self.agent] = Attempts(self._order(frame.run))
        return frame.attempts[self.agent]

    def _order(self, run: RunContext) -> Sequence[int]:
        """Put models that failed lately last: waiting for them again would gain nothing."""
        since = time.monotonic() - REST

        def is_resting(position: int) -> bool:
            return run.resting.get(self.models[position].label, since) > since

        return sorted(range(len(self.models)), key=is_resting)

    def _tried(self, attempts: Attempts) -> WatchedModel:
        return self.models[attempts.order[attempts.at]]

    def _fitted(self, asked: Asked, model: WatchedModel, frame: Frame) -> Asked:
        """Return the question as this model is asked it: with its own settings."""
        if model is self.models[0]:
            return asked
        own = model.settings
        if frame.turns.get(self.agent):
            # As the SDK does for the first one: a tool that must be called is called once.
            own = replace(own, tool_choice=None)
        asked = asked.with_settings(own)
        return asked.without_server_state() if self._is_elsewhere(model) else asked

    def _adapt(self, model: WatchedModel) -> Callable[[Response], None]:
        return drop_server_state if self._is_elsewhere(model) else lambda _: None

    def _is_elsewhere(self, model: WatchedModel) -> bool:
        return model.provider != self.models[0].provider


def _correction(text: str, fault: str) -> list[dict[str, str]]:
    told = f"That answer cannot be taken: {fault}. Give the whole answer again, corrected."
    return [{"role": "assistant", "content": text}, {"role": "user", "content": told}]


def _all_failed(attempts: Attempts, last: WatchedModel, failure: ProviderFailed) -> ProviderFailed:
    reasons = [*attempts.failures, f"{last.label} ({failure.reason})"]
    return ProviderFailed(
        f"all {len(reasons)} models failed: {'; '.join(reasons)} (agent {last.agent})",
        agent=last.agent,
        reason=failure.reason,
    )
