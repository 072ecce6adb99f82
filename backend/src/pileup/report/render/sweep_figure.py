"""Draw a sweep as SVG: a value of each run over its load, the threshold between two loads shaded.

A filled point failed or missed its prediction. Runs without values lie on a line for each outcome.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from pileup.report.document import SweepDrawing, SweepRunPoint, SweepSeries
from pileup.report.render.scripts import wrapped
from pileup.report.text.wording import number

WRONG = frozenset({"failed", "missed"})
_GREY, _HAIR, _BAND, _HOLD = "#60646c", "#d9d9e0", "#fdf3dd", "#c4320a"
_TOP, _PLOT, _BELOW = 34, 170, 40
_LETTER = 6.2
_LARGEST = 1e300
"""Larger values cannot be scaled, and have no point."""


@dataclass(frozen=True, slots=True)
class _Scales:
    """Where a load and a value, or else an outcome, lie in the picture."""

    left: float
    right: float
    loads: Sequence[float]
    ticks: Sequence[float]
    """Of the values; empty where the runs have outcomes alone."""
    outcomes: Sequence[str]

    def x(self, load: float) -> float:
        span = (self.loads[-1] - self.loads[0]) or 1.0
        return self.left + (self.right - self.left) * (load - self.loads[0]) / span

    def level(self, value: float) -> float:
        span = (self.ticks[-1] - self.ticks[0]) or 1.0
        return _TOP + _PLOT * (1 - (value - self.ticks[0]) / span)

    def row(self, outcome: str) -> float:
        return _TOP + _PLOT * (1 - (self.outcomes.index(outcome) + 1) / (len(self.outcomes) + 1))

    def y(self, point: SweepRunPoint) -> float | None:
        """Return None for a run that has nothing to draw."""
        if self.ticks:
            return self.level(point.value) if point.value is not None and _fits(point) else None
        return self.row(point.outcome) if point.outcome else None


def draw_sweep(
    drawing: SweepDrawing, width: int, palette: Sequence[str], dashes: Sequence[str]
) -> tuple[float, str]:
    """Return the height and the content of the picture."""
    points = [point for series in drawing.series for point in series.points]
    scales = _scales(drawing, points, width)
    parts = [*_frame(drawing, scales)]
    ends: list[tuple[float, str, str]] = []
    for index, series in enumerate(drawing.series):
        colour = palette[min(index, len(palette) - 1)]
        drawn = _series(series, scales, colour, dashes[min(index, len(dashes) - 1)])
        parts.append(drawn)
        last = [at for point in series.points if (at := scales.y(point)) is not None][-1:]
        ends += [(at, series.label, colour) for at in last]
    free = -math.inf
    for at, label, colour in sorted(ends):
        free = max(at + 4, free)
        for line in wrapped(label, int((width - scales.right - 20) / _LETTER), 2) if label else []:
            parts.append(_text(scales.right + 12, free, line, fill=colour))
            free += 14
    return max(_TOP + _PLOT + _BELOW, free + 4), "".join(parts)


def _scales(drawing: SweepDrawing, points: Sequence[SweepRunPoint], width: int) -> _Scales:
    values = [point.value for point in points if point.value is not None and _fits(point)]
    outcomes = sorted({p.outcome for p in points if p.outcome}, key=lambda o: (o in WRONG, o))
    ticks = _ticks(min(0.0, *values), max(0.0, *values)) if drawing.measure and values else []
    letters = [number(tick) for tick in ticks] or outcomes
    labels = any(series.label for series in drawing.series)
    margin = (220 if width > 800 else 160) if labels else 24
    return _Scales(
        left=24 + max(map(len, letters), default=0) * _LETTER,
        right=width - margin,
        loads=sorted({point.load for point in points}) or [0.0],
        ticks=ticks,
        outcomes=outcomes,
    )


def _fits(point: SweepRunPoint) -> bool:
    return point.value is not None and abs(point.value) <= _LARGEST


def _frame(drawing: SweepDrawing, scales: _Scales) -> list[str]:
    """Draw the thresholds, the grid and the names of both axes."""
    parts = [
        f'<rect x="{scales.x(low):.1f}" y="{_TOP}" width="{scales.x(high) - scales.x(low):.1f}" '
        f'height="{_PLOT}" fill="{_BAND}"/>'
        for low, high in dict.fromkeys(s.threshold for s in drawing.series if s.threshold)
    ]
    levels = [(scales.level(tick), number(tick)) for tick in scales.ticks] or [
        (scales.row(outcome), outcome) for outcome in scales.outcomes
    ]
    for at, words in levels:
        parts.append(
            f'<line x1="{scales.left:.1f}" x2="{scales.right:.1f}" y1="{at:.1f}" y2="{at:.1f}" '
            f'stroke="{_HAIR}"/>' + _text(scales.left - 10, at + 4, words, "end")
        )
    taken = -math.inf
    for load in scales.loads:
        words = number(load)
        half = len(words) * _LETTER / 2 + 3
        if scales.x(load) - half > taken:
            parts.append(_text(scales.x(load), _TOP + _PLOT + 16, words, "middle"))
            taken = scales.x(load) + half
    middle = (scales.left + scales.right) / 2
    parts.append(_text(middle, _TOP + _PLOT + 33, drawing.axis, "middle"))
    parts.append(_text(8, 16, drawing.measure or "outcome of each run"))
    return parts


def _series(series: SweepSeries, scales: _Scales, colour: str, dash: str) -> str:
    drawn = [(scales.x(p.load), at, p) for p in series.points if (at := scales.y(p)) is not None]
    line = ""
    if scales.ticks and drawn:
        path = "L".join(f"{across:.1f},{down:.1f}" for across, down, _ in drawn)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        line = f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dashed}/>'
    return line + "".join(
        f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" stroke-width="1.5" '
        f'fill="{_HOLD if point.outcome in WRONG else "#ffffff"}" '
        f'stroke="{_HOLD if point.outcome in WRONG else colour}"/>'
        for across, down, point in drawn
    )


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers from at most ``low`` to at least ``high``, about four of them."""
    rough = ((high - low) or 1.0) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((f * power for f in (1, 2, 2.5, 5) if f * power >= rough), 10 * power)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [index * step for index in range(first, max(last, first + 1) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "start", *, fill: str = _GREY) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'
    )
