"""From a reference such as `tools.py:add` to the Python object, without leaks between manifests."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from agency_cli.errors import one_line


class CannotImport(Exception):
    """A reference that leads nowhere; its text says why."""


def import_object(reference: str, folder: Path) -> object:
    """Return the object that `file.py:name` or `package.module:name` names.

    A file is looked for below `folder` and imported under a name of its own, so that two
    agencies with a `tools.py` each do not meet. While it is imported, files beside it can be
    imported by their names.

    Raises:
        CannotImport: The file, the module or the name is missing, or importing it raised.
    """
    place, _, name = reference.rpartition(":")
    if not place or not name:
        raise CannotImport("write it as file.py:name or package.module:name")
    module = _file_module(folder / place) if place.endswith(".py") else _named_module(place)
    try:
        return module.__dict__[name]
    except KeyError:
        public = ", ".join(key for key in vars(module) if not key.startswith("_")) or "nothing"
        raise CannotImport(f"{place} has no {name!r}; it has: {public}") from None


def _named_module(name: str) -> ModuleType:
    with _reported(name):
        return importlib.import_module(name)


def _file_module(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise CannotImport(f"there is no file {path}")
    name = f"_agency_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Registered while it runs: dataclasses and Pydantic look their module up by name.
    sys.modules[name] = module
    try:
        with _reported(path.name), _beside(path.parent):
            spec.loader.exec_module(module)
    except CannotImport:
        del sys.modules[name]
        raise
    return module


@contextmanager
def _reported(name: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # importing runs foreign code, which may raise anything
        what = f"{type(error).__name__}: {one_line(error)}"
        raise CannotImport(f"importing {name} failed: {what}") from error


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Let imports find the files in `folder`, and forget them afterwards."""
    before, path_before = set(sys.modules), list(sys.path)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        # Whatever the file did to the path, it did for itself.
        sys.path[:] = path_before
        for name in set(sys.modules) - before:
            if not name.startswith("_agency_") and _lies_in(folder, name.partition(".")[0]):
                del sys.modules[name]


def _lies_in(folder: Path, module: str) -> bool:
    """Say whether `module` is a file or a package of `folder`; packages may have no file."""
    return (folder / f"{module}.py").is_file() or (folder / module).is_dir()
