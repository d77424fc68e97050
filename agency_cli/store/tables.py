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
    String,
    Table,
)

SCHEMA_VERSION = 1

metadata = MetaData()

meta = Table(
    "agency_meta",
    metadata,
    Column("name", String(50), primary_key=True),
    Column("value", String(200), nullable=False),
)

threads = Table(
    "threads",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("agency", String(200), nullable=False),
    Column("active_agent", String(50)),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
)

items = Table(
    "thread_items",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("thread_id", ForeignKey("threads.id", ondelete="CASCADE"), nullable=False),
    # Empty for the user's conversation, `sender>recipient` for that of a pair.
    Column("conversation", String(120), nullable=False),
    # Key of the agent that wrote the item; empty for what the agent was given.
    Column("author", String(50), nullable=False),
    Column("item", JSON, nullable=False),
    Column("at", DateTime(timezone=True), nullable=False),
    Index("thread_items_by_conversation", "thread_id", "conversation", "id"),
)
