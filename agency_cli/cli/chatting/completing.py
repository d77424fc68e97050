"""What can be completed in a line of a chat: commands, agents, models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prompt_toolkit.completion import Completer, Completion

if TYPE_CHECKING:
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

_WIDEST = 60


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that a chat knows.

    Attributes:
        commands: Each command, its slash included, with what it is for.
        agents: Each agent's key, with its description.
        models: The manifest's names for models.
    """

    commands: Mapping[str, str]
    agents: Mapping[str, str]
    models: Sequence[str]

    def candidates(self, text: str) -> tuple[str, Iterable[tuple[str, str]]]:
        """Return what stands before the cursor of a word, and the words that it could become.

        Args:
            text: The line up to the cursor.
        """
        first, blank, rest = text.partition(" ")
        if "\n" in text or text[:1] not in {"/", "@"}:
            return "", ()
        if not blank:
            return text, self._first_words(text[0])
        if first == "/agent":
            return rest, self.agents.items()
        if first == "/model":
            return rest, self._model_words(rest)
        return "", ()

    def _first_words(self, sign: str) -> Iterable[tuple[str, str]]:
        if sign == "/":
            return self.commands.items()
        return [(f"@{key}", about) for key, about in self.agents.items()]

    def _model_words(self, word: str) -> list[tuple[str, str]]:
        agent, equals, _ = word.partition("=")
        if equals:
            return [(f"{agent}={model}", "") for model in self.models]
        one = [(f"{key}=", "for this agent alone") for key in self.agents]
        return [*((model, "for every agent") for model in self.models), *one]


class WordCompleter(Completer):
    """Completes the words of a vocabulary, whatever their case."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002 - the library's signature
    ) -> Iterator[Completion]:
        typed, words = self._vocabulary.candidates(document.text_before_cursor)
        for word, about in words:
            if word.lower().startswith(typed.lower()) and word != typed:
                yield Completion(word, -len(typed), display_meta=about[:_WIDEST])
