"""Draw the figures of the report as SVG: lanes, wait graph, confidence, matrix, deadlock, sweep.

Static pictures for paper: no script, fonts by family name, colours that stay legible in grey.
Colours match the screens: waiting amber, holding vermilion, stall a pale band.
Widths are in CSS pixels: text is always 11 px, so each page width gets its own picture.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, tzinfo
from html import escape

from pileup.report.document import (
    WHERE,
    ConfidenceDrawing,
    DeadlockDrawing,
    Drawing,
    GraphDrawing,
    GraphNode,
    Lane,
    LanesDrawing,
    MatrixDrawing,
    SessionsDrawing,
    SweepDrawing,
)
from pileup.report.render.deadlock_figure import draw_deadlock
from pileup.report.render.scripts import short, wrapped
from pileup.report.render.sessions_figure import ceiling, draw_sessions, ended
from pileup.report.render.sweep_figure import draw_sweep
from pileup.report.render.time_axis import BAND, GREY, HAIR, text_at, time_axis
from pileup.report.render.time_scale import Stretch, TimeScale, time_scale

SCREEN, PORTRAIT, DENSE, LANDSCAPE = 960, 640, 820, 940
"""Pictures for screens and pages; a dense one has smaller text on the same page."""
_LANE, _LOW_LANE = 64, 54
"""Height of a lane on screens and on pages."""
_RIGHT = 64
_WAIT, _HOLD, _LINE = "#b35c00", "#c4320a", "#0072b2"
_PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#60646c")
_DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "4 4")
_RATINGS = {
    "CC": ("#c7e6dc", "very consistent"),
    "C": ("#e3f2ed", "consistent"),
    "N": ("#ffffff", "neutral"),
    "I": ("#fbe3d3", "inconsistent"),
    "II": ("#f5c3a5", "very inconsistent"),
    "NA": ("#f0f0f3", "does not apply"),
}
_NARROW = 15
"""Letters of a line in a narrow box."""
SHOWN_NODES = 12
"""At most this many rows per column of the wait graph; the rest is counted."""


def draw(drawing: Drawing, label: str, *, width: int = SCREEN, zone: tzinfo = UTC) -> str:
    """Draw the picture as one <svg>; ``label`` is its text alternative."""
    match drawing:
        case SessionsDrawing():
            height, content = draw_sessions(drawing, width, zone)
            return _open(width, height, label) + content + "</svg>"
        case LanesDrawing():
            return _lanes(drawing, label, width, zone)
        case GraphDrawing():
            return _graph(drawing, label, width)
        case ConfidenceDrawing():
            return _confidence(drawing, label, width, zone)
        case MatrixDrawing():
            return _matrix(drawing, label, width)
        case DeadlockDrawing():
            height, content = draw_deadlock(drawing, width)
            return _open(width, height, label) + content + "</svg>"
        case SweepDrawing():
            height, content = draw_sweep(drawing, width, _PALETTE, _DASHES)
            return _open(width, height, label) + content + "</svg>"


def page_width(drawing: Drawing) -> int:
    """Return the width to draw for a page: LANDSCAPE for what is too wide for an upright one.

    A wait graph stays upright, as a page on its side leaves the page before it half empty.
    """
    match drawing:
        case GraphDrawing():
            columns = Counter(min(node.depth, 5) for node in drawing.nodes)
            is_chain = len(columns) == 5 and max(columns.values()) <= 2
            return DENSE if len(columns) > 4 and not is_chain else PORTRAIT
        case DeadlockDrawing():
            return LANDSCAPE if len(drawing.transactions) > 2 else PORTRAIT
        case MatrixDrawing():
            return LANDSCAPE if len(drawing.columns) > 4 else PORTRAIT
    return PORTRAIT


def _lanes(drawing: LanesDrawing, label: str, width: int, zone: tzinfo) -> str:
    """Draw stacked lanes on one time axis."""
    left, right = 190 if width > 800 else 150, width - _RIGHT
    scale = time_scale(drawing.lanes, left, right)
    if scale is None:
        return ""
    tall = _LANE if width > 800 else _LOW_LANE
    height = 28 + tall * len(drawing.lanes) + 8
    parts = [_open(width, height, label)]
    for start, end in drawing.stalls:
        begin = max(scale.x(start), left)
        finish = right if end is None else min(scale.x(end), right)
        if finish > begin:
            parts.append(
                f'<rect x="{begin:.1f}" y="24" width="{finish - begin:.1f}" '
                f'height="{height - 32}" fill="{BAND}"/>'
            )
    parts += time_axis(scale, height, 9 if width > 800 else 6, zone)
    over = ended(drawing.stalls)
    for index, lane in enumerate(drawing.lanes):
        parts.append(_lane(lane, 28 + index * tall, tall, scale.x, (left, right), over))
    for begin, finish in scale.breaks():
        parts.append(
            f'<rect x="{begin:.1f}" y="20" width="{finish - begin:.1f}" height="{height - 24}" '
            'fill="#ffffff"/>'
        )
        parts += [
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="20" y2="{height - 4}" stroke="{GREY}" '
            'stroke-dasharray="2 3"/>'
            for x in (begin, finish)
        ]
    return "".join(parts) + "</svg>"


def _graph(graph: GraphDrawing, label: str, width: int) -> str:
    """Draw roots at the left and waiters to the right; one row per (folded) node."""
    columns: dict[int, list[GraphNode]] = {}
    for node in sorted(graph.nodes, key=lambda n: (-n.blocks_total, n.label)):
        columns.setdefault(min(node.depth, 5), []).append(node)
    if not columns:
        return ""
    depth = sorted(columns)
    room = (width - 16) / len(depth)
    gap = 0 if len(depth) == 1 else 36 if room > 160 else 24
    shown = SHOWN_NODES
    height = 0.0
    place: dict[str, tuple[float, float]] = {}
    boxes: list[str] = []
    for position, level in enumerate(depth):
        nodes = columns[level]
        start = 8 + position * (room + gap / max(len(depth) - 1, 1))
        top = 12.0
        for node in nodes[:shown]:
            place[node.id] = (start, top)
            box, tall = _node(node, start, top, room - gap)
            boxes.append(box)
            top += tall + 8
        if len(nodes) > shown:
            boxes.append(text_at(start, top + 16, f"and {len(nodes) - shown} more", fill=GREY))
            top += 34
        height = max(height, top + 4)
    curves = [
        _edge((source, target), place[source], place[target], room - gap, kind)
        for source, target, kind in graph.edges
        if source in place and target in place
    ]
    return _open(width, height, label) + "".join(curves) + "".join(boxes) + "</svg>"


def _confidence(drawing: ConfidenceDrawing, label: str, width: int, zone: tzinfo) -> str:
    """Draw one step line per hypothesis, 0 to 100%, labelled at its end."""
    times = [at for line in drawing.lines for at, _ in line.steps]
    if not times:
        return ""
    count = 320 if width > 800 else 230
    left, right = 100, width - count
    scale = TimeScale((Stretch(min(times), max(times), left, right),))

    def y(confidence: float) -> float:
        return 40 + 160 * (1 - confidence / 100)

    parts = time_axis(scale, round(y(0)) + 8, 3, zone) if max(times) > min(times) else []
    parts += [
        f'<line x1="{left}" x2="{right}" y1="{y(level)}" y2="{y(level)}" stroke="{HAIR}"/>'
        + text_at(left - 8, y(level) + 4, f"{level}%", anchor="end", fill=GREY)
        for level in (0, 25, 50, 75, 100)
    ]
    free = 0.0
    ordered = sorted(drawing.lines, key=lambda line: -line.steps[-1][1])
    for index, line in enumerate(ordered):
        colour = _PALETTE[min(index, len(_PALETTE) - 1)]
        dash = _DASHES[min(index, len(_DASHES) - 1)]
        path = f"M{scale.x(line.steps[0][0]):.1f},{y(line.steps[0][1]):.1f}"
        for at, confidence in line.steps[1:]:
            path += f"H{scale.x(at):.1f}V{y(confidence):.1f}"
        path += f"H{right}"
        parts.append(
            f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.75"'
            + (f' stroke-dasharray="{dash}"' if dash else "")
            + "/>"
        )
        free = max(y(line.steps[-1][1]) + 4, free)
        words = f"{line.steps[-1][1]}% {line.label}"
        for label_line in wrapped(words, int((count - 16) / 6), 2):
            parts.append(text_at(right + 8, free, label_line, fill=colour))
            free += 14
        free += 3
    return _open(width, max(224, free + 4), label) + "".join(parts) + "</svg>"


def _matrix(matrix: MatrixDrawing, label: str, width: int) -> str:
    """Draw evidence down and hypotheses across; cells have letters and, as a second cue, a tint."""
    left = int(width * 0.42)
    cell = (width - left - 8) / max(len(matrix.columns), 1)
    heads = [
        wrapped(column.hypothesis, max(6, int((cell - 8) / 6)), 4) for column in matrix.columns
    ]
    lines = max(map(len, heads), default=1)
    names = [wrapped(row.evidence, int((left - 16) / 6), 2) for row in matrix.rows]
    tops = [42 + 14 * lines]
    for name in names:
        tops.append(tops[-1] + 12 + 14 * len(name))
    parts = [_open(width, tops[-1] + 8, label)]
    for index, (column, head) in enumerate(zip(matrix.columns, heads, strict=True)):
        middle = left + cell * (index + 0.5)
        foot = "" if column.inconsistency is None else f"I {column.inconsistency:.2g}"
        if column.coverage is not None:
            foot += f" · {column.coverage:.0%}"
        parts.append(text_at(middle, 18, column.label, anchor="middle"))
        for line, words in enumerate(head):
            parts.append(text_at(middle, 32 + 14 * line, words, anchor="middle", fill=GREY))
        parts.append(text_at(middle, tops[0] - 6, foot.strip(" ·"), anchor="middle", fill=GREY))
    for row, (item, name) in enumerate(zip(matrix.rows, names, strict=True)):
        top, tall = tops[row], tops[row + 1] - tops[row]
        for line, words in enumerate(name):
            parts.append(text_at(8, top + 17 + 14 * line, words))
        for index, rating in enumerate(item.ratings):
            fill = _RATINGS.get(rating, ("#ffffff", ""))[0]
            parts.append(
                f'<rect x="{left + cell * index + 1:.1f}" y="{top}" width="{cell - 2:.1f}" '
                f'height="{tall - 2}" fill="{fill}" stroke="{HAIR}"/>'
                + text_at(
                    left + cell * (index + 0.5), top + tall / 2 + 3, rating or "–", anchor="middle"
                )
            )
    return "".join(parts) + "</svg>"


def _lane(
    lane: Lane,
    top: float,
    tall: float,
    x: Callable[[float], float],
    across: tuple[float, float],
    over: float | None = None,
) -> str:
    """Draw one lane; ``over``: when the last stall ended, for the top of the scale."""
    values = [v for _, v in lane.points if v is not None]
    if not values:
        return text_at(8, top + 24, lane.title)
    low, high, most = min(0.0, *values), ceiling(lane.points, over), max(values)
    span = (high - low) or 1.0

    def y(value: float) -> float:
        return top + tall - 12 - (tall - 20) * ((value - low) / span)

    title = _lane_title(lane.title, int((across[0] - 12) / 6))
    path, pen = [], "M"
    for t, value in lane.points:
        if value is None:
            pen = "M"
            continue
        path.append(f"{pen}{x(t):.1f},{y(min(value, high)):.1f}")
        pen = "L"
        if value > high:
            path.append("m-3,-3l3,-5l3,5zm3,3")  # a mark: higher than drawn
    return (
        f'<line x1="{across[0]}" x2="{across[1]}" y1="{y(low):.1f}" y2="{y(low):.1f}" '
        f'stroke="{HAIR}"/>'
        f'<path d="{"".join(path)}" fill="none" stroke="{_LINE}" stroke-width="1.25"/>'
        + "".join(text_at(8, top + 22 + 14 * row, line) for row, line in enumerate(title))
        + text_at(8, top + 23 + 14 * len(title), lane.unit, fill=GREY)
        + text_at(across[1] + 6, y(high) + 4, _si(high), fill=GREY)
        + (text_at(across[1] + 6, y(high) + 18, f"▲ {_si(most)}", fill=GREY) if most > high else "")
        + text_at(across[1] + 6, y(low) + 4, _si(low), fill=GREY)
    )


def _lane_title(title: str, letters: int) -> list[str]:
    """Wrap a title to two lines; if it is too long, only its part: of states, the state."""
    lines = wrapped(title, letters, 2)
    part = title.partition(": ")[2]
    return wrapped(part, letters, 2) if part and lines[-1].endswith("…") else lines


def _node(node: GraphNode, left: float, top: float, width: float) -> tuple[str, int]:
    """Draw a box and return it with its height; a long label has two lines, or four if narrow."""
    stroke = _HOLD if node.root else _WAIT if node.kind in {"thread", "group"} else GREY
    dash = ' stroke-dasharray="4 3"' if node.inferred else ""
    counted = node.members > 1 and not node.label.startswith(str(node.members))
    count = f" ×{node.members}" if counted else ""
    second = _second_line(node)
    chars = max(8, int((width - 14) / 6.6))
    label = wrapped(node.label + count, chars, 2 if chars > _NARROW else 4)
    tall = 12 + 14 * (len(label) + bool(second))
    below = text_at(left + 8, top + tall - 8, short(second, chars), fill=GREY) if second else ""
    return (
        f'<g class="pv-node" data-node="{escape(node.id, quote=True)}">'
        f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{tall}" rx="3" fill="#ffffff" '
        f'stroke="{stroke}" stroke-width="{1.75 if node.root else 1}"{dash}/>'
        + "".join(
            text_at(left + 8, top + 17 + 14 * row, line, mono=True)
            for row, line in enumerate(label)
        )
        + below
        + "</g>",
        tall,
    )


def _second_line(node: GraphNode) -> str:
    """Write what a node blocks, or the place at which it waits."""
    if node.blocks_total:
        return f"blocks {node.blocks_total}"
    return dict(node.detail).get(WHERE, "") if node.kind in {"thread", "group"} else ""


def _edge(
    ends: tuple[str, str],
    a: tuple[float, float],
    b: tuple[float, float],
    width: float,
    kind: str,
) -> str:
    """Draw a curve from the left box's right side to the right box's left side."""
    (x1, y1), (x2, y2) = sorted((a, b))
    start, end = x1 + width, x2
    middle = (start + end) / 2
    dash = ' stroke-dasharray="3 3"' if kind == "held_by" else ""
    return (
        f'<path data-source="{escape(ends[0], quote=True)}" '
        f'data-target="{escape(ends[1], quote=True)}" '
        f'd="M{start:.1f},{y1 + 13:.1f}C{middle:.1f},{y1 + 13:.1f} {middle:.1f},'
        f'{y2 + 13:.1f} {end:.1f},{y2 + 13:.1f}" fill="none" stroke="{GREY}"{dash}/>'
    )


def _open(width: int, height: float, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" role="img" '
        f'aria-label="{escape(label, quote=True)}" font-family="Inter, sans-serif" font-size="11">'
        f'<rect width="{width}" height="{height:.0f}" fill="#ffffff"/>'
    )


def _si(value: float) -> str:
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:.3g}"
