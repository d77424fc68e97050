"""Did-you-mean: the name that a person most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from typing import Final

# Comparing takes some 20 microseconds a name; among more, only those that look alike are compared.
_MOST_NAMES: Final = 200
_LONGEST_NAME: Final = 80


def nearest(wanted: str, names: Iterable[str]) -> str | None:
    """Return the name most like `wanted`, or None where none is near."""
    # Only a message needs it.
    from difflib import get_close_matches  # noqa: PLC0415 - see above

    wanted = wanted[:_LONGEST_NAME].casefold()
    known = {name.casefold(): name for name in names}
    likely: Iterable[str] = known
    if len(known) > _MOST_NAMES:
        likely = nsmallest(_MOST_NAMES, known, key=lambda name: -_in_common(wanted, name))
    found = get_close_matches(wanted, likely, n=1, cutoff=0.6)
    return known[found[0]] if found else None


def _in_common(one: str, other: str) -> int:
    """Return how many characters two names have in common from their ends; cheap to say."""
    shorter = min(len(one), len(other))
    start = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    rest = shorter - start
    end = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    return start + end


def did_you_mean(wanted: str, names: Iterable[str]) -> str:
    """Return ` (did you mean 'NAME'?)`, or nothing where no name is near."""
    found = nearest(wanted, names)
    return f" (did you mean {found!r}?)" if found else ""


def did_you_mean_file(wanted: str, names: Iterable[str]) -> str:
    """Return what `did_you_mean` does for files, whose extensions make none more alike."""
    by_stem = {_stem(name): name for name in names}
    found = nearest(_stem(wanted), by_stem)
    return f" (did you mean {by_stem[found]!r}?)" if found is not None else ""


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name


def listed(names: Iterable[object], *, most: int = 12) -> str:
    """Return names as a person lists them, cut where there are many."""
    texts = [str(name) for name in names]
    rest = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {rest} more" if rest > 0 else "")
