"""Draw a deadlock as SVG: a lane for each transaction, its locks in order, and who waits."""

from __future__ import annotations

from html import escape

from pileup.report.document import DeadlockDrawing, DeadlockTransaction, DeadlockWaitArrow
from pileup.report.render.scripts import short, wrapped

INK, GREY, WAIT, HOLD = "#1c2024", "#60646c", "#b35c00", "#c4320a"
_MARGIN = 12
_HEAD = 62
_STEP = 58
_SPACE = 18
_TRACK = 9
"""Between two arrows that run below the lanes."""
_LETTER = 6.7
_HEADED = "M0 0L8 4L0 8Z"


def draw_deadlock(drawing: DeadlockDrawing, width: int) -> tuple[float, str]:
    """Return the height and the content of the picture."""
    lanes = drawing.transactions
    around = [w for w in drawing.waits if abs(w.holder - w.waiter) != 1]
    side = _MARGIN + (16 + _TRACK * len(around) if around else 0)
    gap = 56.0 if len(lanes) < 4 else 30.0
    room = (width - 2 * side - gap * (len(lanes) - 1)) / max(1, len(lanes))
    left = [side + index * (room + gap) for index in range(len(lanes))]
    most = max((len(lane.steps) for lane in lanes), default=0)
    bottom = _top(most)
    parts = [_lane(lane, x, room) for lane, x in zip(lanes, left, strict=True)]
    for wait in drawing.waits:
        track = around.index(wait) if wait in around else None
        parts.append(_arrow(wait, lanes, left, room, bottom, track))
    return bottom + _TRACK * len(around) + _MARGIN, "".join(parts)


def _top(step: int) -> float:
    return _MARGIN + _HEAD + _SPACE + step * (_STEP + _SPACE)


def _lane(lane: DeadlockTransaction, x: float, width: float) -> str:
    letters = max(8, int((width - 16) / _LETTER))
    middle = x + width / 2
    end = _top(max(0, len(lane.steps) - 1))
    colour = HOLD if lane.victim else GREY
    boxes = [
        (
            f'<line x1="{middle:.1f}" x2="{middle:.1f}" y1="{_MARGIN + _HEAD}" y2="{end:.1f}" '
            f'stroke="{GREY}"/>'
        ),
        _box(x, _MARGIN, width, _HEAD, colour, heavy=lane.victim),
        _text(x + 8, _MARGIN + 17, short(lane.name, letters), bold=True),
        _lines(lane.statement, x + 8, _MARGIN + 34, letters),
    ]
    for index, step in enumerate(lane.steps):
        top = _top(index)
        asks = step.what.startswith("requests")
        boxes += [
            _box(x, top, width, _STEP, WAIT if asks else HOLD, dashed=step.inferred),
            _text(x + 8, top + 17, short(step.what, letters), bold=True),
            _lines(step.where, x + 8, top + 33, letters),
        ]
    return "".join(boxes)


def _arrow(
    wait: DeadlockWaitArrow,
    lanes: list[DeadlockTransaction],
    left: list[float],
    width: float,
    bottom: float,
    track: int | None,
) -> str:
    """Draw from the last step of the waiter to a step of the holder; below the lanes if far."""
    y1 = _top(max(0, len(lanes[wait.waiter].steps) - 1)) + _STEP / 2
    y2 = _top(wait.step) + _STEP / 2
    forward = wait.holder > wait.waiter
    if track is None:
        x1 = left[wait.waiter] + (width if forward else 0)
        x2 = left[wait.holder] + (0 if forward else width)
        bend = (x1 + x2) / 2
        tip = -6 if forward else 6
        path = f"M{x1:.1f} {y1:.1f}C{bend:.1f} {y1:.1f} {bend:.1f} {y2:.1f} {x2 + tip:.1f} {y2:.1f}"
        pointing = forward
    else:
        x1 = left[wait.waiter] + width / 2
        x2 = left[wait.holder] + (width if forward else 0)
        out = x2 + (1 if forward else -1) * (16 + _TRACK * track)
        below = bottom + _TRACK * track - _SPACE / 2
        tip = 6 if forward else -6
        path = f"M{x1:.1f} {y1 + _STEP / 2:.1f}V{below:.1f}H{out:.1f}V{y2:.1f}H{x2 + tip:.1f}"
        pointing = not forward
    dash = ' stroke-dasharray="4 3"' if wait.inferred else ""
    turn = "" if pointing else " rotate(180)"
    return (
        f'<path d="{path}" fill="none" stroke="{WAIT}" stroke-width="1.5"{dash}/>'
        f'<g transform="translate({x2:.1f} {y2:.1f}){turn}">'
        f'<path d="{_HEADED}" transform="translate(-8 -4)" fill="{WAIT}"/></g>'
    )


def _box(
    x: float,
    y: float,
    width: float,
    height: float,
    stroke: str,
    *,
    heavy: bool = False,
    dashed: bool = False,
) -> str:
    dash = ' stroke-dasharray="4 3"' if dashed else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" rx="3" '
        f'fill="#ffffff" stroke="{stroke}" stroke-width="{1.75 if heavy else 1}"{dash}/>'
    )


def _lines(text: str, x: float, y: float, letters: int) -> str:
    return "".join(
        _text(x, y + 15 * index, line) for index, line in enumerate(wrapped(text, letters, 2))
    )


def _text(x: float, y: float, text: str, *, bold: bool = False) -> str:
    look = ' font-weight="600"' if bold else ' font-family="JetBrains Mono, monospace"'
    fill = INK if bold else GREY
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}"{look}>{escape(text)}</text>'
