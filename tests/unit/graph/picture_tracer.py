"""Reads a text picture back, as an eye does: boxes, lines, arrowheads -> who may reach whom.

Nothing of the program is used: widths of signs come from Rich, arms of signs are listed here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from rich.cells import split_graphemes

NORTH, EAST, SOUTH, WEST = (-1, 0), (0, 1), (1, 0), (0, -1)
_BACK = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST}
_SIGNS = {
    "│╎": {NORTH, SOUTH},
    "─╌": {EAST, WEST},
    "┌╭": {EAST, SOUTH},
    "┐╮": {WEST, SOUTH},
    "└╰": {EAST, NORTH},
    "┘╯": {WEST, NORTH},
    "├": {NORTH, SOUTH, EAST},
    "┤": {NORTH, SOUTH, WEST},
    "┬": {SOUTH, EAST, WEST},
    "┴": {NORTH, EAST, WEST},
    "┼": {NORTH, SOUTH, EAST, WEST},
    "▼▽": {NORTH},
    "▲△": {SOUTH},
    "▶▷": {WEST},
}
_ARMS = {sign: arms for signs, arms in _SIGNS.items() for sign in signs}
_SOLID, _DASHED = set("│─┌┐└┘▲▼▶"), set("╎╌╭╮╰╯△▽▷")
_HEADS = set("▲▼▶△▽▷")

Place = tuple[int, int]
Flow = tuple[str, str, str]


class UnreadableError(AssertionError):
    """The picture has something that an eye could not make sense of."""


@dataclass
class BoxSeen:
    """A box: its corners, and the text inside without spaces."""

    top: int
    left: int
    bottom: int
    right: int
    words: str
    entry: bool


@dataclass
class _Line:
    """Everything that one line touches."""

    tails: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    signs: set[str] = field(default_factory=set)


class Picture:
    """The cells of a picture, and what stands in them."""

    def __init__(self, text: str, agents: Collection[str]) -> None:
        self._cells = [_cells(line) for line in text.split("\n")]
        self._agents = agents
        self.boxes = self._find_boxes()
        self._inside = {
            (row, column)
            for box in self.boxes.values()
            for row in range(box.top, box.bottom + 1)
            for column in range(box.left, box.right + 1)
        }

    def flows(self) -> list[Flow]:
        """Return every flow that the picture says, as often as it says it."""
        flows: list[Flow] = []
        for line in self._lines():
            kind = _kind(line.signs)
            if not line.tails:
                if len(line.heads) != 2:
                    raise UnreadableError(f"arrowheads only: {line.heads}")
                one, other = line.heads
                flows += [(one, other, kind), (other, one, kind)]
            if line.tails and not line.heads:
                raise UnreadableError(f"no arrowhead: {line.tails}")
            flows += [
                (tail, head, kind) for tail in line.tails for head in line.heads if tail != head
            ]
        return flows

    def _lines(self) -> list[_Line]:
        lines: list[_Line] = []
        seen: set[Place] = set()
        for row, cells in enumerate(self._cells):
            for column, sign in enumerate(cells):
                place = (row, column)
                if sign in _ARMS and place not in seen and place not in self._inside:
                    lines.append(self._follow(place, seen))
        return lines

    def _follow(self, start: Place, seen: set[Place]) -> _Line:
        line, waiting = _Line(), [start]
        while waiting:
            place = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            sign = self._sign(place)
            line.signs.add(sign)
            if sign in _HEADS:
                line.heads.append(self._head_of(place, sign))
            for arm in _ARMS[sign]:
                end = self._far_end(place, arm)
                if end in self._inside:
                    line.tails.append(self._tail_of(end, arm))
                else:
                    waiting.append(end)
        return line

    def _far_end(self, place: Place, arm: Place) -> Place:
        """Go one cell on; sideways, go on behind lines that pass over."""
        row, column = place[0] + arm[0], place[1] + arm[1]
        while arm in (EAST, WEST) and (row, column) not in self._inside:
            if self._sign((row, column)) not in "│╎":
                break
            column += arm[1]
        sign = self._sign((row, column))
        if (row, column) not in self._inside and _BACK[arm] not in _ARMS.get(sign, ()):
            raise UnreadableError(f"a line ends at {row}:{column} before {sign!r}")
        return row, column

    def _tail_of(self, end: Place, arm: Place) -> str:
        sign = self._sign(end)
        if sign not in {NORTH: "┬╤", SOUTH: "┴╧", WEST: "├╟"}.get(arm, ""):
            raise UnreadableError(f"a line runs into a box at {end}")
        return self._agent_at(end)

    def _head_of(self, place: Place, sign: str) -> str:
        row, column = place
        if sign in "▶▷":
            return self._name_after(row, column)
        border = (row + 1, column) if sign in "▼▽" else (row - 1, column)
        if self._sign(border) not in "─═":
            raise UnreadableError(f"an arrowhead without a border at {place}")
        return self._agent_at(border)

    def _name_after(self, row: int, head: int) -> str:
        """Read the name behind an arrowhead; it may go on in the rows below."""
        name = ""
        while True:
            name += "".join(self._cells[row][head + 2 :]).split(" ")[0]
            row += 1
            if self._sign((row, head)) != " " or self._sign((row, head + 2)) == " ":
                break
        if name not in self._agents:
            raise UnreadableError(f"an arrow to nobody: {name!r}")
        return name

    def _agent_at(self, place: Place) -> str:
        for agent, box in self.boxes.items():
            if box.top <= place[0] <= box.bottom and box.left < place[1] <= box.right:
                return agent
        raise UnreadableError(f"no box at {place}")

    def _sign(self, place: Place) -> str:
        row, column = place
        if 0 <= row < len(self._cells) and 0 <= column < len(self._cells[row]):
            return self._cells[row][column]
        return " "

    def _find_boxes(self) -> dict[str, BoxSeen]:
        boxes: dict[str, BoxSeen] = {}
        for row, cells in enumerate(self._cells):
            for column, sign in enumerate(cells):
                box = self._box_at(row, column) if sign in "┌╔" else None
                if box is None:
                    continue
                agent = self._named(box.words)
                if agent in boxes:
                    raise UnreadableError(f"two boxes for {agent}")
                boxes[agent] = box
        if set(boxes) != set(self._agents):
            raise UnreadableError(f"boxes of {sorted(boxes)}, not of {sorted(self._agents)}")
        return boxes

    def _named(self, words: str) -> str:
        for agent in sorted(self._agents, key=len, reverse=True):
            if words.startswith(agent):
                return agent
        raise UnreadableError(f"a box of nobody: {words!r}")

    def _box_at(self, top: int, left: int) -> BoxSeen | None:
        """Return the box with this upper left corner; None where it is a line that turns."""
        entry = self._sign((top, left)) == "╔"
        corners, across, sides = ("╗╚╝", "═╧╤", "║╟") if entry else ("┐└┘", "─┴┬", "│├")
        right = left + 1
        while self._sign((top, right)) in across:
            right += 1
        bottom = top + 1
        while self._sign((bottom, left)) in sides[0] and self._sign((bottom, right)) in sides:
            bottom += 1
        ends = self._sign((top, right)) + self._sign((bottom, left)) + self._sign((bottom, right))
        lower = {self._sign((bottom, column)) for column in range(left + 1, right)}
        if ends != corners or not lower <= set(across) or bottom - top == 1:
            return None
        inside = [self._cells[row][left + 1 : right] for row in range(top + 1, bottom)]
        words = "".join("".join(cells) for cells in inside).replace(" ", "")
        return BoxSeen(top, left, bottom, right, words, entry) if words else None


def _cells(line: str) -> list[str]:
    cells: list[str] = []
    for start, end, width in split_graphemes(line)[0]:
        cells += [line[start:end]] + [""] * (width - 1)
    return cells


def _kind(signs: set[str]) -> str:
    if signs & _SOLID and signs & _DASHED:
        raise UnreadableError(f"solid and dashed at once: {signs}")
    return "handoff" if signs & _DASHED else "message"
