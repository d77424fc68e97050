"""The server: takes requests, asks the rules, keeps what happened."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self, TypeVar

from fake_server.answering import Answering
from fake_server.chat import call_id
from fake_server.counting import Counted, Exchange, counted
from fake_server.model_request import ModelRequest, view
from fake_server.replies import Answer, Reply, StatusFault, TokenUsage, error_body
from fake_server.rules import Conditions, Rule, Script
from fake_server.soundness import faults_of
from fake_server.wire import BadRequest, ClientLeft, Connection, HttpRequest, WatchedReader

MODEL_PATHS = ("/v1/chat/completions", "/v1/responses")
NO_RETRY = {"x-should-retry": "false"}
"""Clients obey this: a test with a missing rule fails at once, not after their retries."""
BACKLOG = 1024

Value = TypeVar("Value")


class FakeServer:
    """Speaks OpenAI's two APIs on loopback, in a thread of its own.

    Use it as a context manager. Rules are asked in the order in which they were made; a request
    that none fits gets HTTP 500 and is kept in `unexpected`. Everything it tells can be read at
    any time, after the end too.
    """

    def __init__(self, *, port: int = 0, latency: float = 0.0, api_key: str | None = None) -> None:
        self.port = port
        self.latency = latency
        self.unexpected: list[str] = []
        self._api_key = api_key
        self._rules: list[Rule] = []
        self._fallback: Script | None = None
        self._exchanges: list[Exchange] = []
        self._makers: dict[str, str] = {}
        self._in_flight = 0
        self._max_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._serve, name="fake server", daemon=True)
        self._listening = threading.Event()
        self._failure: OSError | None = None

    def start(self) -> None:
        """Listen; returns when requests can be sent.

        Raises:
            OSError: The port is taken.
        """
        self._thread.start()
        self._listening.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure

    def stop(self) -> None:
        """Close all connections, whatever they wait for, and end the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._ended.set)
            self._thread.join()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def env(self) -> dict[str, str]:
        """The variables by which a program finds this server."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self._api_key or "sk-fake"}

    def when(self, **conditions: Any) -> Rule:
        """Begin a rule for the requests that fit all conditions; see `Conditions` for them."""
        rule = Rule(Conditions(**conditions))
        self._rules.append(rule)
        return rule

    def script(self, script: Script) -> None:
        """Let a function answer whatever no rule does."""
        self._fallback = script

    @property
    def exchanges(self) -> list[Exchange]:
        """Every request to a model and what became of it, in the order of arrival."""
        return self._read(lambda: list(self._exchanges))

    @property
    def requests(self) -> list[ModelRequest]:
        return [exchange.request for exchange in self.exchanges]

    @property
    def counted(self) -> Counted:
        """Sums of the usage that clients were told."""
        return self._read(lambda: counted(self._exchanges))

    @property
    def usage_by_model(self) -> dict[str, TokenUsage]:
        return self.counted.by_model

    @property
    def max_in_flight(self) -> int:
        """How many requests were waiting for the end of their answers at the same time, at most."""
        return self._read(lambda: self._max_in_flight)

    def _read(self, value: Callable[[], Value]) -> Value:
        """Read in the server's thread: a client can have its answer before that is noted here."""
        if threading.current_thread() is self._thread or not self._thread.is_alive():
            return value()
        values: queue.SimpleQueue[Value] = queue.SimpleQueue()
        self._loop.call_soon_threadsafe(lambda: values.put(value()))
        while True:
            try:
                return values.get(timeout=0.1)
            except queue.Empty:
                if not self._thread.is_alive():
                    return value()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._listen())
        finally:
            self._listening.set()
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    async def _listen(self) -> None:
        handlers: set[asyncio.Task[None]] = set()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            assert isinstance(reader, WatchedReader)
            task = self._loop.create_task(self._handle(Connection(reader, writer)))
            handlers.add(task)
            task.add_done_callback(handlers.discard)

        def protocol() -> asyncio.StreamReaderProtocol:
            reader = WatchedReader(self._loop)
            return asyncio.StreamReaderProtocol(reader, connected, loop=self._loop)

        try:
            listener = await self._loop.create_server(
                protocol, "127.0.0.1", self.port, backlog=BACKLOG
            )
        except OSError as error:
            self._failure = error
            return
        self.port = listener.sockets[0].getsockname()[1]
        self._listening.set()
        await self._ended.wait()
        listener.close()
        for handler in handlers:
            handler.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)

    async def _handle(self, connection: Connection) -> None:
        """Answer the requests of one connection, one after the other."""
        reusable = True
        try:
            while reusable and (request := await connection.next_request()):
                reusable = await self._answer(connection, request) and request.keeps_alive
        except BadRequest as problem:
            self.unexpected.append(str(problem))
            with suppress(ClientLeft):
                await connection.send_json(400, error_body(str(problem), 400))
        except ClientLeft:
            pass
        except Exception as error:  # noqa: BLE001 - a rule's mistake must reach the test
            await self._blame(connection, error)
        finally:
            connection.close()

    async def _blame(self, connection: Connection, error: Exception) -> None:
        reason = f"answering failed: {type(error).__name__}: {error}"
        self.unexpected.append(reason)
        with suppress(ClientLeft):
            await connection.send_json(500, error_body(reason, 500), NO_RETRY)

    async def _answer(self, connection: Connection, request: HttpRequest) -> bool:
        if request.method != "POST" or request.path not in MODEL_PATHS:
            return await self._refuse(
                connection, 404, f"unknown address: {request.method} {request.path}"
            )
        if self._api_key and request.headers.get("authorization") != f"Bearer {self._api_key}":
            await connection.send_json(401, error_body("Incorrect API key provided.", 401))
            return True
        try:
            body = json.loads(request.body)
        except ValueError:
            return await self._refuse(connection, 400, "the body is not JSON")
        if faults := faults_of(request.path, body):
            return await self._refuse(connection, 400, "; ".join(faults))
        return await self._exchange(
            connection, view(request.path, request.headers, body, self._makers.get)
        )

    async def _refuse(self, connection: Connection, status: int, reason: str) -> bool:
        self.unexpected.append(reason)
        await connection.send_json(status, error_body(reason, status), NO_RETRY)
        return True

    async def _exchange(self, connection: Connection, request: ModelRequest) -> bool:
        exchange = Exchange(request, started=time.monotonic())
        self._exchanges.append(exchange)
        number = len(self._exchanges)
        self._in_flight += 1
        self._max_in_flight = max(self._max_in_flight, self._in_flight)
        try:
            answer = self._choose(request, number)
            await connection.pause(self.latency)
            return await Answering(connection, exchange, number).send(answer)
        except ClientLeft:
            exchange.client_left = True
            raise
        finally:
            exchange.ended = time.monotonic()
            self._in_flight -= 1

    def _choose(self, request: ModelRequest, number: int) -> Answer:
        given = (rule.answer(request) for rule in self._rules)
        answer = next((answer for answer in given if answer is not None), None)
        if answer is None and self._fallback is not None:
            answer = self._fallback(request)
        if answer is None:
            reason = f"no rule fits this request: {request}"
            self.unexpected.append(reason)
            return StatusFault(status=500, body=error_body(reason, 500), headers=NO_RETRY)
        if isinstance(answer, Reply):
            self._remember(request, answer, number)
        return answer

    def _remember(self, request: ModelRequest, reply: Reply, number: int) -> None:
        """Keep who made which call, so that turns can be told apart after a handoff."""
        for index in range(len(reply.tool_calls)):
            self._makers[call_id(reply, index, number)] = request.instructions
