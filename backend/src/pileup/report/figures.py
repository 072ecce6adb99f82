"""Figures of the report as SVG text: timeline with the stall band, wait graph, confidence.

Static pictures for paper: no script, fonts by generic family, colours that stay legible in grey.
Meaning colours as on the screens: waiting amber, holding vermilion, stall a pale band.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from html import escape

from pileup.report.case import GraphFigure, GraphFigureNode, LaneFigure, ReportHypothesis

WIDTH = 960
_LANE = 64
_LEFT = 190
_RIGHT = 64
_INK, _GREY, _HAIR = "#1c2024", "#60646c", "#d9d9e0"
_BAND, _WAIT, _HOLD, _LINE = "#fdf3dd", "#b35c00", "#c4320a", "#0072b2"


def timeline_figure(lanes: Sequence[LaneFigure], stalls: Sequence[tuple[float, float]]) -> str:
    """Stacked lanes on one UTC axis; stalls are (start, end) in epoch ms."""
    times = [t for lane in lanes for t, _ in lane.points]
    if not times:
        return ""
    first, last = min(times), max(times)
    plot = WIDTH - _LEFT - _RIGHT

    def x(t: float) -> float:
        return _LEFT + plot * ((t - first) / ((last - first) or 1))

    height = 28 + _LANE * len(lanes) + 8
    parts = [_open(height, "Timeline of the strongest series, the stall shaded")]
    for start, end in stalls:
        left, right = max(x(start), _LEFT), min(x(end), WIDTH - _RIGHT)
        if right > left:
            parts.append(
                f'<rect x="{left:.1f}" y="24" width="{right - left:.1f}" '
                f'height="{height - 32}" fill="{_BAND}"/>'
            )
    for tick in _ticks(first, last):
        label = datetime.fromtimestamp(tick / 1000, UTC).strftime("%H:%M:%S")
        parts.append(
            f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="24" y2="{height - 8}" '
            f'stroke="{_HAIR}"/>' + _text(x(tick), 16, label, anchor="middle", fill=_GREY)
        )
    for index, lane in enumerate(lanes):
        parts.append(_lane(lane, 28 + index * _LANE, x))
    return "".join(parts) + "</svg>"


def graph_figure(graph: GraphFigure) -> str:
    """Roots at the left, waiters to the right; one row per (folded) node."""
    columns: dict[int, list[GraphFigureNode]] = {}
    for node in sorted(graph.nodes, key=lambda n: (-n.blocks_total, n.label)):
        columns.setdefault(min(node.depth, 5), []).append(node)
    if not columns:
        return ""
    depth = sorted(columns)
    room = (WIDTH - 16) / len(depth)
    shown = 12
    rows = max(min(len(nodes), shown) + (len(nodes) > shown) for nodes in columns.values())
    height = 24 + rows * 34
    place: dict[str, tuple[float, float]] = {}
    boxes: list[str] = []
    for position, level in enumerate(depth):
        nodes = columns[level]
        for row, node in enumerate(nodes[:shown]):
            left, top = 8 + position * room, 12 + row * 34
            place[node.id] = (left, top)
            boxes.append(_node(node, left, top, room - 48))
        if len(nodes) > shown:
            top = 12 + shown * 34
            boxes.append(
                _text(8 + position * room, top + 16, f"and {len(nodes) - shown} more", fill=_GREY)
            )
    curves = [
        _edge(place[source], place[target], room - 48, kind)
        for source, target, kind in graph.edges
        if source in place and target in place
    ]
    return _open(height, graph.headline) + "".join(curves) + "".join(boxes) + "</svg>"


def confidence_figure(hypotheses: Sequence[ReportHypothesis]) -> str:
    """Confidence of each hypothesis over time, as steps, labelled at their ends."""
    drawn = [h for h in hypotheses if h.history]
    if not drawn:
        return ""
    times = [step.at.timestamp() for h in drawn for step in h.history]
    first, last = min(times), max(times)
    plot = WIDTH - 60 - 320

    def x(t: float) -> float:
        return 60 + plot * ((t - first) / ((last - first) or 1))

    def y(confidence: float) -> float:
        return 16 + 160 * (1 - confidence / 100)

    parts = [_open(200, "Confidence in each hypothesis over time")]
    parts += [
        f'<line x1="60" x2="{60 + plot}" y1="{y(level)}" y2="{y(level)}" stroke="{_HAIR}"/>'
        + _text(52, y(level) + 4, f"{level} %", anchor="end", fill=_GREY)
        for level in (0, 25, 50, 75, 100)
    ]
    palette = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#60646c")
    taken: list[float] = []
    for index, hypothesis in enumerate(drawn):
        colour = palette[min(index, len(palette) - 1)]
        steps = hypothesis.history
        path = f"M{x(steps[0].at.timestamp()):.1f},{y(steps[0].confidence):.1f}"
        for step in steps[1:]:
            path += f"H{x(step.at.timestamp()):.1f}V{y(step.confidence):.1f}"
        path += f"H{60 + plot}"
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.75"/>')
        label_y = y(steps[-1].confidence) + 4
        while any(abs(label_y - other) < 14 for other in taken):
            label_y += 14
        taken.append(label_y)
        label = f"{steps[-1].confidence} % {_short(hypothesis.statement, 44)}"
        parts.append(_text(68 + plot, label_y, label, fill=colour))
    return "".join(parts) + "</svg>"


def _lane(lane: LaneFigure, top: float, x: Callable[[float], float]) -> str:
    values = [v for _, v in lane.points if v is not None]
    if not values:
        return _text(8, top + 24, lane.title)
    low, high = min(0.0, *values), max(values)
    span = (high - low) or 1.0

    def y(value: float) -> float:
        return top + _LANE - 12 - (_LANE - 20) * ((value - low) / span)

    path, pen = [], "M"
    for t, value in lane.points:
        if value is None:
            pen = "M"
            continue
        path.append(f"{pen}{x(t):.1f},{y(value):.1f}")
        pen = "L"
    return (
        f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y(low):.1f}" y2="{y(low):.1f}" '
        f'stroke="{_HAIR}"/>'
        f'<path d="{"".join(path)}" fill="none" stroke="{_LINE}" stroke-width="1.25"/>'
        + _text(8, top + 22, _short(lane.title, 30), fill=_INK)
        + _text(8, top + 37, lane.unit, fill=_GREY)
        + _text(WIDTH - _RIGHT + 6, y(high) + 4, _si(high), fill=_GREY)
        + _text(WIDTH - _RIGHT + 6, y(low) + 4, _si(low), fill=_GREY)
    )


def _node(node: GraphFigureNode, left: float, top: float, width: float) -> str:
    stroke = _HOLD if node.root else _WAIT if node.kind in {"thread", "group"} else _GREY
    dash = ' stroke-dasharray="4 3"' if node.inferred else ""
    counted = node.members > 1 and not node.label.startswith(str(node.members))
    count = f" ×{node.members}" if counted else ""
    blocks = f"blocks {node.blocks_total}" if node.blocks_total else ""
    chars = max(8, int(width / 6.6) - len(blocks) - len(count))
    return (
        f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="26" rx="3" fill="#ffffff" '
        f'stroke="{stroke}" stroke-width="{1.75 if node.root else 1}"{dash}/>'
        + _text(left + 8, top + 17, _short(node.label, chars) + count, mono=True)
        + _text(left + width - 6, top + 17, blocks, anchor="end", fill=_GREY)
    )


def _edge(a: tuple[float, float], b: tuple[float, float], width: float, kind: str) -> str:
    """A curve between two boxes; the left box's right side to the right box's left side."""
    (x1, y1), (x2, y2) = sorted((a, b))
    start, end = x1 + width, x2
    middle = (start + end) / 2
    dash = ' stroke-dasharray="3 3"' if kind == "held_by" else ""
    return (
        f'<path d="M{start:.1f},{y1 + 13:.1f}C{middle:.1f},{y1 + 13:.1f} {middle:.1f},'
        f'{y2 + 13:.1f} {end:.1f},{y2 + 13:.1f}" fill="none" stroke="{_GREY}"{dash}/>'
    )


def _open(height: float, label: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="{escape(label, quote=True)}" font-family="Inter, sans-serif" font-size="11">'
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>'
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", fill: str = _INK, mono: bool = False
) -> str:
    family = ' font-family="JetBrains Mono, monospace"' if mono else ""
    head = f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}"{family}>'
    return f"{head}{escape(text)}</text>"


def _ticks(first: float, last: float) -> list[float]:
    """Five to nine round times between two epoch-ms instants."""
    span = max(last - first, 1.0)
    steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400]
    step = next((s * 1000 for s in steps if span / (s * 1000) <= 9), 86400_000)
    start = math.ceil(first / step) * step
    return [start + i * step for i in range(int((last - start) // step) + 1)]


def _si(value: float) -> str:
    for limit, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{suffix}"
    return f"{value:.3g}"


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
