"""Places on the disk: the store, folders of tools, the embedded model's weights."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from agency_cli.doctor.case import Case
from agency_cli.doctor.finding import Finding, FindingStatus
from agency_cli.manifest import FilesTool
from agency_cli.models.local.weights import (
    WEIGHTS_BYTES,
    EmbeddedModelUnavailable,
    look_for_weights,
    require_pip,
)


def store(case: Case) -> Iterator[Finding]:
    """The store, where it is there already; it is not made."""
    # SQLAlchemy takes a while to import, which a failing manifest need not wait for.
    from sqlalchemy.engine import make_url  # noqa: PLC0415
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    try:
        url = make_url(case.store)
    except ArgumentError:
        yield _no_store("its URL cannot be read", "write sqlite:///FILE")
        return
    if url.get_backend_name() == "sqlite" and url.database:
        file = Path(url.database).absolute()
        yield _opened(case.store, str(file)) if file.exists() else _made_later(file)
    else:
        yield _opened(case.store, url.render_as_string(hide_password=True), url.password)


def folders(case: Case) -> Iterator[Finding]:
    """Folders that tools write into."""
    manifest = case.loaded.manifest if case.loaded else None
    for key, tool in manifest.tools.items() if manifest else ():
        if isinstance(tool, FilesTool) and not tool.read_only:
            assert case.loaded is not None
            can, reason = _can_write(case.loaded.folder / tool.root)
            yield Finding(
                kind="folder",
                name=tool.root,
                status="ok" if can else "missing",
                detail=reason,
                advice="" if can else f"give {tool.root} to this user, or name another root",
                needed_by=(f"tools.{key}",),
            )


def weights(case: Case) -> Iterator[Finding]:
    """The embedded model's file: there, or to be fetched."""
    for model, users in case.embedded():
        name = model.model
        try:
            file, there = look_for_weights(name, case.environ)
            if not there and case.loaded is not None:
                require_pip()
        except EmbeddedModelUnavailable as lack:
            yield Finding(
                kind="weights",
                name=name,
                status="missing",
                detail=lack.lack,
                advice=lack.advice,
                needed_by=users,
            )
            continue
        size = WEIGHTS_BYTES // 1_000_000
        detail = str(file) if there else f"fetched at its first use, {size} MB, into {file.parent}"
        yield Finding(
            kind="weights",
            name=name,
            status="ok" if there else "note",
            detail=detail,
            needed_by=users,
        )


def _opened(url: str, shown: str, password: object = None) -> Finding:
    from agency_cli.store import StoreFailed, open_database  # noqa: PLC0415 - see above
    from agency_cli.store.tables import SCHEMA_VERSION  # noqa: PLC0415 - see above

    try:
        open_database(url, must_exist=True)
    except StoreFailed as error:
        reason = str(error)
        if password:
            reason = reason.replace(str(password), "[secret]")
        return _no_store(reason, "see what it says, or give another --store")
    return _store("ok", f"version {SCHEMA_VERSION}, {shown}")


def _made_later(file: Path) -> Finding:
    can, reason = _can_write(file.parent)
    if can:
        return _store("ok", f"made by the first run, {file}")
    return _no_store(reason, "set AGENCY_HOME to a folder that can be written, or give --store")


def _no_store(reason: str, advice: str) -> Finding:
    return _store("missing", reason, advice)


def _store(status: FindingStatus, detail: str, advice: str = "") -> Finding:
    return Finding(kind="store", name="store", status=status, detail=detail, advice=advice)


def _can_write(folder: Path) -> tuple[bool, str]:
    """Say whether a folder can be written, or made, and why not; nothing is made."""
    nearest = folder
    try:
        while not nearest.exists() and nearest != nearest.parent:
            nearest = nearest.parent
        if not nearest.is_dir():
            return False, f"{nearest} is no folder"
    except OSError as error:
        return False, f"{nearest} cannot be looked at ({error.strerror})"
    if not os.access(nearest, os.W_OK | os.X_OK):
        return False, f"{nearest} cannot be written"
    return True, "can be written" if nearest == folder else "made at its first use"
