"""Recognition of stacks that were parsed before, at memory speed.

A thousand threads of a pileup show some dozens of stacks: the text of two threads differs in
addresses and counts, at the same places. A ``Shape`` is the text of one stack with its hexadecimal
characters blanked, the places that must be equal (functions, files, lines), and the result of the
slow reader. A body of the same shape has the same frames, and its latch addresses are at known
places.

To learn which places may differ, the slow reader parses a text twice: as printed, and with each
address replaced by another one. A shape is learnt only if nothing but the addresses changes.
Within one process, about ten of fifty places that may differ do: those that have not differed so
far are compared as text, which needs no blanking. The others are examined only when that
comparison fails, and count as differing from then on. Names of arguments between two differing
places are compared blanked together with them, which halves the number of pieces.
Measured: 309 threads of a real pileup have 55 shapes, 1,000 threads no more.
"""

from __future__ import annotations

import re
import struct
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count

from pileup.records import Frame

ReadFrame = Callable[[str], tuple[Frame, tuple[str, ...]] | None]
"""Parses a line of a stack into its frame and latch addresses; None for no whole frame."""

_HEX = b"0123456789abcdef"
BLANK = bytes(0x30 if byte in _HEX else byte for byte in range(256))
# An address; a number given as an argument; the text of a string argument (a name, a statement).
_VARIABLE = re.compile(
    r"(?<![0-9a-zA-Z_])0x(?P<address>[0-9a-f]+)(?![0-9a-zA-Z_])|=-?(?P<number>\d+)(?=[,) ])"
    r'|"(?P<text>(?:[^"\\]|\\.)*)"'
)
# Between two places: of a frame's arguments, none of which may be a latch; and the same blanked.
_NAMES_ONLY = re.compile(rb"[^\n()\"']*")
_LATCH_BLANKED = re.compile(rb"lo0k|mut0x|l0t0h|this")
_DIGITS = "0123456789abcdef"
_MOST_BYTES = 16 * 1024
_MOST_SHAPES = 10_000
_MOST_ALIKE = 64
"""Most shapes that differ in hexadecimal characters only, such as in line numbers."""
_RECENT = 8
"""Shapes of one length that a body is compared with before it is blanked."""
_MOST_HELD = 32 * 1024 * 1024
_Learnt = tuple[Frame, list[tuple[int, int]], list[tuple[int, int]]]
"""A line: its frame, the places that may differ, those of them that are latch addresses."""


class Shape:
    """The text of a stack, to recognise the same stack with other addresses."""

    __slots__ = (
        "_body",
        "_differ",
        "_free",
        "after",
        "blanked",
        "constant",
        "frames",
        "last",
        "latches",
        "lines",
        "same",
        "size",
        "stack",
        "varied",
    )

    def __init__(
        self,
        body: bytes,
        free: list[tuple[int, int]],
        addresses: tuple[tuple[int, int], ...],
        frames: tuple[Frame, ...],
        stack: int,
        last: int,
    ) -> None:
        """``free``: the places that may differ, in order."""
        self.frames = frames
        self.stack = stack
        """Number of the stack, equal for equal frames."""
        self.size = len(body)
        self.lines = body.count(b"\n")
        """Line ends in the text."""
        self.last = last
        """The line of its last frame, the first being 1."""
        self.latches = _pieces(addresses)
        """Extracts the latch addresses of a text of this shape."""
        self._body = body
        self._free = free
        self._differ: set[tuple[int, int]] = set()
        self.after: deque[Shape] = deque(maxlen=_RECENT)
        """Shapes that followed this shape."""
        self._cut()

    def _cut(self) -> None:
        runs = self._runs()
        ends = [0, *(place for run in runs for place in run), self.size]
        self.same = _pieces(list(zip(ends[::2], ends[1::2], strict=True)))
        """Extracts what was the same in all texts of this shape so far."""
        self.varied = _pieces(runs)
        """Extracts what differed."""
        self.constant = self.same(self._body, 0)
        self.blanked = b"".join(self.varied(self._body, 0)).translate(BLANK)

    def _runs(self) -> list[tuple[int, int]]:
        """Merge the places that differed if there are only names of arguments between them."""
        runs: list[tuple[int, int]] = []
        for first, last in sorted(self._differ):
            if runs and _is_names(self._body[runs[-1][1] : first]):
                runs[-1] = runs[-1][0], last
            else:
                runs.append((first, last))
        return runs

    def is_at(self, data: bytes, start: int) -> bool:
        """Return whether the ``size`` bytes of data at ``start`` are this stack."""
        return (
            self.same(data, start) == self.constant
            and b"".join(self.varied(data, start)).translate(BLANK) == self.blanked
        )

    def accepts(self, body: bytes) -> bool:
        """Return whether a body of the same blanked text differs at free places only.

        The places where it differs are allowed to differ from then on.
        """
        before = self._body
        start = 0
        differ = []
        for place in self._free:
            first, last = place
            if body[start:first] != before[start:first]:
                return False
            if body[first:last] != before[first:last]:
                differ.append(place)
            start = last
        if body[start:] != before[start:]:
            return False
        self._differ.update(differ)
        self._cut()
        return True


