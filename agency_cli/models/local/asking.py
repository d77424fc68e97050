"""How the embedded model is asked for the leaves of a schema: what `filling` calls a writer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agency_cli.models.local.conversation import (
    REQUEST_MARK,
    Conversation,
    one_line,
    shortened,
)
from agency_cli.models.local.deciding import Offer
from agency_cli.models.local.filling import Place
from agency_cli.models.local.parameters import (
    MESSAGE,
    RECIPIENT,
    is_long_text,
    is_path,
    may_be_empty,
)
from agency_cli.models.local.schemas import Schema
from agency_cli.models.local.speaker import CUT, Question, Speaker

TOKENS_OF_A_MESSAGE = 50
TOKENS_OF_A_TEXT = 160
TOKENS_OF_A_PATTERN = 60
LONGEST_PATTERN = 48
LONGEST_TASK = 300
LONGEST_DESCRIPTION = 120
LONGEST_QUOTE = 4000
LONGEST_KNOWN = 60

VALUE = "You give the value of one parameter of a tool. The value is short."
VALUE_EXAMPLES = (
    (
        """\
Task: Write down how to make pancakes
Tool: save_note: Keep a note.
Parameter: title: Name of the note""",
        "Pancake recipe",
    ),
    (
        """\
Task: Make a page with our opening hours
Tool: store: Store a page.
Parameter: path: Where the page is kept""",
        "opening_hours.html",
    ),
    (
        """\
Task: Remind me of the oven in 20 minutes
Tool: remind: Set a timer.
Parameter: minutes: How long to wait""",
        "20",
    ),
)
SENTENCE = "You write one short sentence that asks a colleague for their part of a task."
SENTENCE_EXAMPLES = (
    (
        """\
Task: Organise a birthday party for ten children
Colleague: cook. Prepares food and drinks.""",
        "Please prepare the food and drinks for the birthday party.",
    ),
    (
        """\
Task: Find out why the sales went down
Colleague: accountant. Keeps the books.""",
        "Please find out from the books why the sales went down.",
    ),
)
PATH_GRAMMAR = 'root ::= name ("/" name)? "." [a-z]{1,4}\nname ::= [a-z] [a-z0-9_]{0,23}'
LINE_GRAMMAR = 'root ::= [^\\x00-\\x20"<>\\\\{}] [^\\x00-\\x1f"<>\\\\{}]{0,79}'
SENTENCE_GRAMMAR = 'root ::= [A-Z] [^.!?:\\x00-\\x1f"<>\\\\{}]+ [.!?]'
WHOLE_GRAMMAR = "root ::= [0-9]{1,2}"
NUMBER_GRAMMAR = 'root ::= [0-9]{1,2} ("." [0-9])?'
FENCED = re.compile(r"```[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks the model for what the arguments of a tool leave open."""

    speaker: Speaker
    conversation: Conversation
    offer: Offer
    instructions: str

    def choose(self, place: Place, options: Sequence[str]) -> str:
        asked = f"{self._question(place)}\nOne of: {', '.join(options)}"
        return self.speaker.choose(Question(VALUE, VALUE_EXAMPLES, asked), options)

    def number(self, place: Place, *, whole: bool) -> Decimal:
        """Choose among the numbers that the request speaks of; one of nobody's is a small one."""
        used = {str(value) for value in place.known.values()}
        spoken = [text for text in self.conversation.numbers() if not (whole and "." in text)]
        spoken = [text for text in spoken if text not in used] or spoken
        if spoken:
            return Decimal(self.choose(place, spoken) if len(spoken) > 1 else spoken[0])
        question = Question(VALUE, VALUE_EXAMPLES, self._question(place))
        written = self.speaker.line(question, WHOLE_GRAMMAR if whole else NUMBER_GRAMMAR)
        found = re.match(r"\d+(\.\d+)?", written)
        return Decimal(found.group()) if found else Decimal(1)

    def text(self, place: Place, *, most: int | None) -> str:
        if may_be_empty(place.description):
            return ""
        if place.name == MESSAGE and RECIPIENT in place.known:
            return self._message(str(place.known[RECIPIENT]))
        if is_long_text(place.name) and (most is None or most > LONGEST_DESCRIPTION):
            return self._long_text(place)
        files = self.conversation.files()
        if is_path(place.name) and files and self.offer.reads_a_file:
            return self.choose(place, files)
        grammar = PATH_GRAMMAR if is_path(place.name) else LINE_GRAMMAR
        question = Question(VALUE, VALUE_EXAMPLES, self._question(place))
        return self.speaker.line(question, grammar).strip()

    def matching(self, place: Place, schema: Schema) -> str:
        longest = max(LONGEST_PATTERN, schema.get("minLength", 0))
        bounded = {**schema, "maxLength": min(longest, schema.get("maxLength", longest))}
        grammar = "%llguidance {}\nstart: %json " + json.dumps(bounded)
        question = Question(VALUE, VALUE_EXAMPLES, self._question(place))
        return self.speaker.line(question, grammar, TOKENS_OF_A_PATTERN)

    def _question(self, place: Place) -> str:
        lines = [
            f"Task: {one_line(self.conversation.task, LONGEST_TASK)}",
            *(f"Known: {one_line(call.output, LONGEST_TASK)}" for call in self.conversation.calls),
            f"Tool: {self.offer.name}: {one_line(self.offer.description, LONGEST_DESCRIPTION)}",
            *(f"{key}: {_brief(value)}" for key, value in place.known.items()),
            f"Parameter: {place.name}: {one_line(place.description, LONGEST_DESCRIPTION)}",
        ]
        return "\n".join(lines)

    def _message(self, recipient: str) -> str:
        """Write to a colleague. The request goes along, since it is too much to retell."""
        task = one_line(self.conversation.task, LONGEST_TASK)
        about = _said_of(recipient, self.offer.description)
        question = Question(
            SENTENCE, SENTENCE_EXAMPLES, f"Task: {task}\nColleague: {recipient}. {about}"
        )
        sentence = self.speaker.line(question, SENTENCE_GRAMMAR, TOKENS_OF_A_MESSAGE).strip()
        original = shortened(self.conversation.original, LONGEST_QUOTE)
        return f"{sentence}\n\n{REQUEST_MARK}{original}" if original else sentence

    def _long_text(self, place: Place) -> str:
        known = ", ".join(_brief(v) for v in place.known.values() if isinstance(v, str))
        asked = one_line(self.conversation.task, LONGEST_TASK)
        subject = f"the {place.name} of {known}" if known else f"the {place.name}"
        messages = [{"role": "user", "content": f"{asked}\n\nWrite {subject}."}]
        if self.instructions.strip():
            content = shortened(self.instructions, LONGEST_TASK * 2)
            messages.insert(0, {"role": "system", "content": content})
        return _unwrapped(self.speaker.prose(messages, TOKENS_OF_A_TEXT))


def _brief(value: Any) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value), LONGEST_KNOWN)


def _said_of(recipient: str, description: str) -> str:
    """What the tool's description says of one recipient, in its line `- key: description`."""
    found = re.search(rf"^- {re.escape(recipient)}: (.*)$", description, re.MULTILINE)
    return one_line(found.group(1), LONGEST_DESCRIPTION) if found else ""


def _unwrapped(text: str) -> str:
    """Return what stands in the text's code fence, if it has one: a value is not Markdown.

    Of a text that was cut only whole lines are kept.
    """
    if text.endswith(CUT):
        text = text.removesuffix(CUT).rpartition("\n")[0] or text
    fenced = FENCED.search(text)
    return (fenced.group(1) if fenced else text).strip() + "\n"
