"""Rules of a scenario: which requests one is about, and what they are answered."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from fake_server.model_request import Api, ModelRequest
from fake_server.replies import Answer, Reply, TokenUsage, ToolCall

Script = Callable[[ModelRequest], Answer]
TextMatch = str | re.Pattern[str]
"""A part of the text, or a pattern that is found in it."""
MIXED = "a rule has either one reply or a list of answers, not both"


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What a request must be like; None asks nothing. All of them must hold."""

    instructions: TextMatch | None = None
    user: TextMatch | None = None
    tool_output: TextMatch | None = None
    model: str | None = None
    turn: int | None = None
    tool_results: int | None = None
    tool: str | None = None
    api: Api | None = None
    stream: bool | None = None
    where: Callable[[ModelRequest], bool] | None = None

    def hold(self, request: ModelRequest) -> bool:
        wanted_and_given = (
            (self.model, request.model),
            (self.turn, request.turn_of(self._is_own)),
            (self.tool_results, len(request.tool_outputs)),
            (self.api, request.api),
            (self.stream, request.stream),
        )
        return (
            all(wanted is None or wanted == given for wanted, given in wanted_and_given)
            and _found(self.instructions, request.instructions)
            and _found(self.user, request.last_user_text)
            and _found(self.tool_output, request.tool_outputs[-1] if request.tool_outputs else "")
            and (self.tool is None or self.tool in request.tool_names)
            and (self.where is None or self.where(request))
        )

    def _is_own(self, instructions: str) -> bool:
        return _found(self.instructions, instructions)


@dataclass
class Rule:
    """Answers the requests that its conditions fit; made by `FakeServer.when`.

    `says`, `calls` and the like build one reply together, used for every request that fits:
    `.calls(...).calls(...)` is a reply with two parallel calls. `replies` gives answers one after
    the other, each once; the last one stays. A fault with `times` is given so often, be it the last
    or not; a rule whose answers are all used up no longer fits.
    """

    conditions: Conditions
    _reply: Reply | None = None
    _answers: list[Answer | Script] = field(default_factory=list)
    _used: int = 0
    _times_used: int = 0

    def says(self, text: str) -> Rule:
        """Answer with a text, beside the calls if there are any."""
        return self._with(text=text)

    def refuses(self, text: str) -> Rule:
        return self._with(refusal=text)

    def calls(self, tool: str, /, **arguments: Any) -> Rule:
        """Call a tool with these arguments; once more, and the calls are parallel."""
        return self.calls_raw(ToolCall(tool, arguments))

    def calls_raw(self, *calls: ToolCall) -> Rule:
        """Call tools with ids or with texts in place of arguments."""
        return self._with(tool_calls=(self._reply or Reply()).tool_calls + calls)

    def costs(self, **tokens: int) -> Rule:
        """Report these tokens: input, cached, cache_write, output, reasoning."""
        return self._with(usage=TokenUsage(**tokens))

    def after(self, seconds: float, *, per_chunk: float = 0.0) -> Rule:
        return self._with(delay=seconds, chunk_delay=per_chunk)

    def replies(self, *answers: Answer | Script) -> Rule:
        """Give these answers in turn; a function gets the request and returns the answer."""
        if not answers:
            raise ValueError("a rule needs at least one answer")
        if self._reply is not None:
            raise ValueError(MIXED)
        self._answers.extend(answers)
        return self

    def fails(self, *faults: Answer) -> Rule:
        return self.replies(*faults)

    def answer(self, request: ModelRequest) -> Answer | None:
        """Return the answer if the rule is about `request` and has one left."""
        if not self.conditions.hold(request):
            return None
        if self._reply is not None:
            return self._reply
        answer = self._next()
        return answer(request) if callable(answer) else answer

    def _next(self) -> Answer | Script | None:
        while self._used < len(self._answers):
            answer = self._answers[self._used]
            is_last = self._used == len(self._answers) - 1
            times = _times(answer, is_last=is_last)
            if times is None or self._times_used < times:
                self._times_used += 1
                return answer
            self._used, self._times_used = self._used + 1, 0
        return None

    def _with(self, **changes: Any) -> Rule:
        if self._answers:
            raise ValueError(MIXED)
        self._reply = replace(self._reply or Reply(), **changes)
        return self


def _times(answer: Answer | Script, *, is_last: bool) -> int | None:
    given = None if isinstance(answer, Reply) or callable(answer) else answer.times
    return 1 if given is None and not is_last else given


def _found(wanted: TextMatch | None, text: str) -> bool:
    if wanted is None:
        return True
    return wanted in text if isinstance(wanted, str) else wanted.search(text) is not None
