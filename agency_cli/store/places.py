"""Where a store is: its URL, read from what a person gave, and shown without its password."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from agency_cli.store.failing import StoreFailed

FORMS = "write sqlite:///FILE or postgresql+psycopg://USER@HOST/DATABASE"


def home_folder(folder: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder for what agencies leave behind: `$AGENCY_HOME`, else beside a manifest."""
    home = environ.get("AGENCY_HOME")
    return Path(home).expanduser() if home else folder / ".agency"


def store_url(wanted: str | None, folder: Path, environ: Mapping[str, str]) -> str:
    """Return the store to use: `--store`, `$AGENCY_STORE`, or a file in the home folder."""
    given = wanted or environ.get("AGENCY_STORE")
    if given:
        return given
    return str(URL.create("sqlite", database=str(home_folder(folder, environ) / "agency.db")))


def logs_folder(store: URL, folder: Path, environ: Mapping[str, str]) -> Path:
    """Return the folder for logs of what a run starts: beside a store that is a file.

    Args:
        store: URL of the store.
        folder: The manifest's folder.
        environ: The environment's variables.
    """
    if store.get_backend_name() == "sqlite" and store.database:
        return Path(store.database).absolute().parent / "logs"
    return home_folder(folder, environ) / "logs"


def parsed_url(text: str) -> URL:
    """Read the URL of a store.

    Raises:
        StoreFailed: It is no URL; what may be a password is not told.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # What they say quotes the URL.
        raise StoreFailed(f"{_masked(text)!r} is no store; {FORMS}") from None
    if "@" in (url.host or ""):
        raise StoreFailed(
            f"{_masked(text)!r} is no store: an @ in a user or a password is written %40"
        )
    return url


def without_password(text: str) -> str:
    """Return the URL of a store as it may be shown; what is none has nothing before an @ left."""
    if "@" not in text and "password" not in text:
        return text
    try:
        return shown(make_url(text))
    except (ArgumentError, ValueError):
        return _masked(text)


def has_password(text: str) -> bool:
    """Tell whether the URL of a store holds a password, which is not shown."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        return False
    return url.password is not None or any("password" in name for name in url.query)


def shown(url: URL) -> str:
    """Return a URL without passwords, which other means than a URL can give."""
    secret = [name for name in url.query if "password" in name]
    # `set` takes no None for "none".
    plain = url._replace(password=None) if url.password is not None else url
    return plain.difference_update_query(secret).render_as_string(hide_password=False)


def _masked(text: str) -> str:
    return re.sub(r"(?<=://).*@|(?<=password=)[^&]*", "", text)
