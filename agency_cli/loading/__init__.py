"""From a path to a sound manifest, or to every problem with it."""

from agency_cli.loading.draft import STANDARD_INPUT
from agency_cli.loading.excerpts import SourceLines
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
    "STANDARD_INPUT",
    "EnvReference",
    "LoadedManifest",
    "Report",
    "SourceLines",
    "check_manifest",
    "examine_manifest",
    "load_manifest",
    "load_without_params",
]
