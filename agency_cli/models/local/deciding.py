"""Which tools the embedded model calls next, if any.

A model of this size cannot reason about what helps. What is guaranteed by construction: each
recipient is asked, and each other tool called, at most once for a request, so that every run
comes to an answer. What the model has a say in: which of the tools fits the request.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from agency_cli.models.local.conversation import Conversation, one_line
from agency_cli.models.local.parameters import RECIPIENT, is_long_text, is_path
from agency_cli.models.local.schemas import Schema
from agency_cli.models.local.speaker import Question, Speaker

HANDOFF_PREFIX = "transfer_to_"
MOST_RECIPIENTS = (4, 2, 1)
"""How many colleagues an agent asks for one request: at the top, one level below, and deeper."""
MOST_TOOLS = 3
"""How many other tools an agent calls for one request."""
MOST_WEIGHED = 4
"""Tools between which the model decides; of more, those that share most words with the request."""
NATS_OF_A_WORD = 40.0
"""What a shared word that no other tool has weighs against the model's own opinion."""
NATS_OF_A_TEXT = 12.0
"""What speaks for a tool that takes a text, which the model can make, and against one that reads
a file of which nobody spoke, so that it must guess the name."""
MOST_NATS = 20.0
"""How much less probable than the best a tool can be found by the model."""
LONGEST_TASK = 120
RELEVANT = 0.5
"""Shared words from which on a request speaks for a handoff."""
RELEVANT_AGAIN = 1.0
"""Shared words from which on it speaks for another tool after the first."""
EVERYDAY_WORDS = re.compile(
    r"\b(a|agent|an|and|are|can|for|from|handle|handoff|how|is|it|of|one|please|request|that|the"
    r"|this|to|use|what|which|with|you|your)\b"
)


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool or a handoff that an agent has."""

    name: str
    description: str
    schema: Schema
    kind: Literal["tool", "handoff"] = "tool"

    @property
    def recipients(self) -> tuple[str, ...]:
        """The agents that it reaches; empty for any other tool."""
        parameter = self.schema.get("properties", {}).get(RECIPIENT, {})
        return tuple(parameter.get("enum", ())) if isinstance(parameter, dict) else ()

    @property
    def takes_a_text(self) -> bool:
        """Whether it needs a text of the kind that a language model writes."""
        return any(is_long_text(name) for name in self._needed())

    @property
    def reads_a_file(self) -> bool:
        """Whether it needs the name of a file that is there already."""
        return any(is_path(name) for name in self._needed()) and not self.takes_a_text

    def _needed(self) -> Iterator[str]:
        properties = self.schema.get("properties", {})
        for name in self.schema.get("required", ()):
            if "default" not in properties.get(name, {}):
                yield name


@dataclass(frozen=True, slots=True)
class Call:
    """A decision to call `offer`, and whom to ask with it."""

    offer: Offer
    recipient: str | None = None

    @property
    def schema(self) -> Schema:
        """The schema of the arguments, with the recipient in its place."""
        if self.recipient is None:
            return self.offer.schema
        properties: dict[str, Any] = dict(self.offer.schema["properties"])
        properties[RECIPIENT] = {"const": self.recipient}
        return {**self.offer.schema, "properties": properties}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decider:
    """Decides for one turn; its fields are those of the turn's request."""

    conversation: Conversation
    instructions: str
    speaker: Speaker
    tool_choice: str | None = None
    parallel: bool = True
    depth: int = 0
    waiting: frozenset[str] = field(default_factory=frozenset)

    def next_calls(self, offers: Sequence[Offer]) -> list[Call]:
        """Return the calls to make now; none means that it is time to answer."""
        if self.tool_choice == "none":
            return []
        named = [offer for offer in offers if offer.name == self.tool_choice]
        offers = named or offers
        tools = [offer for offer in offers if offer.kind == "tool"]
        return (
            self._handoff([offer for offer in offers if offer.kind == "handoff"], named)
            or self._delegations([tool for tool in tools if tool.recipients])
            or self._tool([tool for tool in tools if not tool.recipients])
        )

    def _handoff(self, offers: Sequence[Offer], named: Sequence[Offer]) -> list[Call]:
        """Give the conversation away at most once, and only where the request speaks for it."""
        if any(call.name.startswith(HANDOFF_PREFIX) for call in self.conversation.calls):
            return []
        if self.conversation.calls or not offers:
            return []
        fit = _shared_words(self.conversation.task, "", offers)
        best = max(offers, key=lambda offer: fit[offer.name])
        wanted = best in named or fit[best.name] >= RELEVANT
        return [Call(best)] if wanted else []

    def _delegations(self, offers: Sequence[Offer]) -> list[Call]:
        asked = {str(call.arguments.get(RECIPIENT)) for call in self.conversation.calls} - {"None"}
        most = MOST_RECIPIENTS[min(self.depth, len(MOST_RECIPIENTS) - 1)] - len(asked)
        calls: dict[str, Call] = {}
        for offer in offers:
            for recipient in offer.recipients:
                if recipient not in asked | self.waiting:
                    calls.setdefault(recipient, Call(offer, recipient))
        if not self.parallel:
            most = min(most, 1)
        return list(calls.values())[: max(0, most)]

    def _tool(self, offers: Sequence[Offer]) -> list[Call]:
        """Call the tool that fits best, then those that are spoken of or that take a text."""
        used = {call.name for call in self.conversation.calls if RECIPIENT not in call.arguments}
        unused = [offer for offer in offers if offer.name not in used]
        if not unused or len(used) >= MOST_TOOLS:
            return []
        fit = _shared_words(self.conversation.task, self.instructions, offers)
        if used & {offer.name for offer in offers}:
            again = _shared_words(self.conversation.task, "", offers)
            unused = [
                offer
                for offer in unused
                if offer.takes_a_text or again[offer.name] >= RELEVANT_AGAIN
            ]
        unused.sort(key=lambda offer: -fit[offer.name])
        weighed = unused[:MOST_WEIGHED]
        if len(weighed) <= 1:
            return [Call(offer) for offer in weighed]
        opinion = {offer.name: self._opinion(offer) for offer in weighed}
        top, files = max(opinion.values()), self.conversation.files()
        score = {
            offer.name: NATS_OF_A_WORD * fit[offer.name]
            + NATS_OF_A_TEXT * offer.takes_a_text
            - NATS_OF_A_TEXT * (offer.reads_a_file and not files)
            + max(opinion[offer.name] - top, -MOST_NATS)
            for offer in weighed
        }
        return [Call(max(weighed, key=lambda offer: score[offer.name]))]

    def _opinion(self, offer: Offer) -> float:
        """How probable the model finds the task, given the tool.

        Asked the other way round, which tool fits, a model of this size answers by chance.
        """
        text = f"A tool named {offer.name}: {one_line(offer.description, LONGEST_TASK)}"
        question = Question("", (), f"{text} Write a task for which this tool is needed.")
        return self.speaker.likelihood(question, one_line(self.conversation.task, LONGEST_TASK))


def _shared_words(task: str, instructions: str, offers: Sequence[Offer]) -> dict[str, float]:
    """Return for each offer how many words it shares with the task and, half, the instructions.

    A word counts the less, the more of the offers have it.
    """
    words = {offer.name: _words(f"{offer.name} {offer.description}") for offer in offers}
    spread = Counter(word for own in words.values() for word in own)
    wanted, told = _words(task), _words(instructions)
    return {
        name: sum(((word in wanted) + 0.5 * (word in told)) / spread[word] for word in own)
        for name, own in words.items()
    }


def _words(text: str) -> set[str]:
    """Return the beginnings of the words of `text`, so that `files` and `filing` are `file`."""
    telling = EVERYDAY_WORDS.sub(" ", text.lower().replace("_", " "))
    return {word[:4] for word in re.findall(r"[^\W\d_]{3,}", telling)}
