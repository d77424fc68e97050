"""From a path to a sound manifest, or to every problem with it."""

from agency_cli.loading.interpolation import EnvReference
from agency_cli.loading.manifests import (
    LoadedManifest,
    Report,
    check_manifest,
    examine_manifest,
    load_manifest,
    load_without_params,
)

__all__ = [
    "EnvReference",
    "LoadedManifest",
    "Report",
    "check_manifest",
    "examine_manifest",
    "load_manifest",
    "load_without_params",
]
