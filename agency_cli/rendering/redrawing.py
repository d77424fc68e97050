"""A frame that is drawn again and again in one place, also where its terminal changes size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import RLock

from rich.console import Console, ConsoleOptions, ConsoleRenderable, Group, RenderResult
from rich.control import Control
from rich.live import Live
from rich.segment import ControlType, Segment
from rich.text import Text

UP = "\x1b[{}A"
CUT_LINES, WRAP_LINES = "\x1b[?7l", "\x1b[?7h"
# The first cell for itself: tmux keeps, as history, a screen that is erased from its first cell on.
ERASE_BELOW = "\x1b[K\x1b[C\x1b[J\r"


class Redrawn(Live):
    """Draws a frame over the one before; takes the last one away at its end.

    Most terminals break the lines of a frame anew when they become narrower, and move its first
    lines out of sight when they become lower. So what a frame takes is worked out when the next one
    is drawn, from the widths of its lines. The cursor waits on a line of its own, which nothing can
    break, so that the way back to the first line is known.

    A terminal may be narrower for a while before it tells. So a frame is drawn with its lines cut
    off at the edge: what it then takes less is what it leaves of the frame before, and both are
    erased together when the width is known.
    """

    def __init__(
        self,
        lines: Callable[[], Iterable[Text]],
        *,
        console: Console,
        per_second: float,
        redirect: tuple[bool, bool],
        environ: Mapping[str, str],
    ) -> None:
        """Prepare to draw.

        Args:
            lines: Gives the lines of a frame.
            console: Where it is drawn.
            per_second: How often.
            redirect: Whether standard output, and standard error, are put above the frame.
            environ: Tells the terminal.
        """
        super().__init__(
            console=console,
            refresh_per_second=per_second,
            redirect_stdout=redirect[0],
            redirect_stderr=redirect[1],
        )
        self._lines = lines
        self._place = Place(breaks_lines(environ))
        # Frames are drawn in a thread of Rich's, and what is printed above them in any.
        self._drawing = RLock()

    def stop(self) -> None:
        super().stop()
        with self._drawing:
            self.console.print(_Steering(self._place.erased(*self.console.size)), end="")

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        with self._drawing:
            frame = _Frame(Group(*self._lines()), self._place)
            if any(not isinstance(each, Control) for each in renderables):
                self._place.is_printed_above()
            # The size is asked for last, as it may change until the frame is written.
            return [_Steering(self._place.erased(*self.console.size)), *renderables, frame]


class Place:
    """Where the last frame stands, as far as its terminal's habits let one know."""

    def __init__(self, breaks: bool) -> None:  # noqa: FBT001 - the only thing there is to say
        self._breaks = breaks
        self._widths: list[int] = []
        self._height = 0
        # Rows of earlier frames that went out of sight, and come back when the terminal grows.
        self._out_of_sight = 0

    def drawn(self, widths: Sequence[int]) -> None:
        """Note the widths of the lines of a frame that was drawn."""
        self._widths = list(widths)

    def is_printed_above(self) -> None:
        """Note that something else stands between the frame and what went out of sight."""
        self._out_of_sight = 0

    def erased(self, width: int, height: int) -> str:
        """Return what leads from below the last frame to its start, and erases it."""
        back = min(max(height - self._height, 0), self._out_of_sight) if self._height else 0
        self._out_of_sight -= back
        self._height = height
        if not self._widths:
            return ""
        rows = sum(self._rows(each, width) for each in self._widths)
        self._out_of_sight += max(rows + 1 - height, 0)
        self._widths = []
        return f"\r{UP.format(rows + back)}{ERASE_BELOW}"

    def _rows(self, cells: int, width: int) -> int:
        return max(-(-cells // width), 1) if self._breaks and width else 1


class _Steering:
    """Moves and erases; takes no room itself."""

    def __init__(self, codes: str) -> None:
        self._codes = codes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del console, options
        if self._codes:
            yield Segment(self._codes, control=[(ControlType.CARRIAGE_RETURN,)])


class _Frame:
    """Draws its lines, and notes how wide each came out."""

    def __init__(self, lines: Group, place: Place) -> None:
        self._lines = lines
        self._place = place

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._lines, options, pad=False)
        self._place.drawn([Segment.get_line_length(line) for line in lines])
        yield _Steering(CUT_LINES)
        for line in lines:
            yield from line
            yield Segment.line()
        yield _Steering(WRAP_LINES)


def breaks_lines(environ: Mapping[str, str]) -> bool:
    """Tell whether the terminal breaks its lines anew when it becomes narrower, as most do."""
    if environ.get("TMUX"):
        # What it runs in is told too, and does not matter.
        return True
    return not (
        environ.get("XTERM_VERSION") or environ.get("STY") or environ.get("TERM") == "linux"
    )
