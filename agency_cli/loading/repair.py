"""A faulty document as it was probably meant, so that the rest of it can be checked too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from agency_cli.loading.nodes import Path
from agency_cli.loading.refusals import refused_places
from agency_cli.loading.shape import Finding
from agency_cli.manifest import Manifest

_STAND_IN: Final = "stand-in-for-a-faulty-value"
"""Taken wherever a text or a name is."""
_SAMPLES: Final[Mapping[str, Mapping[str, str]]] = {
    "agents": {"instructions": _STAND_IN, "description": _STAND_IN},
    "guardrails": {"applies_to": "output", "regex": _STAND_IN},
    "models": {"model": _STAND_IN},
    "params": {},
    "providers": {"base_url": _STAND_IN},
    "tools": {"python": _STAND_IN},
}
"""The least that what has a name, by its section, can say."""
_MOST_ROUNDS: Final = 30
"""Each round mends a level further out; nothing in the format nests ten levels deep."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """What could be made of a faulty document.

    Attributes:
        manifest: As it was probably meant; None where that cannot be told.
        places: Where something that nobody wrote stands in for what cannot be taken, or nothing.
        renamed: The misspelt keys, by the path of what they were mended to.
    """

    manifest: Manifest | None
    places: frozenset[Path]
    renamed: Mapping[Path, str]


def repaired(document: dict[str, Any], findings: Sequence[Finding]) -> Repaired:
    """Mend a copy: misspelt keys get their names, faulty values make way for stand-ins.

    Positions in lists stay what they are, so that later problems are found in their place.
    """
    repair = _Repair(document)
    for finding in findings:
        repair.mend(finding)
    manifest = repair.manifest()
    return Repaired(manifest, frozenset(repair.places), repair.renamed)


class _Repair:
    """A copy of a document that is mended step by step."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document: dict[str, Any] = _copy(document)
        self._names: dict[Path, str] = {}
        self._tries: dict[Path, int] = {}
        self.places: set[Path] = set()
        self.renamed: dict[Path, str] = {}

    def mend(self, finding: Finding) -> None:
        path = self._current(finding.problem.path)
        match finding.problem.code:
            case "unknown-key":
                self._rename(path, finding.instead)
                if finding.instead is not None:
                    self._names[finding.problem.path] = finding.instead
            case "bad-name" if finding.problem.at_key:
                self._rename(path, None)
                self.places.add(path)
            case "missing-key" if finding.key:
                self._replace((*path, finding.key))
            case "two-kinds":
                self._replace(path[:-1])
            case _ if finding.meant is not None:
                self._set(path, finding.meant)
            case _:
                self._replace(path)

    def manifest(self) -> Manifest | None:
        """Return the manifest; whatever the models still refuse is mended until they do not."""
        for _ in range(_MOST_ROUNDS):
            try:
                return Manifest.model_validate(self._document)
            except ValidationError as error:
                for place in refused_places(error, self._document):
                    self._replace(place)
        return None

    def _replace(self, path: Path) -> None:
        """Put a stand-in at a place, at the second try nothing; then what holds it must go."""
        self.places.add(path)
        tries = self._tries[path] = self._tries.get(path, 0) + 1
        holder = self._holder(path)
        if tries == 1:
            self._set(path, _stand_in(path))
        elif tries == 2 and isinstance(holder, dict):  # noqa: PLR2004 - see above
            holder.pop(path[-1], None)
        elif len(path) > 1:
            self._replace(path[:-1])

    def _set(self, path: Path, value: object) -> None:
        holder, last = self._holder(path), path[-1]
        if isinstance(holder, dict):
            holder[last] = value
        if isinstance(holder, list) and isinstance(last, int) and last < len(holder):
            holder[last] = value

    def _rename(self, path: Path, new_key: str | None) -> None:
        """Rename the key at `path`, or remove it; the order stays."""
        holder = self._holder(path)
        if not isinstance(holder, dict):
            return
        if new_key is not None:
            self.renamed[*path[:-1], new_key] = str(path[-1])
        pairs = [(new_key if key == path[-1] else key, value) for key, value in holder.items()]
        holder.clear()
        holder.update((key, value) for key, value in pairs if key is not None)

    def _current(self, written: Path) -> Path:
        """Return what the path of a problem is now, with the names that misspelt keys have got."""
        return tuple(
            self._names.get(written[: index + 1], part) for index, part in enumerate(written)
        )

    def _holder(self, path: Path) -> Any:
        """Return the mapping or list that the last part of a path stands in; None if it is gone."""
        holder: Any = self._document
        for part in path[:-1]:
            holder = _member(holder, part)
        return holder


def _member(holder: Any, part: str | int) -> Any:
    if isinstance(holder, dict):
        return holder.get(part)
    if isinstance(holder, list) and isinstance(part, int) and part < len(holder):
        return holder[part]
    return None


def _stand_in(path: Path) -> object:
    match path:
        case ("version",):
            return 1
        case ("agents",):
            return {_STAND_IN: dict(_SAMPLES["agents"])}
        case (str(section), _) if section in _SAMPLES:
            return dict(_SAMPLES[section])
        case _:
            return _STAND_IN


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    return [_copy(inner) for inner in value] if isinstance(value, list) else value
