"""The database: threads and their conversations, runs and their journals."""

from agency_cli.store.database import Database, open_database
from agency_cli.store.failing import StoreFailed, StoreGone
from agency_cli.store.journal import RunJournal, RunOrigin
from agency_cli.store.locking import held_if_free, thread_lock
from agency_cli.store.places import (
    has_password,
    home_folder,
    logs_folder,
    store_url,
    without_password,
)
from agency_cli.store.runs import PastCall, Recorded, Runs
from agency_cli.store.secrets import replace_secrets
from agency_cli.store.summaries import RunSummary
from agency_cli.store.threads import USER, Conversation, StoredItem, Threads, ThreadSummary

__all__ = [
    "USER",
    "Conversation",
    "Database",
    "PastCall",
    "Recorded",
    "RunJournal",
    "RunOrigin",
    "RunSummary",
    "Runs",
    "StoreFailed",
    "StoreGone",
    "StoredItem",
    "ThreadSummary",
    "Threads",
    "has_password",
    "held_if_free",
    "home_folder",
    "logs_folder",
    "open_database",
    "replace_secrets",
    "store_url",
    "thread_lock",
    "without_password",
]
