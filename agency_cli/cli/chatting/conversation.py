"""One chat: the agency, the thread, who has the conversation, and what was spent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from agency_cli.calltree import CallTree, Totals
from agency_cli.cli.chatting.exchanges import Sent, last_sent
from agency_cli.cli.driving import Stop
from agency_cli.cli.options import entry_of, overrides_of, resume_command
from agency_cli.cli.ordering import Order, OrderOptions, build, notifier, send
from agency_cli.errors import UsageError
from agency_cli.manifest import Manifest
from agency_cli.models.choice import ModelOverrides
from agency_cli.rendering.chat import Screen
from agency_cli.rendering.watching import RunWatcher
from agency_cli.store import StoreFailed, thread_lock

if TYPE_CHECKING:
    # The SDK takes long to import; that is done while the person types.
    from agency_cli.building import Agency


@dataclass
class Chat:
    """A conversation with one agency, on one thread at a time.

    Attributes:
        order: What was asked for on the command line, or changed since.
        options: The options as given.
        screen: Where everything is shown.
        active: Key of the agent that gets the next message.
        thread_id: The thread; None until the first message begins one.
        models: What each model was used for since the chat began.
        agents: The same for each agent.
    """

    order: Order
    options: OrderOptions
    screen: Screen
    active: str
    thread_id: str | None = None
    models: dict[str, Totals] = field(default_factory=dict)
    agents: dict[str, Totals] = field(default_factory=dict)
    _building: asyncio.Task[Agency] | None = None
    _last: Sent | None = None
    _watcher: RunWatcher | None = None

    @classmethod
    def of(cls, order: Order, options: OrderOptions, screen: Screen) -> Chat:
        """Begin a chat; it goes on with the thread that the options name, if they name one.

        Raises:
            UsageError: The thread is another agency's.
        """
        manifest, threads = order.loaded.manifest, order.threads
        thread_id = threads.begin(options.thread, manifest.name) if options.thread else None
        active = threads.active_agent(thread_id) if thread_id else None
        chat = cls(order, options, screen, entry_of(manifest, options.agent, active), thread_id)
        chat.give_to(chat.active)
        return chat

    @property
    def manifest(self) -> Manifest:
        return self.order.loaded.manifest

    @property
    def is_stored(self) -> bool:
        """Whether there is a thread that another chat could go on with."""
        try:
            self.order.threads.require(self.thread_id or "")
        except StoreFailed:
            return False
        return True

    def start_building(self) -> asyncio.Task[Agency]:
        """Import the SDK and build the agency in a thread, while the person types."""
        self._building = asyncio.create_task(asyncio.to_thread(build, self.order, self._notify))
        return self._building

    async def send(self, text: str, *, to: str | None = None) -> None:
        """Send one message and show what happens.

        Args:
            text: The message.
            to: The agent that gets this one message; who has the conversation keeps it, unless
                that agent hands it over.

        Raises:
            AgencyError: Whatever kept the run from a final output; what happened is shown.
        """
        if self.thread_id is not None:
            # Another chat, or run, on the thread may have moved it.
            self.active = self.order.threads.active_agent(self.thread_id) or self.active
        agent = to or self.active
        self.order.require_credentials(agent)
        tree = CallTree()
        try:
            with self._watched(tree) as watcher:
                agency = await self._agency()
                thread_id = self._thread()
                self._last = Sent(text, self.active, to)
                await send(
                    self.order,
                    agency,
                    text,
                    thread_id=thread_id,
                    agent=agent,
                    remember=lambda final: None if final == to else self.give_to(final),
                    watcher=watcher,
                    stop=Stop(),
                )
        finally:
            if self._last is not None and tree.started is not None:
                self._last = replace(self._last, run_id=tree.started.run_id)
            self._count(tree)
            self.screen.show_result(tree, quiet=self.options.quiet)
            if tree.ended is not None and tree.ended.status == "paused":
                self.screen.show_waiting(tree, self._resume_command(tree))

    async def retry(self) -> None:
        """Take the last exchange back, with what agents asked each other, and send it again.

        Nothing is taken back where the message made no run, or the thread went on elsewhere since.

        Raises:
            UsageError: Nothing was said yet.
            AgencyError: As `send` does.
        """
        last = self._last or self._last_of_thread()
        if self.thread_id is None or last is None:
            raise UsageError("there is no message to send again; write one")
        threads = self.order.threads
        async with thread_lock(threads.database, self.thread_id, notify=self._notify):
            threads.require(self.thread_id)
            if last.run_id is not None:
                threads.take_back_last(self.thread_id, last.run_id)
        self.give_to(last.before)
        await self.send(last.text, to=last.to)

    def give_to(self, agent: str) -> None:
        """Let `agent` have the conversation from now on; the thread remembers it."""
        self.active = agent
        if self.thread_id is not None:
            self.order.threads.set_active_agent(self.thread_id, agent)

    def begin_anew(self) -> None:
        """Leave the thread as it is; the next message begins a new one."""
        self.thread_id = self._last = None
        self.active = entry_of(self.manifest, self.options.agent)

    async def use_model(self, wanted: str) -> None:
        """Use another model from the next message on: MODEL for all, or AGENT=MODEL.

        Raises:
            AgencyError: It names no agent or model, credentials are missing, or the model needs
                what is not installed; the models stay as they were.
        """
        changed = _changed(self.order.overrides, overrides_of([wanted], self.manifest))
        order = self.order.with_models(changed)
        order.require_credentials(self.active)
        before = await self._agency()
        building = asyncio.create_task(asyncio.to_thread(build, order, self._notify))
        await building
        self.order, self._building = order, building
        await before.close()

    async def models_in_use(self) -> dict[str, str]:
        """Return the model of each agent, by its key."""
        agency = await self._agency()
        return {key: choice.label for key, choice in agency.choices.items()}

    async def close(self) -> None:
        """Close all connections."""
        built = self._building
        if built is not None and built.done() and not built.cancelled() and not built.exception():
            await built.result().close()

    async def _agency(self) -> Agency:
        # Who stops waiting does not stop the building.
        return await asyncio.shield(self._building or self.start_building())

    def _resume_command(self, tree: CallTree) -> str:
        assert tree.started is not None
        options = self.options
        return resume_command(tree.started.run_id, options.manifest, options.store)

    def _thread(self) -> str:
        if self.thread_id is None:
            self.thread_id = self.order.threads.begin(None, self.manifest.name)
            self.give_to(self.active)
        return self.thread_id

    @contextmanager
    def _watched(self, tree: CallTree) -> Iterator[RunWatcher]:
        options = self.options
        with self.screen.watcher(tree, quiet=options.quiet, verbose=options.verbose) as watcher:
            self._watcher = watcher
            try:
                yield watcher
            finally:
                self._watcher = None

    def _notify(self, text: str) -> None:
        if self._watcher is not None:
            notifier(self._watcher)(text)
        else:
            self.screen.show_note(text)

    def _count(self, tree: CallTree) -> None:
        for sums, parts in ((self.models, tree.by_model()), (self.agents, tree.by_agent())):
            for name, part in parts.items():
                sums[name] = sums.get(name, Totals()) + part

    def _last_of_thread(self) -> Sent | None:
        """Return the last message of a thread that was begun before this chat."""
        if self.thread_id is None:
            return None
        last = last_sent(self.order.threads.history(self.thread_id), self.active)
        if last is None or not {last.before, last.to or last.before} <= self.manifest.agents.keys():
            return None
        return last


def _changed(before: ModelOverrides, wanted: ModelOverrides) -> ModelOverrides:
    """Lay the wanted models over those before; one for everyone replaces them all."""
    if wanted.everyone is not None:
        return wanted
    return ModelOverrides(before.everyone, {**before.by_agent, **wanted.by_agent})
