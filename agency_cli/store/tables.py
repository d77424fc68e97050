"""The tables, and the version of their shape."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
)

from agency_cli.store.texts import AnyText, Name

SCHEMA_VERSION = 4

metadata = MetaData()

meta = Table(
    "agency_meta",
    metadata,
    Column("name", Name(50), primary_key=True),
    Column("value", Name(200), nullable=False),
)

threads = Table(
    "threads",
    metadata,
    Column("id", Name(64), primary_key=True),
    Column("agency", Name(200), nullable=False),
    Column("active_agent", Name(50)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
)

items = Table(
    "thread_items",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("thread_id", ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    # Empty for the user's conversation, `sender>recipient` for that of a pair.
    Column("conversation", Name(120), nullable=False),
    # Key of the agent that wrote the item; empty for what the agent was given.
    Column("author", Name(50), nullable=False),
    Column("item", JSON, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    # The run and the place on its call path that brought the item: what a run that is resumed
    # takes back and writes again. Null in what version 1 wrote.
    Column("run_id", Name(64)),
    Column("path", AnyText()),
    Index("thread_items_by_conversation", "thread_id", "conversation", "id"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Name(64), primary_key=True),
    Column("agency", Name(200), nullable=False),
    # No key of another table: a thread may be deleted, what its runs cost stays.
    Column("thread_id", Name(64), nullable=False),
    Column("agent", Name(50), nullable=False),
    # As JSON, which holds what a command line can and UTF-8 cannot.
    Column("message", JSON, nullable=False),
    Column("manifest", JSON, nullable=False),
    Column("digest", Name(64), nullable=False),
    # What the command line said of models, params and limits.
    Column("options", JSON, nullable=False),
    # The model of each agent, by its key.
    Column("models", JSON, nullable=False),
    Column("started_at", DateTime(timezone=True), nullable=False),
    # How it ended; null while it runs, and for ever where its process was killed.
    Column("status", Name(20)),
    Column("ended_at", DateTime(timezone=True)),
    # Of the model calls with a price; a decimal number, to the last digit.
    Column("cost_usd", Name(40)),
    Column("unpriced_models", JSON),
    # Model calls that were ended before they told what they used.
    Column("cut_off", Integer),
    Index("runs_by_time", "started_at"),
    Index("runs_by_thread", "thread_id"),
)

manifests = Table(
    "manifests",
    metadata,
    # What a run's manifest and its files hashed to.
    Column("digest", Name(64), primary_key=True),
    # Everything that they said, by its place, as JSON; what changed since can be told.
    Column("facts", Text, nullable=False),
)

journal = Table(
    "journal",
    metadata,
    Column("run_id", ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    # The event, as one line of `--jsonl` has it, and its kind.
    Column("kind", Name(20), nullable=False),
    Column("event", Text, nullable=False),
    # Who called which model, where the event is the end of a model call.
    Column("agent", Name(50)),
    Column("model", AnyText(200)),
    # What resuming needs beyond the event: the items of a model's response.
    Column("kept", Text),
    Index("journal_calls", "model", "run_id"),
)
