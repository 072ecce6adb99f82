"""A comparison as a page for a terminal or a ticket: what differs, the clearest first."""

from __future__ import annotations

from collections.abc import Iterator

from pileup.analysis.contract import CompareDoc, ComparedSide
from pileup.analysis.shifts import number

_NOTHING = "-"


def text(document: CompareDoc, most: int) -> str:
    """Plain text; at most so many rows of each kind."""
    return "\n".join(_lines(document, most)) + "\n"


def _lines(document: CompareDoc, most: int) -> Iterator[str]:
    yield f"A  {_side(document.a)}"
    yield f"B  {_side(document.b)}"
    for warning in document.warnings:
        yield f"!  {warning}"
    if document.trial:
        yield f"=  {document.trial.text}"
    clear = [one for one in document.series if one.clear]
    if clear:
        yield ""
        yield f"{'series':<52} {'A':>12} {'B':>12} {'B/A':>8}"
        for one in clear[:most]:
            name = one.series + (f"{{{one.labels}}}" if one.labels else "")
            ratio = _number(one.ratio) if one.ratio is not None else _NOTHING
            yield f"{name[:52]:<52} {_number(one.a):>12} {_number(one.b):>12} {ratio:>8}"
        if len(clear) > most:
            yield f"... and {len(clear) - most} more series that differ clearly"
    else:
        yield ""
        yield f"None of {len(document.series)} series differs clearly."
    waits = [one for one in document.waits if one.a != one.b]
    if waits:
        yield ""
        yield f"{'waits per dump at':<52} {'A':>12} {'B':>12}"
        for wait in waits[:most]:
            place = f"{wait.file}:{wait.line} {wait.mode}"
            yield f"{place[:52]:<52} {_number(wait.a):>12} {_number(wait.b):>12}"
    stacks = _by_name(document)
    if stacks:
        yield ""
        yield f"{'threads per sample in':<52} {'A':>12} {'B':>12}"
        for name, a, b in stacks[:most]:
            yield f"{name[:52]:<52} {_number(a):>12} {_number(b):>12}"
    if document.settings:
        yield ""
        yield f"{'setting':<40} {'A':>18} {'B':>18}"
        for setting in document.settings[:most]:
            yield f"{setting.name[:40]:<40} {setting.a or '':>18.18} {setting.b or '':>18.18}"
    for table in document.tables:
        yield ""
        yield f"{table.name[:52]:<52} {'A':>12} {'B':>12}"
        if table.note:
            yield table.note
        for row in table.rows[:most]:
            name = " ".join(cell or "" for cell in row.key)
            if row.column is None:
                yield f"{name[:52]:<52} {row.state:>12}"
            else:
                what = f"{name[:32]} {row.column}"
                yield f"{what[:52]:<52} {row.a or '':>12.12} {row.b or '':>12.12}"


def _by_name(document: CompareDoc) -> list[tuple[str, float | None, float | None]]:
    """Working stacks that differ, those of one meaning together."""
    found: dict[str, tuple[float | None, float | None]] = {}
    for one in document.stacks:
        if one.set_aside:
            continue
        name = one.signature or ", ".join(one.stack[:4])
        a, b = found.get(name, (None, None))
        found[name] = (_sum(a, one.a), _sum(b, one.b))
    moved = [(name, a, b) for name, (a, b) in found.items() if a != b]
    return sorted(moved, key=lambda row: (-abs((row[2] or 0) - (row[1] or 0)), row[0]))


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


def _number(value: float | None) -> str:
    return _NOTHING if value is None else number(value)
