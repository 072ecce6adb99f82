"""Draw active sessions as SVG, as the overview does: by class of time, above the completed work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from itertools import pairwise

from pileup.numerals import grouped
from pileup.report.document import ClassBand, SessionsDrawing
from pileup.report.render.scripts import short
from pileup.report.render.time_axis import BAND, GREY, HAIR, INK, text_at, time_axis
from pileup.report.render.time_scale import Stretch, TimeScale
from pileup.report.text.active_time import share_words

CLASS_COLOURS = {
    "working": ("#00876b", "#2bb596"),
    "row_lock": ("#d14b00", "#f0713a"),
    "metadata_lock": ("#762ea1", "#9b54c8"),
    "table_lock": ("#a30841", "#cd3e62"),
    "global_lock": ("#7b4c00", "#a06f30"),
    "user_lock": ("#442032", "#fecee4"),
    "latch": ("#b57600", "#e5a32b"),
    "commit_queue": ("#0072b2", "#4a9fdc"),
    "log_flush": ("#b4588e", "#d58ab8"),
    "data_read": ("#8a7d00", "#cfc043"),
    "data_write": ("#2f8fc9", "#7cc5ee"),
    "redo_space": ("#150f85", "#526ee3"),
    "throttled": ("#8675d4", "#aa9afc"),
    "replication": ("#085023", "#aef1bb"),
    "client": ("#681c65", "#f7a2ef"),
    "unknown": ("#7d8894", "#6f7c89"),
}
"""The colours of the screens, on paper and on a dark screen; a test compares them."""
_OTHER = CLASS_COLOURS["unknown"][0]
_TOP, _PLOT, _LOW_PLOT, _WORK, _BELOW = 28, 150, 130, 40, 10
_MARK, _LETTER, _LEGEND = 15, 6.0, 16
_BURST = 2.0
"""Work that queued up is done in a burst: beyond so many times the rate before, it is cut off."""


def draw_sessions(drawing: SessionsDrawing, width: int, zone: tzinfo) -> tuple[float, str]:
    """Return the height and the content of the picture."""
    if len(drawing.times) < 2:
        return 0, ""
    left, right = 96.0, width - 64.0
    scale = TimeScale((Stretch(drawing.times[0], drawing.times[-1], left, right),))
    plot = _PLOT if width > 800 else _LOW_PLOT
    # The areas begin below the labels of the marks, in whose colours these could not be read.
    top = _TOP + 4 + _MARK * len(drawing.marks)
    base = top + plot
    has_work = any(value is not None for value in drawing.work)
    end = base + (8 + _WORK if has_work else 0)
    parts = [_band(drawing, scale, (_TOP, end))]
    parts += time_axis(scale, round(end + 8), 8 if width > 800 else 6, zone)
    parts += _areas(drawing, scale, base, plot)
    parts += [_blank(scale, gap, top, end) for gap in drawing.gaps]
    parts.append(_line(left, right, base))
    if has_work:
        parts += _work(drawing, scale, base + 8)
    parts += _marks(drawing, scale, end)
    most = max((value or 0.0 for value in drawing.work), default=0.0)
    top_of_work = ceiling(zip(drawing.times, drawing.work, strict=False), ended(drawing.stalls))
    height, legend = _legend(
        drawing.classes, end + _LEGEND, 8, width - 8, is_clipped=top_of_work < most
    )
    return height + _BELOW, "".join([*parts, *legend])


def _band(drawing: SessionsDrawing, scale: TimeScale, down: tuple[float, float]) -> str:
    """Shade the stalls that the picture holds."""
    first, last = drawing.times[0], drawing.times[-1]
    parts = []
    for start, finish in drawing.stalls:
        begin, end = max(start, first), min(last if finish is None else finish, last)
        if begin < end:
            x, wide = scale.x(begin), scale.x(end) - scale.x(begin)
            parts.append(
                f'<rect x="{x:.1f}" y="{down[0] - 4}" width="{wide:.1f}" '
                f'height="{down[1] - down[0] + 4:.1f}" fill="{BAND}"/>'
            )
    return "".join(parts)


def _areas(drawing: SessionsDrawing, scale: TimeScale, base: float, plot: float) -> list[str]:
    """Stack the classes; a fine line parts them where the print is grey."""
    count = len(drawing.times)
    totals = [sum(_at(band.values, at) for band in drawing.classes) for at in range(count)]
    most = max(1.0, *totals)
    floor = [0.0] * count
    parts = [
        *_scale_texts(scale, base - plot, base, most),
        text_at(8, base - plot / 2, "Active"),
        text_at(8, base - plot / 2 + 14, "sessions"),
    ]
    for band in drawing.classes:
        ceiling = [low + _at(band.values, at) for at, low in enumerate(floor)]
        path = _steps(scale, drawing.times, ceiling, base, plot / most)
        back = _steps(scale, drawing.times, floor, base, plot / most, is_back=True)
        parts.append(
            f'<path d="M{path}L{back}Z" fill="{_colour(band.id)}" stroke="#ffffff" '
            'stroke-width="0.4"/>'
        )
        floor = ceiling
    return parts


def _work(drawing: SessionsDrawing, scale: TimeScale, top: float) -> list[str]:
    """Draw the completed work; the burst after a stall does not flatten the fall during it."""
    values = [value or 0.0 for value in drawing.work]
    high = max(1.0, ceiling(zip(drawing.times, drawing.work, strict=False), ended(drawing.stalls)))
    base = top + _WORK
    shown = [min(value, high) for value in values]
    path = _steps(scale, drawing.times, shown, base, (_WORK - 8) / high)
    x = (scale.x(drawing.times[0]), scale.x(drawing.times[-1]))
    marks = [
        f'<path d="M{scale.x(time) - 3:.1f},{top + 6:.1f}l3,-5l3,5z" fill="{INK}"/>'
        for time, value in zip(drawing.times, values, strict=True)
        if value > high
    ]
    area = f"M{x[0]:.1f},{base:.1f}L{path}L{x[1]:.1f},{base:.1f}Z"
    return [
        f'<path d="{area}" fill="{HAIR}" stroke="{GREY}" stroke-width="0.8"/>',
        *marks,
        text_at(8, base - 16, drawing.work_title.capitalize()),
        text_at(8, base - 2, "per second", fill=GREY),
        *_scale_texts(scale, top + 8, base, high),
        _line(*x, base),
    ]


def ceiling(points: Iterable[tuple[float, float | None]], over: float | None) -> float:
    """Return the top of a scale for values, each with its time; 0 without any.

    over: when the last stall ended. What queued up is done in a burst after it, which may be above
    the scale: beside it, the fall during the stall would not be seen.
    """
    known = [(time, value) for time, value in points if value is not None]
    most = max((value for _, value in known), default=0.0)
    usual = max((value for time, value in known if over is None or time < over), default=0.0)
    return usual * 1.1 if most > _BURST * usual > 0 else most


def ended(stalls: Sequence[tuple[float, float | None]]) -> float | None:
    """Return when the last stall ended; None without stalls, or where an end was not captured."""
    ends = [end for _, end in stalls]
    known = [end for end in ends if end is not None]
    return max(known) if known and len(known) == len(ends) else None


def _marks(drawing: SessionsDrawing, scale: TimeScale, end: float) -> list[str]:
    """Draw each turning point as a line from its text, in a row where no other line crosses it."""
    left, right = scale.stretches[0].left, scale.stretches[0].right
    waiting: list[_Label] = []
    for mark in drawing.marks:
        x = min(max(scale.x(mark.at), left), right)
        words = short(mark.text, int((max(x - left, right - x) - 6) / _LETTER))
        wide = 6 + len(words) * _LETTER
        is_left = x + wide > right
        waiting.append(_Label(x, words, is_left, x - wide if is_left else x + wide))
    lines: list[str] = []
    texts: list[str] = []
    while waiting:
        # Where each of some labels would have to be above the other, one of them changes its side.
        ways = [waiting, *(_turned(waiting, label, left, right) for label in waiting)]
        waiting = next((way for way in ways if any(_is_free(each, way) for each in way)), waiting)
        label = next((each for each in waiting if _is_free(each, waiting)), waiting[0])
        waiting = [each for each in waiting if each is not label]
        y = _TOP + 9 + _MARK * len(lines)
        lines.append(
            f'<line x1="{label.x:.1f}" x2="{label.x:.1f}" y1="{y - 8}" y2="{end:.1f}" '
            f'stroke="{INK}" stroke-dasharray="3 2"/>'
        )
        side, anchor = (-5, "end") if label.is_left else (5, "start")
        texts.append(text_at(label.x + side, y, label.words, anchor=anchor))
    return lines + texts


@dataclass(frozen=True, slots=True)
class _Label:
    """The text of a mark beside its line."""

    x: float
    words: str
    is_left: bool
    far: float
    """The side that is not at the line."""

    def covers(self, x: float) -> bool:
        return min(self.x, self.far) <= x <= max(self.x, self.far)


def _is_free(label: _Label, labels: Sequence[_Label]) -> bool:
    """Return whether the line of a label, which runs down, crosses none of the others."""
    return not any(other.covers(label.x) for other in labels if other is not label)


def _turned(labels: list[_Label], label: _Label, left: float, right: float) -> list[_Label]:
    """Put a label on the other side of its line, if it has room there."""
    far = 2 * label.x - label.far
    if not left <= far <= right:
        return labels
    other = replace(label, is_left=not label.is_left, far=far)
    return [other if each is label else each for each in labels]


def _scale_texts(scale: TimeScale, top: float, base: float, most: float) -> list[str]:
    """Write the largest value and zero beside an area."""
    x = scale.stretches[0].right + 6
    return [
        text_at(x, top + 9, grouped(round(most)), fill=GREY),
        text_at(x, base, "0", fill=GREY),
    ]


def _legend(
    classes: Sequence[ClassBand], top: float, left: float, right: float, *, is_clipped: bool
) -> tuple[float, list[str]]:
    """Name each class beside its colour, the uppermost first; return where it ends."""
    named = [(f"{band.title} {share_words(band.share)}", _colour(band.id)) for band in classes]
    named.reverse()
    named += [("▲ higher than drawn", "")] if is_clipped else []
    parts: list[str] = []
    x, y = left, top + 4
    for words, colour in named:
        wide = 15 + len(words) * _LETTER + 20
        if x + wide > right and x > left:
            x, y = left, y + _LEGEND
        if colour:
            square = f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="10" height="10" fill="{colour}"/>'
            parts += [square, text_at(x + 15, y, words)]
        else:
            parts.append(text_at(x, y, words))
        x += wide
    return y, parts


def _steps(
    scale: TimeScale,
    times: Sequence[float],
    values: Sequence[float],
    base: float,
    per: float,
    *,
    is_back: bool = False,
) -> str:
    """Write the points of a line that holds each value until the next time."""
    points = [(times[0], values[0])]
    for (_, before), (time, value) in pairwise(zip(times, values, strict=True)):
        points += [(time, before), (time, value)] if value != before else []
    points.append((times[-1], values[-1]))
    ordered = reversed(points) if is_back else points
    return "L".join(f"{scale.x(time):.1f},{base - value * per:.1f}" for time, value in ordered)


def _blank(scale: TimeScale, gap: tuple[float, float], top: float, end: float) -> str:
    x, wide = scale.x(gap[0]), scale.x(gap[1]) - scale.x(gap[0])
    return (
        f'<rect x="{x:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{end - top:.1f}" '
        'fill="#ffffff"/>'
    )


def _line(left: float, right: float, y: float) -> str:
    return f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GREY}"/>'


def _at(values: Sequence[float], index: int) -> float:
    return max(0.0, values[index]) if index < len(values) else 0.0


def _colour(name: str) -> str:
    return CLASS_COLOURS.get(name, (_OTHER, _OTHER))[0]