def _is_names(between: bytes) -> bool:
    """Return whether the text is names of arguments, none of which may be a latch."""
    return bool(
        _NAMES_ONLY.fullmatch(between) and not _LATCH_BLANKED.search(between.translate(BLANK))
    )


def _pieces(places: Sequence[tuple[int, int]]) -> Callable[[bytes, int], tuple[bytes, ...]]:
    """Build a function that extracts the text at these places of a body at some offset."""
    layout = []
    start = 0
    for first, last in places:
        layout.append(f"{first - start}x{last - first}s")
        start = last
    return struct.Struct("".join(layout)).unpack_from


class Shapes:
    """The shapes of one artifact; all are forgotten when they become too many."""

    def __init__(self, read_frame: ReadFrame) -> None:
        self._read_frame = read_frame
        self._recent: dict[int, deque[Shape]] = {}  # by length
        self.after: deque[Shape] = deque(maxlen=_RECENT)
        """Shapes that followed the last match: tried first, with ``is_at``.

        Threads come in the same order in every sample, and many alike in a row.
        """
        self._known: dict[bytes, list[Shape]] = {}  # by their text, blanked
        self._seen: set[int] = set()
        self._refused: set[int] = set()
        self._count = self._held = 0
        self._lines: dict[str, _Learnt | None] = {}
        """Results of ``_line`` by line: many stacks share their outermost lines."""
        self._interned: dict[Frame, Frame] = {}
        self._stacks: dict[tuple[int, ...], int] = {}
        self._numbers = count()

    def forget(self) -> None:
        """Drop all shapes, frames and stack numbers."""
        self._forget_shapes()
        self._seen.clear()
        self._refused.clear()
        self._interned.clear()
        self._stacks.clear()

    def _forget_shapes(self) -> None:
        for alike in self._known.values():
            for shape in alike:
                shape.after.clear()
        self.after = deque(maxlen=_RECENT)
        self._recent.clear()
        self._known.clear()
        self._lines.clear()
        self._count = self._held = 0

    @property
    def full(self) -> bool:
        """Whether so much is held that the next sample should start with ``forget``."""
        return len(self._interned) > 20 * _MOST_SHAPES or len(self._stacks) > 5 * _MOST_SHAPES

    def intern(self, frames: list[Frame]) -> tuple[int, tuple[Frame, ...]]:
        """Return a number, equal for equal stacks, and the frames, each distinct one held once."""
        interned = self._interned
        same = tuple([interned.setdefault(frame, frame) for frame in frames])
        key = tuple(map(id, same))
        number = self._stacks.get(key)
        if number is None:
            number = self._stacks[key] = next(self._numbers)
        return number, same

    def find(self, body: bytes) -> Shape | None:
        """Return the shape of a body (the lines of one stack), or None if it was not learnt."""
        shape = self._match(body)
        if shape:
            if shape not in self.after:
                self.after.appendleft(shape)
            self.after = shape.after
        return shape

    def _match(self, body: bytes) -> Shape | None:
        recent = self._recent.get(len(body))
        if recent is None:
            return None
        for shape in recent:
            if shape.is_at(body, 0):
                return shape
        for shape in self._known.get(body.translate(BLANK), ()):
            if shape.accepts(body):
                if shape not in recent:
                    recent.appendleft(shape)
                return shape
        return None

    def learn(self, body: bytes) -> None:
        """Remember the shape of a body when it occurs for the second time."""
        if len(body) > _MOST_BYTES or not body.isascii():
            return
        blank = body.translate(BLANK)
        seen = hash(blank)
        if seen not in self._seen:
            if len(self._seen) > 10 * _MOST_SHAPES:
                self._seen.clear()
                self._refused.clear()
            self._seen.add(seen)
            return
        if seen in self._refused:
            return
        if self._count >= _MOST_SHAPES or self._held > _MOST_HELD:
            self._forget_shapes()
        alike = self._known.get(blank, [])
        if len(alike) < _MOST_ALIKE and (shape := self._shape(body)):
            self._known[blank] = [*alike, shape]
            self._recent.setdefault(len(body), deque(maxlen=_RECENT)).appendleft(shape)
            self._count += 1
            self._held += 3 * len(body)
        else:
            self._refused.add(seen)

    def _shape(self, body: bytes) -> Shape | None:
        frames: list[Frame] = []
        free: list[tuple[int, int]] = []
        addresses: list[tuple[int, int]] = []
        start = last = 0
        for number, line in enumerate(body.decode("ascii").split("\n"), start=1):
            if line:
                if line not in self._lines:
                    self._lines[line] = self._line(line)
                learnt = self._lines[line]
                if learnt is None:
                    return None
                frame, variable, latches = learnt
                last = number
                frames.append(frame)
                free += [(start + first, start + last) for first, last in variable]
                addresses += [(start + first, start + last) for first, last in latches]
            start += len(line) + 1
        if not frames:
            return None
        stack, interned = self.intern(frames)
        return Shape(body, free, tuple(addresses), interned, stack, last)

    def _line(self, line: str) -> _Learnt | None:
        """Parse a line into its frame, the places that may differ, and those of latch addresses.

        Returns None if the slow reader does not confirm that these places may differ.
        """
        read = self._read_frame(line)
        if read is None:
            return None
        frame, latches = read
        matches = list(_VARIABLE.finditer(line))
        spans = [match.span(match.lastgroup or 0) for match in matches]
        other = list(line)
        places: dict[str, list[tuple[int, int]]] = {}
        for at, (match, (first, last)) in enumerate(zip(matches, spans, strict=True), start=1):
            # Each address becomes another one, so that the result shows which are latches.
            fill = (f"{at:02x}"[::-1] * (last - first))[: last - first]
            if match.lastgroup == "address":
                places.setdefault(f"0x{fill}", []).append((first - 2, last))
            elif match.lastgroup == "number":
                fill = "5" * (last - first)
            else:
                fill = "".join("5" if name in _DIGITS else name for name in line[first:last])
            other[first:last] = fill
        read = self._read_frame("".join(other))
        if read is None or read[0] != frame:
            return None
        candidates = [places.get(address, []) for address in read[1]]
        if any(len(spans_of_one) != 1 for spans_of_one in candidates):
            return None
        latch_spans = [spans_of_one[0] for spans_of_one in candidates]
        if [line[first:last] for first, last in latch_spans] != list(latches):
            return None
        return frame, spans, latch_spans
