"""One turn's use of the engine: questions with constrained answers, free text, and their tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agency_cli.models.local.engine import ChatMessage, Engine, Generation, Sampling
from agency_cli.models.local.loops import LoopGuard

TOKENS_OF_A_LINE = 24
CUT = " ..."


@dataclass(frozen=True, slots=True)
class Question:
    """A question of one kind; the examples show the model what an answer looks like."""

    system: str
    examples: tuple[tuple[str, str], ...]
    text: str

    def messages(self) -> list[ChatMessage]:
        messages = [{"role": "system", "content": self.system}] if self.system else []
        for asked, answered in self.examples:
            messages += [
                {"role": "user", "content": asked},
                {"role": "assistant", "content": answered},
            ]
        return [*messages, {"role": "user", "content": self.text}]


@dataclass(slots=True)
class Speaker:
    """The model at work on one turn.

    Attributes:
        engine: What generates.
        stopped: Whether nobody waits any more.
        temperature: Of all that it writes; choices are always the most probable ones.
        top_p: Of all that it writes.
        most_tokens: Limit of a free text, None for this model's own.
        input_tokens, cached_tokens, output_tokens: What llama.cpp counted so far.
    """

    engine: Engine
    stopped: Callable[[], bool]
    temperature: float = 0.0
    top_p: float = 1.0
    most_tokens: int | None = None
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    def choose(self, question: Question, options: Sequence[str]) -> str:
        """Return the one of `options` that the model finds most probable."""
        grammar = "root ::= " + " | ".join(literal(option) for option in options)
        longest = max(len(option.encode()) for option in options)
        sampling = Sampling(most_tokens=longest + 2, grammar=grammar)
        answer = self._count(question.messages(), sampling).text
        return next((option for option in options if option == answer), options[0])

    def line(self, question: Question, grammar: str, most_tokens: int = TOKENS_OF_A_LINE) -> str:
        """Return a short answer that matches `grammar`, or its beginning."""
        sampling = Sampling(
            most_tokens=most_tokens,
            grammar=grammar,
            temperature=self.temperature,
            top_p=self.top_p,
        )
        return self._count(question.messages(), sampling).text

    def likelihood(self, question: Question, answer: str) -> float:
        """Return how probable the model finds `answer`, as a logarithm (nats)."""
        sampling = Sampling(
            most_tokens=len(answer.encode()) + 2,
            grammar=f"root ::= {literal(answer)}",
            scored=True,
        )
        return self._count(question.messages(), sampling).logprob

    def prose(
        self,
        messages: Sequence[ChatMessage],
        most_tokens: int,
        on_text: Callable[[str], None] = lambda _: None,
    ) -> str:
        """Return a free text, cut where it repeats itself; `on_text` gets it as it comes.

        A text that was cut because of its length ends with CUT.
        """
        guard = LoopGuard()
        parts: list[str] = []

        def show(text: str) -> None:
            if text:
                parts.append(text)
                on_text(text)

        def take(text: str) -> bool:
            show(guard.feed(text))
            return not guard.looped

        sampling = Sampling(
            most_tokens=min(most_tokens, self.most_tokens or most_tokens),
            temperature=self.temperature,
            top_p=self.top_p,
            varied=True,
        )
        generation = self._count(messages, sampling, take)
        show(guard.rest())
        if generation.cut:
            show(CUT)
        return "".join(parts)

    def _count(
        self,
        messages: Sequence[ChatMessage],
        sampling: Sampling,
        on_text: Callable[[str], bool] = lambda _: True,
    ) -> Generation:
        generation = self.engine.generate(messages, sampling, on_text, self.stopped)
        self.input_tokens += generation.prompt_tokens
        self.cached_tokens += generation.cached_tokens
        self.output_tokens += generation.completion_tokens
        return generation


def literal(text: str) -> str:
    """Return `text` as a literal of GBNF."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'
