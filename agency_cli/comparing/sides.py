"""One of two states of an agency, as it was loaded."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from agency_cli.checks.tools import named_python
from agency_cli.loading import LoadedManifest
from agency_cli.manifest import Manifest


class Side(NamedTuple):
    """A manifest and what it names; `shown` is how the person named it."""

    shown: str
    loaded: LoadedManifest

    @property
    def manifest(self) -> Manifest:
        return self.loaded.manifest

    def code(self) -> dict[str, str]:
        """Return a hash of each Python file that the manifest names, of folders each of theirs."""
        found: dict[str, str] = {}
        for _, reference in named_python(self.manifest):
            name = reference.partition(":")[0]
            place = self.loaded.folder / name
            files = sorted(place.glob("*.py")) if name.endswith("/") else [place]
            for file in files:
                if file.suffix == ".py" and file.is_file():
                    shown = f"{name}{file.name}" if name.endswith("/") else name
                    found[shown] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found
