"""Draw a time axis as SVG, and the texts of a figure."""

from __future__ import annotations

import math
from datetime import datetime, tzinfo
from html import escape

from pileup.report.render.time_scale import TimeScale

INK, GREY, HAIR, BAND = "#1c2024", "#60646c", "#d9d9e0", "#fdf3dd"


def text_at(
    x: float, y: float, text: str, *, anchor: str = "start", fill: str = INK, mono: bool = False
) -> str:
    """Write a text of 11 px at a place."""
    family = ' font-family="JetBrains Mono, monospace"' if mono else ""
    head = f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}"{family}>'
    return f"{head}{escape(text)}</text>"


def time_axis(scale: TimeScale, height: int, most: int, zone: tzinfo) -> list[str]:
    """Draw the zone and the ticks; of an axis with gaps, the begin of each stretch with room."""
    first, last = scale.stretches[0].first, scale.stretches[-1].last
    zone_name = datetime.fromtimestamp(first / 1000, zone).strftime("%Z") or "UTC"
    if scale.is_cut:
        parts, free = [text_at(8, 16, f"time, {zone_name}, with gaps", fill=GREY)], 0.0
        for stretch in scale.stretches:
            words = datetime.fromtimestamp(stretch.first / 1000, zone).strftime("%m-%d %H:%M")
            if stretch.left >= free:
                parts.append(text_at(stretch.left, 16, words, fill=GREY))
                free = stretch.left + 7 * len(words)
        return parts
    pattern = "%H:%M:%S" if last - first < 86_400_000 else "%m-%d %H:%M"
    parts = []
    for tick in _ticks(first, last, most):
        words = datetime.fromtimestamp(tick / 1000, zone).strftime(pattern)
        parts.append(
            f'<line x1="{scale.x(tick):.1f}" x2="{scale.x(tick):.1f}" y1="24" y2="{height - 8}" '
            f'stroke="{HAIR}"/>' + text_at(scale.x(tick), 16, words, anchor="middle", fill=GREY)
        )
    return [*parts, text_at(8, 16, f"time, {zone_name}", fill=GREY)]


def _ticks(first: float, last: float, most: int) -> list[float]:
    """Return round times between two epoch-ms instants: about ``most``, never over one more."""
    span = max(last - first, 1.0)
    steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400]
    step = next(
        (s * 1000 for s in steps if span / (s * 1000) <= most),
        86400_000 * math.ceil(span / 86400_000 / most),
    )
    start = math.ceil(first / step) * step
    return [start + i * step for i in range(int((last - start) // step) + 1)]
