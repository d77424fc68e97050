"""From a reference such as `tools.py:add` to the Python object, without leaks between manifests."""

from __future__ import annotations

import builtins
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Final

from agency_cli.checks.nearest import did_you_mean, listed
from agency_cli.errors import one_line

PREFIX: Final = "_agency_"
"""What the names of all modules that lie beside manifests begin with."""

_NEVER_BESIDE: Final = frozenset({"agency_cli", "agents", "openai", "pydantic"})
"""What files of an agency are written with; a folder of prompts may well be called `agents`."""


class CannotImport(Exception):
    """A reference that leads nowhere; its text says why."""


def import_object(reference: str, folder: Path) -> object:
    """Return the object that `file.py:name` or `package.module:name` names.

    A file is looked for below `folder`. It, and whatever lies beside it and is imported by it,
    get names that begin with a package of that folder alone, so that two agencies with a
    `helper.py` each do not meet, whether they import it at the top or while they run.

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
        public = [
            key
            for key, value in vars(module).items()
            if not key.startswith("_") and not isinstance(value, ModuleType)
        ]
        hint = did_you_mean(name, public) or f"; it has: {listed(public) or 'nothing'}"
        raise CannotImport(f"{place} has no {name!r}{hint}") from None


def import_file(path: Path) -> ModuleType:
    """Return the module that a file is, under a name that belongs to its folder alone.

    Raises:
        CannotImport: The file is missing, or importing it raised.
    """
    return _file_module(path)


def _named_module(name: str) -> ModuleType:
    with _reported(name):
        return importlib.import_module(name)


def _file_module(path: Path) -> ModuleType:
    path = path.resolve()
    if not path.is_file():
        raise CannotImport(f"there is no file {path}")
    name = _module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path, loader=_Loader(name, str(path)))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Registered while it runs: dataclasses and Pydantic look their module up by name.
    sys.modules[name] = module
    try:
        with _reported(path.name):
            spec.loader.exec_module(module)
    except CannotImport:
        del sys.modules[name]
        raise
    return module


def _module_name(path: Path) -> str:
    """Return the name that importing the file from beside it gives it, where that leads to it."""
    package = _package(path.parent)
    is_importable = path.stem.isidentifier() and not (path.parent / path.stem).is_dir()
    return f"{package}.{path.stem}" if is_importable else f"{package}.{_digest(path.name)}"


@contextmanager
def _reported(name: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # importing runs foreign code, which may raise anything
        what = f"{type(error).__name__}: {one_line(error)}"
        raise CannotImport(f"importing {name} failed: {what}") from error


def _package(folder: Path) -> str:
    """Return the name of the package that stands for a folder, made at its first use."""
    name = f"{PREFIX}{_digest(str(folder))}"
    if name not in sys.modules:
        if _Finder not in sys.meta_path:
            sys.meta_path.insert(0, _Finder)
        # Files may be newer than what the import system knows of their folder.
        importlib.invalidate_caches()
        module = ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
    return name


def _digest(text: str) -> str:
    return f"x{hashlib.sha256(text.encode()).hexdigest()[:16]}"


class _Finder:
    """Finds what lies beside manifests; all else is left to Python's own finders."""

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(PREFIX):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Gives a module an `import` that looks beside the manifest first.

    Python takes it from the builtins of the module that a function was written in, so it holds
    for imports inside functions too, whenever and in whatever thread they run.
    """

    def exec_module(self, module: ModuleType) -> None:
        package = module.__name__.partition(".")[0]
        module.__dict__["__builtins__"] = _builtins_of(package)
        path_before = list(sys.path)
        try:
            super().exec_module(module)
        finally:
            # Whatever the file did to the path, it did for itself.
            sys.path[:] = path_before


@cache
def _builtins_of(package: str) -> dict[str, object]:
    return {**vars(builtins), "__import__": _import_for(package)}


def _import_for(package: str) -> Callable[..., ModuleType]:
    folder = sys.modules[package].__path__[0]

    def import_(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - as __import__ has it
        locals: Mapping[str, object] | None = None,  # noqa: A002 - as __import__ has it
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        top = name.partition(".")[0]
        if level != 0 or not _lies_beside(top, package, folder):
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        found = builtins.__import__(f"{package}.{name}", globals, locals, fromlist or ())
        return found if fromlist else sys.modules[f"{package}.{top}"]

    return import_


def _lies_beside(name: str, package: str, folder: str) -> bool:
    """Say whether `import name` means what lies in `folder`.

    As for a script, a file or package there comes before what is installed, but never before the
    standard library and what agencies are written with; a plain folder comes last.
    """
    if name in sys.stdlib_module_names or name in _NEVER_BESIDE:
        return False
    if f"{package}.{name}" in sys.modules:
        return True
    spec = PathFinder.find_spec(name, [folder])
    if spec is None:
        return False
    return spec.origin is not None or not _is_installed(name, folder)


def _is_installed(name: str, folder: str) -> bool:
    """Say whether Python has more of `name` than plain folders where it was started, or here."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:
        # A module that was made by hand.
        return True
    if spec is None or spec.origin is not None:
        return spec is not None
    places = {Path(place).parent for place in spec.submodule_search_locations or ()}
    return not places <= {Path(folder), Path.cwd()}
