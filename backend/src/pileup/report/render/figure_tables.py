"""Build the table alternative of each figure, for readers who cannot see the picture."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Literal

from pileup.report.document import (
    WHERE,
    ClassBand,
    ConfidenceDrawing,
    DeadlockDrawing,
    Drawing,
    GraphDrawing,
    GraphNode,
    Lane,
    LanesDrawing,
    MatrixDrawing,
    Run,
    Runs,
    SessionsDrawing,
    SweepDrawing,
    Table,
)
from pileup.report.text.active_time import share_words
from pileup.report.text.wording import number

MOST_NODES = 60


def alternative_table(drawing: Drawing, zone: tzinfo = UTC) -> Table:
    """Convert a drawing to a table with the same data."""
    match drawing:
        case SessionsDrawing():
            rows = [_class(band, drawing.times, zone) for band in reversed(drawing.classes)]
            rows += [[mark.text, "", "", _clock(mark.at, zone)] for mark in drawing.marks]
            head = ["sessions by class, then turning points", "share", "highest", "at"]
            return _table(head, rows, "lrrl")
        case LanesDrawing():
            head = ["series", "unit", "lowest", "middle", "highest", "highest at"]
            rows = [_lane(lane, zone) for lane in drawing.lanes]
            return _table(head, rows, "llrrrl", code=0)
        case GraphDrawing():
            nodes = _tree(drawing)
            head = ["who waits for whom", WHERE, "kind", "blocks", "members"]
            return _table(head, [_node(*node) for node in nodes[:MOST_NODES]], "lllrr", code=0)
        case ConfidenceDrawing():
            rows = [
                [line.label, ", ".join(f"{per_cent}%" for _, per_cent in line.steps)]
                for line in drawing.lines
            ]
            return _table(["hypothesis", "confidence, in order"], rows, "ll")
        case MatrixDrawing():
            head = [
                "evidence",
                *(f"{c.label} {c.hypothesis}".strip() for c in drawing.columns),
            ]
            rows = [
                [row.evidence, *(rating or "–" for rating in row.ratings)] for row in drawing.rows
            ]
            return _table(head, rows, "l" * len(head))
        case DeadlockDrawing():
            waits = {wait.waiter: wait.holder for wait in drawing.waits}
            names = [each.name for each in drawing.transactions]
            rows = [
                [
                    each.name,
                    each.statement,
                    "; ".join(f"{step.what} {step.where}" for step in each.steps),
                    names[waits[index]] if index in waits else "",
                ]
                for index, each in enumerate(drawing.transactions)
            ]
            return _table(
                ["transaction", "statement", "locks, in order", "waits for"], rows, "llll"
            )
        case SweepDrawing():
            return _sweep(drawing)


def _sweep(drawing: SweepDrawing) -> Table:
    """Convert a sweep to one row per run; columns that would be empty are left out."""
    columns = [("r", "run"), ("l", "series"), ("r", drawing.axis), ("r", drawing.measure)]
    columns += [("l", "outcome")]
    rows = [
        [
            str(point.number),
            series.label,
            number(point.load),
            number(point.value) + (f" ({point.source})" if point.source else ""),
            point.outcome,
        ]
        for series in drawing.series
        for point in series.points
    ]
    used = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    head, align = [columns[at][1] for at in used], "".join(columns[at][0] for at in used)
    return _table(head, [[row[at] for at in used] for row in rows], align)


def _class(band: ClassBand, times: list[float], zone: tzinfo) -> list[str]:
    highest = max(band.values)
    at = times[band.values.index(highest)]
    return [band.title, share_words(band.share), number(round(highest, 1)), _clock(at, zone)]


def _clock(at: float, zone: tzinfo) -> str:
    return datetime.fromtimestamp(at / 1000, zone).strftime("%H:%M:%S %Z")


def _lane(lane: Lane, zone: tzinfo) -> list[str]:
    known = [(value, at) for at, value in lane.points if value is not None]
    if not known:
        return [lane.title, lane.unit, "", "", "", ""]
    values = sorted(value for value, _ in known)
    highest, at = max(known, key=lambda row: row[0])
    return [
        lane.title,
        lane.unit,
        number(values[0]),
        number(values[len(values) // 2]),
        number(highest),
        _clock(at, zone),
    ]


def _tree(graph: GraphDrawing) -> list[tuple[int, GraphNode]]:
    """List (depth, node) with roots first, each followed by its waiters; every node once."""
    by_id = {node.id: node for node in graph.nodes}
    waiters: dict[str, list[str]] = {}
    for behind, front, _ in graph.edges:
        waiters.setdefault(front, []).append(behind)
    for waiter in waiters.values():
        waiter.sort(
            key=lambda name: (
                (-by_id[name].blocks_total, by_id[name].label) if name in by_id else (0, name)
            )
        )
    out: list[tuple[int, GraphNode]] = []
    seen: set[str] = set()
    roots = sorted(graph.nodes, key=lambda n: (not n.root, n.depth, -n.blocks_total, n.label))
    for root in roots:
        stack = [(0, root.id)]
        while stack:
            depth, at = stack.pop()
            if at in seen or at not in by_id:
                continue
            seen.add(at)
            out.append((depth, by_id[at]))
            stack += [(depth + 1, name) for name in reversed(waiters.get(at, []))]
    return out


def _node(depth: int, node: GraphNode) -> list[str]:
    inferred = " (inferred)" if node.inferred else ""
    return [
        "\u2003" * depth + node.label + inferred,
        dict(node.detail).get(WHERE, ""),
        node.kind.replace("_", " "),
        str(node.blocks_total) if node.blocks_total else "",
        str(node.members) if node.members > 1 else "",
    ]


def _table(head: list[str], rows: list[list[str]], align: str, code: int | None = None) -> Table:
    sides: dict[str, Literal["left", "right"]] = {"l": "left", "r": "right"}

    def cell(index: int, text: str) -> Runs:
        return [Run(text, code=index == code)] if text else []

    return Table(
        head=[[Run(name)] for name in head],
        rows=[[cell(index, name) for index, name in enumerate(row)] for row in rows],
        align=[sides[name] for name in align],
    )
