"""The database: threads and their conversations."""

from agency_cli.store.database import Database, StoreFailed, open_database, store_url
from agency_cli.store.locking import thread_lock
from agency_cli.store.threads import USER, Conversation, StoredItem, Threads, ThreadSummary

__all__ = [
    "USER",
    "Conversation",
    "Database",
    "StoreFailed",
    "StoredItem",
    "ThreadSummary",
    "Threads",
    "open_database",
    "store_url",
    "thread_lock",
]
