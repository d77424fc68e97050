"""A GGUF model in memory: text in, text out, token by token, from several threads at once."""

from __future__ import annotations

import importlib.util
import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agency_cli.errors import ProviderFailed
from agency_cli.models.local.weights import EmbeddedModelUnavailable, Notify, find_weights

SLOTS = 4
"""Generations at the same time; llama.cpp batches them, so parallel branches really are."""
WINDOW = 1536
"""Tokens of prompt and answer together, of each slot."""
MOST_THREADS = 4
"""More gain a model of this size little, and a container may have less than it shows."""
SEED = 7
KEPT_PROMPTS_MIB = 64
"""Memory for prompts whose slot another agent took: their start need not be read again."""

ChatMessage = Mapping[str, str]


class Stopped(Exception):
    """The generation was ended from outside; nobody waits for its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How one text is generated.

    Attributes:
        most_tokens: The text ends there at the latest.
        grammar: What the text must match, in GBNF or LLGuidance's notation.
        temperature: 0 takes the most probable token each time.
        top_p: Probability mass that sampling considers.
        varied: Discourage repetitions, which small models fall into.
        scored: Ask for the probability of the text.
    """

    most_tokens: int
    grammar: str | None = None
    temperature: float = 0.0
    top_p: float = 1.0
    varied: bool = False
    scored: bool = False

    def as_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "max_tokens": self.most_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "seed": SEED,
        }
        if self.grammar is not None:
            fields["grammar"] = self.grammar
        if self.varied:
            fields |= {"repeat_penalty": 1.1, "dry_multiplier": 0.8}
        if self.scored:
            fields |= {"logprobs": True, "top_logprobs": 1}
        return fields


@dataclass(slots=True)
class Generation:
    """A text that was generated, and its tokens; `logprob` is in nats, 0 where not asked for."""

    text: str = ""
    logprob: float = 0.0
    cut: bool = False
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    error: Mapping[str, Any] | None = None
    raised: BaseException | None = None

    def add(self, chunk: Mapping[str, Any]) -> str:
        """Take one chunk of llama.cpp's stream; return the text that it brings."""
        if "error" in chunk:
            self.error = chunk["error"]
            return ""
        if timings := chunk.get("timings"):
            self.cached_tokens = timings["cache_n"]
            self.prompt_tokens = timings["prompt_n"] + timings["cache_n"]
            self.completion_tokens = timings["predicted_n"]
        text = ""
        for choice in chunk["choices"]:
            text += choice["delta"].get("content") or ""
            self.cut = choice["finish_reason"] == "length"
            for token in (choice.get("logprobs") or {}).get("content") or ():
                self.logprob += token["logprob"]
        self.text += text
        return text


class Engine:
    """One loaded model. llama.cpp queues and batches what its callers ask at the same time."""

    def __init__(self, weights: Path) -> None:
        self._server = _load(weights)

    def generate(
        self,
        messages: Sequence[ChatMessage],
        sampling: Sampling,
        on_text: Callable[[str], bool] = lambda _: True,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Generation:
        """Generate one answer to `messages`; blocks the calling thread.

        Args:
            messages: A chat, as the model's own template wants it.
            sampling: How it is generated.
            on_text: Gets each piece of text as it comes; False ends the text there.
            stopped: Asked at each token.

        Raises:
            Stopped: `stopped` said so.
            ProviderFailed: llama.cpp refused; only a model of the person's own gets there.
        """
        while True:
            generation = self._generate(messages, sampling, on_text, stopped)
            error = generation.error
            if error is None:
                return generation
            if error.get("type") != "exceed_context_size_error":
                raise ProviderFailed(f"the embedded model: {error.get('message', error)}")
            room = max(1, error["n_ctx"] - sampling.most_tokens)
            messages = _shortened(messages, room / error["n_prompt_tokens"])

    def _generate(
        self,
        messages: Sequence[ChatMessage],
        sampling: Sampling,
        on_text: Callable[[str], bool],
        stopped: Callable[[], bool],
    ) -> Generation:
        generation = Generation()

        def on_chunk(chunk: Mapping[str, Any]) -> bool:
            """Return whether to end; an exception would be lost in llama.cpp, so it is kept."""
            try:
                if stopped():
                    raise Stopped  # noqa: TRY301 - it is kept, and raised below
                text = generation.add(chunk)
                return bool(text) and not on_text(text)
            except BaseException as error:  # noqa: BLE001 - raised again below, in our own frame
                generation.raised = error
                return True

        if stopped():
            raise Stopped
        request = {
            "messages": list(messages),
            "stream": True,
            "cache_prompt": True,
            "timings_per_token": True,
            "chat_template_kwargs": {"enable_thinking": False},
            **sampling.as_fields(),
        }
        self._server.handle_chat_completions(request, on_chunk)
        if generation.raised is not None:
            raise generation.raised
        return generation


class Engines:
    """The models that this process has loaded, one for each file, and the threads that use them."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(SLOTS, thread_name_prefix="local-model")
        self._loaded: dict[Path, Engine] = {}
        self._loading = threading.Lock()

    def get(self, reference: str, *, notify: Notify, stopped: Callable[[], bool]) -> Engine:
        """Return the model that `reference` means, loading it at first use; blocks the thread."""
        with self._loading:
            if stopped():
                raise Stopped
            require_runtime()
            weights = find_weights(reference, notify=notify, stopped=stopped).resolve()
            if weights not in self._loaded:
                self._loaded[weights] = Engine(weights)
            return self._loaded[weights]


def require_runtime() -> None:
    """Make sure that llama.cpp is installed.

    Raises:
        EmbeddedModelUnavailable: It is not.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise EmbeddedModelUnavailable(
            "the package xllamacpp is not installed",
            advice="`pip install 'agency-cli[local]'` brings it",
        )


def _load(weights: Path) -> Any:
    """Load a GGUF file, without a word on stderr, where the live tree is drawn."""
    import xllamacpp  # noqa: PLC0415 - an extra, and 100 MB

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = SLOTS * WINDOW
    params.n_parallel = SLOTS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = _threads()
    params.cache_ram_mib = KEPT_PROMPTS_MIB
    params.verbosity = -1
    params.warmup = False
    # llama.cpp's server also listens on a port of this machine. Nobody else gets an answer there.
    params.api_keys = [secrets.token_hex(32)]
    params.ui = params.endpoint_slots = params.endpoint_props = False
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise EmbeddedModelUnavailable(
            f"llama.cpp cannot load {weights}",
            advice="the file may be damaged, or of a kind that it does not know",
        ) from error


def _threads() -> int:
    """How many threads compute: half of the processors.

    llama.cpp's threads wait for each other at every layer, so that where one of them shares its
    processor with anything else, all go at a crawl. With half of them the speed is steady.
    """
    return max(1, min((os.cpu_count() or 1) // 2, MOST_THREADS))


def _shortened(messages: Sequence[ChatMessage], share: float) -> list[ChatMessage]:
    """Cut the longest message so that about `share` of all the text remains, if it can be."""
    longest = max(range(len(messages)), key=lambda index: len(messages[index]["content"]))
    text = messages[longest]["content"]
    if not text:
        raise ProviderFailed("the embedded model: its window is too small for any prompt")
    surplus = sum(len(message["content"]) for message in messages) * (1 - share * 0.9)
    keep = max(0, min(len(text) - 1, int(len(text) - surplus)))
    cut = {**messages[longest], "content": text[:keep]}
    return [*messages[:longest], cut, *messages[longest + 1 :]]
