"""A comparison for a terminal, a spreadsheet or a ticket: what differs, the clearest first."""

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

_NOTHING = "-"
_T = TypeVar("_T")
NAMES = "ABCDEF"


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of it."""

    title: str
    columns: list[str]
    rows: list[list[str]]


def text(document: SidesDoc, most: int) -> str:
    """Plain text; at most so many rows of each kind."""
    return "\n".join(_lines(document, most)) + "\n"


def as_csv(document: SidesDoc, *, everything: bool = False) -> str:
    """One row per thing that differs: its kind, its name, and a column for each side.

    Of series: median, low, high, samples and runs of each side, and the ratio over the reference
    with its low and high.
    """
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    names = NAMES[: len(document.sides)]
    spread = ("median", "low", "high", "samples", "runs")
    write(
        ["kind", "name", "unit", *names]
        + [f"{name} {one}" for name in names for one in spread[1:]]
        + [f"{name}{one}" for name in _over(document) for one in ("", " low", " high")]
    )
    for one in _series(document, everything):
        levels = [
            cell
            for level in one.levels
            for cell in (
                (level.low, level.high, level.points, level.runs) if level else (None,) * 4
            )
        ]
        ratios = [
            cell
            for ratio in _others(document, one.ratios)
            for cell in ((ratio.ratio, ratio.low, ratio.high) if ratio else (None,) * 3)
        ]
        middle = [level.median if level else None for level in one.levels]
        write(["series", _safe(_name(one)), one.unit or "", *middle, *levels, *ratios])
    for sheet in _sheets(document, everything, plain=str)[1:]:
        for row in sheet.rows:
            write([sheet.title, _safe(row[0]), "", *(_safe(cell) for cell in row[1:])])
    return out.getvalue()


def as_markdown(document: SidesDoc, *, everything: bool = False) -> str:
    """Headed tables that a report or a ticket can take."""
    lines = [
        f"- **{name}** {_side(one)}" + (", the reference" if at == document.reference else "")
        for at, (name, one) in enumerate(zip(NAMES, document.sides, strict=False))
    ]
    lines += [f"- Warning: {one}" for one in document.warnings]
    lines += [f"- {one.trial.text}" for one in document.trials]
    for sheet in _sheets(document, everything):
        if not sheet.rows:
            continue
        lines += ["", f"### {sheet.title[:1].upper()}{sheet.title[1:]}", ""]
        lines.append(f"| {' | '.join(_cell(one) for one in sheet.columns)} |")
        lines.append("|---" + "|---:" * (len(sheet.columns) - 1) + "|")
        lines += [f"| {' | '.join(_cell(one) for one in row)} |" for row in sheet.rows]
    return "\n".join(lines) + "\n"


def _lines(document: SidesDoc, most: int) -> Iterator[str]:
    for name, side in zip(NAMES, document.sides, strict=False):
        yield f"{name}  {_side(side)}"
    for warning in document.warnings:
        yield f"!  {warning}"
    for one in document.trials:
        yield f"=  {one.trial.text}"
    for sheet in _sheets(document, everything=False):
        yield ""
        if not sheet.rows:
            if sheet.title == "series":
                yield f"None of {len(document.series)} series differs clearly."
            continue
        yield _row([sheet.title, *sheet.columns[1:]])
        for row in sheet.rows[:most]:
            yield _row(row)
        if len(sheet.rows) > most:
            yield f"... and {len(sheet.rows) - most} more"


def _row(cells: Sequence[str]) -> str:
    first, *others = cells
    return f"{first[:52]:<52}" + "".join(f" {one[:26]:>14}" for one in others)


def _sheets(
    document: SidesDoc, everything: bool, plain: Callable[[float], str] = number
) -> list[Sheet]:
    """Series, waits, stacks, settings and tables, each with a column per side."""
    sides = list(NAMES[: len(document.sides)])

    def cell(value: float | None) -> str:
        return _NOTHING if value is None else plain(value)

    series = [
        [_name(one), *map(_spread, one.levels), *map(_ratio, _others(document, one.ratios))]
        for one in _series(document, everything)
    ]
    waits = [
        [f"{one.file}:{one.line} {one.mode}", *map(cell, one.counts)]
        for one in document.waits
        if everything or _differ(one.counts)
    ]
    stacks = [
        [name, *map(cell, counts)]
        for name, counts in _by_name(document).items()
        if everything or _differ(counts)
    ]
    settings = [
        [one.name, *(v if v is not None else _NOTHING for v in one.values)]
        for one in document.settings
    ]
    return [
        Sheet("series", ["series: median (low to high; n)", *sides, *_over(document)], series),
        Sheet("waits per dump at", ["place", *sides], waits),
        Sheet("threads per sample in", ["stack", *sides], stacks),
        Sheet("setting", ["name", *sides], settings),
        *_tables(document, sides),
    ]


def _tables(document: SidesDoc, sides: list[str]) -> Iterator[Sheet]:
    for one in document.tables:
        rows = []
        for row in one.table.rows:
            name = " ".join(cell or "" for cell in row.key)
            cells = [_NOTHING] * len(sides)
            if row.column is None:
                cells[one.side] = row.state
            else:
                name = f"{name} {row.column}"
                cells[document.reference] = _printed(row.a, row.a_runs)
                cells[one.side] = _printed(row.b, row.b_runs)
            rows.append([name, *cells])
        title = one.table.name + (f" on {one.table.host}" if one.table.host else "")
        if one.table.note:
            title = f"{title} ({one.table.note})"
        yield Sheet(title, ["row", *sides], rows)


def _over(document: SidesDoc) -> list[str]:
    """'B/A' for every side but the reference."""
    names = NAMES[: len(document.sides)]
    return [f"{name}/{names[document.reference]}" for name in _others(document, names)]


def _others(document: SidesDoc, of_sides: Sequence[_T]) -> list[_T]:
    """Those of all sides but the reference."""
    return [one for at, one in enumerate(of_sides) if at != document.reference]


def _series(document: SidesDoc, everything: bool) -> list[SidesSeries]:
    return [one for one in document.series if everything or one.clear]


def _name(one: SidesSeries) -> str:
    return one.series + (f"{{{one.labels}}}" if one.labels else "")


def _spread(one: SpreadDoc | None) -> str:
    if one is None:
        return _NOTHING
    many = f"{one.runs} runs" if one.runs > 1 else f"n {one.points}"
    if one.low == one.high:
        return f"{number(one.median)} ({many})"
    return f"{number(one.median)} ({number(one.low)} to {number(one.high)}; {many})"


def _printed(cell: str | None, runs: SpreadDoc | None) -> str:
    return _spread(runs) if runs else cell or ""


def _ratio(one: RatioDoc | None) -> str:
    if one is None:
        return _NOTHING
    if one.low is None or one.high is None or one.low == one.high:
        return number(one.ratio)
    return f"{number(one.ratio)} ({number(one.low)} to {number(one.high)})"


def _differ(counts: Sequence[float | None]) -> bool:
    return len(set(counts)) > 1


def _by_name(document: SidesDoc) -> dict[str, list[float | None]]:
    """Working stacks, those of one meaning together."""
    found: dict[str, list[float | None]] = {}
    for one in document.stacks:
        if one.set_aside:
            continue
        name = one.signature or ", ".join(one.stack[:4])
        known = found.get(name)
        found[name] = one.counts if known is None else list(map(_sum, known, one.counts))
    return dict(sorted(found.items(), key=lambda row: (-_range(row[1]), row[0])))


def _range(counts: Sequence[float | None]) -> float:
    known = [one or 0.0 for one in counts]
    return max(known) - min(known)


def _sum(one: float | None, other: float | None) -> float | None:
    return other if one is None else one if other is None else one + other


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
    """A cell that no spreadsheet takes for a formula; a number stays one."""
    if text[:1] not in ("=", "+", "-", "@", "\t", "\r") or text == _NOTHING:
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text
