"""The deep check: a manifest is built as for a run, and nothing is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path

from agency_cli.errors import AgencyError, ManifestError, Problem
from agency_cli.loading import LoadedManifest, Report, examine_manifest, load_without_params
from agency_cli.models.choice import ModelOverrides


def examine_deeply(path: Path, *, given: bytes | None = None) -> Report:
    """Return what is wrong with a manifest, and with all the Python that it names.

    What the Python code prints goes to the standard error.

    Args:
        path: The manifest.
        given: The manifest itself, which is then not read from `path`.
    """
    report = examine_manifest(path, given=given)
    if report.has_errors:
        return report
    loaded = load_without_params(path, given=given)
    return report.with_more(_problems_of_building(loaded))


def _problems_of_building(loaded: LoadedManifest) -> Iterable[Problem]:
    from agency_cli.building import build_agency  # noqa: PLC0415 - takes long
    from agency_cli.running import quieten_sdk  # noqa: PLC0415 - takes long

    quieten_sdk(tracing=False)
    try:
        with redirect_stdout(sys.stderr):
            build_agency(
                loaded,
                overrides=ModelOverrides(),
                environ=os.environ,
                notify=lambda _notice: None,
            )
    except ManifestError as error:
        return error.problems
    except AgencyError as error:
        return [loaded.locate(Problem(code="cannot-be-built", message=str(error), path=()))]
    return ()
