"""The keyboard while an answer is made: keys are kept for the next prompt, and not shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


@contextmanager
def quiet_keyboard(stream: TextIO) -> Iterator[None]:
    """Show no keys that are pressed meanwhile: they would tear the drawing of the tree."""
    if sys.platform == "win32" or not stream.isatty():
        yield
        return
    import termios  # noqa: PLC0415 - not on Windows

    before = termios.tcgetattr(stream)
    changed = termios.tcgetattr(stream)
    input_modes, local_modes = 0, 3
    changed[local_modes] &= ~(termios.ECHO | termios.ECHONL)
    # Ctrl-C throws nothing typed away, and Enter stays Enter; it would become a new line.
    changed[local_modes] |= termios.NOFLSH
    changed[input_modes] &= ~termios.ICRNL
    termios.tcsetattr(stream, termios.TCSADRAIN, changed)
    try:
        yield
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)
