"""Write a comparison for a terminal, a spreadsheet or a ticket, the clearest difference first."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pileup.analysis.contract import (
    ComparedSide,
    RatioDoc,
    SidesDoc,
    SidesSeries,
    SpreadDoc,
)
from pileup.numerals import number
from pileup.report.formulas import without_formulas

_NOTHING = "-"
_SERIES = "series"
_T = TypeVar("_T")
NAMES = "ABCDEF"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of the comparison."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def text(document: SidesDoc, most: int) -> str:
    """Write a comparison as plain text, with at most ``most`` rows per table."""
    return "\n".join(_lines(document, most)) + "\n"


def as_csv(document: SidesDoc, *, everything: bool = False) -> str:
    """Write a comparison as CSV: one row per difference with kind, name and a column per side.

    Series have median, low, high, samples and runs of each side, and the ratio over the reference
    with its low and high.
    """
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    names = NAMES[: len(document.sides)]
    spread = ("median", "low", "high", "samples", "runs")
    write(
        ["kind", "name", "unit", *names]
        + [f"{name} {item}" for name in names for item in spread[1:]]
        + [f"{name}{item}" for name in _over(document) for item in ("", " low", " high")]
    )
    for series in _series(document, everything):
        levels = [
            cell
            for level in series.levels
            for cell in (
                (level.low, level.high, level.points, level.runs) if level else (None,) * 4
            )
        ]
        ratios = [
            cell
            for ratio in _others(document, series.ratios)
            for cell in ((ratio.ratio, ratio.low, ratio.high) if ratio else (None,) * 3)
        ]
        middle = [level.median if level else None for level in series.levels]
        write(["series", _safe(_name(series)), series.unit or "", *middle, *levels, *ratios])
    for sheet in _sheets(document, everything, plain=str):
        for row in sheet.rows if sheet.title != _SERIES else ():
            write([sheet.title, _safe(row[0]), "", *(_safe(cell) for cell in row[1:])])
    return out.getvalue()


def as_markdown(document: SidesDoc, *, everything: bool = False) -> str:
    """Write a comparison as Markdown tables with headings, for a report or a ticket."""
    lines = [
        f"- **{name}** {_side(side)}" + (", the reference" if at == document.reference else "")
        for at, (name, side) in enumerate(zip(NAMES, document.sides, strict=False))
    ]
    lines += [f"- Warning: {warning}" for warning in document.warnings]
    lines += [f"- {trial.trial.text}" for trial in document.trials]
    for sheet in _sheets(document, everything):
        if not sheet.rows:
            continue
        lines += ["", f"### {sheet.title[:1].upper()}{sheet.title[1:]}", ""]
        lines.append(f"| {' | '.join(_cell(column) for column in sheet.columns)} |")
        lines.append("|---" + "|---:" * (len(sheet.columns) - 1) + "|")
        lines += [f"| {' | '.join(_cell(name) for name in row)} |" for row in sheet.rows]
    return "\n".join(lines) + "\n"


def _lines(document: SidesDoc, most: int) -> Iterator[str]:
    for name, side in zip(NAMES, document.sides, strict=False):
        yield f"{name}  {_side(side)}"
    for warning in document.warnings:
        yield f"!  {warning}"
    for trial in document.trials:
        yield f"=  {trial.trial.text}"
    for sheet in _sheets(document, everything=False):
        yield ""
        if not sheet.rows:
            if sheet.title == _SERIES:
                yield f"None of {len(document.series)} series differs clearly."
            continue
        yield _row([sheet.title, *sheet.columns[1:]])
        for row in sheet.rows[:most]:
            yield _row(row)
        if len(sheet.rows) > most:
            yield f"... and {len(sheet.rows) - most} more"


def _row(cells: Sequence[str]) -> str:
    first, *others = cells
    return f"{first[:52]:<52}" + "".join(f" {name[:26]:>14}" for name in others)


def _sheets(
    document: SidesDoc, everything: bool, plain: Callable[[float], str] = number
) -> list[Sheet]:
    """Build the tables of what is compared, with a column per side."""
    sides = list(NAMES[: len(document.sides)])

    def cell(value: float | None) -> str:
        return _NOTHING if value is None else plain(value)

    series = [
        [
            _name(series),
            *map(_spread, series.levels),
            *map(_ratio, _others(document, series.ratios)),
        ]
        for series in _series(document, everything)
    ]
    waits = [
        [f"{wait.file}:{wait.line} {wait.mode}", *map(cell, wait.counts)]
        for wait in document.waits
        if everything or _differ(wait.counts)
    ]
    stacks = [
        [name, *map(cell, counts)]
        for name, counts in _by_name(document).items()
        if everything or _differ(counts)
    ]
    levels = [active.average if active else None for active in document.active]
    total = [["all classes", *map(cell, levels)]] if any(document.active) else []
    classes = [[row.title, *map(cell, row.sessions)] for row in document.classes]
    settings = [
        [setting.name, *(v if v is not None else _NOTHING for v in setting.values)]
        for setting in document.settings
    ]
    return [
        Sheet("average active sessions", ["class", *sides], [*total, *classes]),
        Sheet(_SERIES, ["series: median (low to high; n)", *sides, *_over(document)], series),
        Sheet("waits per dump at", ["place", *sides], waits),
        Sheet("threads per sample in", ["stack", *sides], stacks),
        Sheet("setting", ["name", *sides], settings),
        *_tables(document, sides),
    ]


def _tables(document: SidesDoc, sides: list[str]) -> Iterator[Sheet]:
    for table in document.tables:
        rows = []
        for row in table.table.rows:
            name = " ".join(cell or "" for cell in row.key)
            cells = [_NOTHING] * len(sides)
            if row.column is None:
                cells[table.side] = row.state
            else:
                name = f"{name} {row.column}"
                cells[document.reference] = _printed(row.a, row.a_runs)
                cells[table.side] = _printed(row.b, row.b_runs)
            rows.append([name, *cells])
        title = table.table.name + (f" on {table.table.host}" if table.table.host else "")
        if table.table.note:
            title = f"{title} ({table.table.note})"
        yield Sheet(title, ["row", *sides], rows)


def _over(document: SidesDoc) -> list[str]:
    """List 'B/A' for every side but the reference."""
    names = NAMES[: len(document.sides)]
    return [f"{name}/{names[document.reference]}" for name in _others(document, names)]


def _others(document: SidesDoc, of_sides: Sequence[_T]) -> list[_T]:
    """Select the items of all sides but the reference."""
    return [item for at, item in enumerate(of_sides) if at != document.reference]


def _series(document: SidesDoc, everything: bool) -> list[SidesSeries]:
    return [series for series in document.series if everything or series.clear]


def _name(series: SidesSeries) -> str:
    return series.series + (f"{{{series.labels}}}" if series.labels else "")


def _spread(spread: SpreadDoc | None) -> str:
    if spread is None:
        return _NOTHING
    many = f"{spread.runs} runs" if spread.runs > 1 else f"n {spread.points}"
    if spread.low == spread.high:
        return f"{number(spread.median)} ({many})"
    return f"{number(spread.median)} ({number(spread.low)} to {number(spread.high)}; {many})"


def _printed(cell: str | None, runs: SpreadDoc | None) -> str:
    return _spread(runs) if runs else cell or ""


def _ratio(ratio: RatioDoc | None) -> str:
    if ratio is None:
        return _NOTHING
    if ratio.low is None or ratio.high is None or ratio.low == ratio.high:
        return number(ratio.ratio)
    return f"{number(ratio.ratio)} ({number(ratio.low)} to {number(ratio.high)})"


def _differ(counts: Sequence[float | None]) -> bool:
    return len(set(counts)) > 1


def _by_name(document: SidesDoc) -> dict[str, list[float | None]]:
    """Sum the counts of working stacks by meaning."""
    counts: dict[str, list[float | None]] = {}
    for stack in document.stacks:
        if stack.set_aside:
            continue
        name = stack.signature or ", ".join(stack.stack[:4])
        known = counts.get(name)
        counts[name] = stack.counts if known is None else list(map(_sum, known, stack.counts))
    return dict(sorted(counts.items(), key=lambda row: (-_range(row[1]), row[0])))


def _range(counts: Sequence[float | None]) -> float:
    known = [count or 0.0 for count in counts]
    return max(known) - min(known)


def _sum(value: float | None, other: float | None) -> float | None:
    return other if value is None else value if other is None else value + other


def _side(side: ComparedSide) -> str:
    parts = [side.label]
    if side.start and side.end:
        parts.append(f"{side.start[:19]}Z to {side.end[:19]}Z")
    if side.hosts:
        parts.append(", ".join(side.hosts))
    if side.version:
        parts.append(side.version)
    return " · ".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _safe(text: str) -> str:
    """Escape a cell so that no spreadsheet reads it as a formula; numbers stay numbers."""
    try:
        float(text)
    except ValueError:
        return text if text == _NOTHING else without_formulas(text)
    return text
