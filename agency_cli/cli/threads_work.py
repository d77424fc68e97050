"""The work of `agency threads`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from agency_cli.errors import UsageError
from agency_cli.rendering.output import print_text
from agency_cli.rendering.threads import history_json, history_text, list_json, list_text
from agency_cli.store import Threads, held_if_free, open_database, store_url


def list_threads(manifest: Path | None, store: str | None, *, as_json: bool) -> None:
    """Print every thread.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
    """
    found = _threads(manifest, store).all()
    print_text(list_json(found) if as_json else list_text(found), sys.stdout)


def show_thread(thread_id: str, manifest: Path | None, store: str | None, *, as_json: bool) -> None:
    """Print what one thread remembers.

    Raises:
        StoreFailed: There is no store, or it cannot be read.
        UsageError: There is no such thread.
    """
    threads = _threads(manifest, store)
    summary, history = threads.find(thread_id), threads.history(thread_id)
    render = history_json if as_json else history_text
    print_text(render(summary, history), sys.stdout)


def delete_thread(thread_id: str, manifest: Path | None, store: str | None) -> None:
    """Delete one thread.

    Raises:
        StoreFailed: There is no store, or it cannot be written.
        UsageError: There is no such thread, or a run holds it.
    """
    threads = _threads(manifest, store)
    with held_if_free(threads.database, thread_id) as free:
        threads.find(thread_id)
        if not free:
            raise UsageError(
                f"a run is at work on thread {thread_id}; stop it or wait for its end, then delete"
                " the thread"
            )
        threads.delete(thread_id)
    print_text(f"deleted thread {thread_id}", sys.stderr)


def _threads(manifest: Path | None, store: str | None) -> Threads:
    folder = manifest.absolute().parent if manifest else Path.cwd()
    return Threads(open_database(store_url(store, folder, os.environ), must_exist=True))
