"""Compare two or more aligned sides, with the spread of repeated runs.

A side is one capture (or part of it), or several runs of the same setup. One run varies by its
samples: median with quartiles. Several runs vary from run to run: the median of their medians with
low and high. Ratios are relative to one side, the reference, and include both spreads: low over
high to high over low.

Sides are aligned at their onset, at their start, or by the clock. A window in seconds around the
onset or the start applies to all sides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import polars as pl

from pileup.analysis.compare.compared_tables import compared_tables
from pileup.analysis.compare.differences import (
    MOST,
    VOLATILE_SETTINGS,
    Side,
    comparison_warnings,
    count_moments,
    measured_trial,
    normalized,
    series_between,
    side_doc,
    stack_counts,
    time_span,
    untimed_tables,
    variables,
    wait_counts,
)
from pileup.analysis.compare.impact import by_impact
from pileup.analysis.compare.sides import Align, Group, Member, NotAlignedError, zero_time
from pileup.analysis.compare.time_classes import active_of, compare_classes, side_time
from pileup.analysis.compare.trial import Run
from pileup.analysis.contract import (
    ComparedSide,
    RatioDoc,
    SidesDoc,
    SidesSeries,
    SidesSetting,
    SidesStack,
    SidesTable,
    SidesTrial,
    SidesWait,
    SpreadDoc,
)
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.stacks import same_samples
from pileup.analysis.stalls import indicators
from pileup.knowledge import match_stack
from pileup.knowledge.series_titles import series_title

_NAMES = "ABCDEF"
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class _Part:
    side: Side
    evidence: Evidence
    span: Span | None
    values: pl.DataFrame
    work: str | None
    """The series by which the overview would count the work of this part."""


def compare_sides(
    groups: Sequence[Group],
    align: Align = "onset",
    window: tuple[float, float] | None = None,
    reference: int = 0,
) -> SidesDoc:
    """List what differs between the reference and the other sides, the most important first.

    window: from and to in seconds around the onset or the start. reference: index of a group.

    Raises:
        NotAlignedError: a side has no onset, or a window is given with alignment by the clock.
    """
    parts = [[_part(member, align, window) for member in group.members] for group in groups]
    sides = [_side(group, runs) for group, runs in zip(groups, parts, strict=True)]
    base = parts[reference]
    first = base[0]
    trials: list[SidesTrial] = []
    warnings: dict[str, None] = {}
    tables: list[SidesTable] = []
    for at, runs in enumerate(parts):
        if at == reference:
            continue
        other = runs[0]
        if trial := measured_trial(
            _run(_NAMES[reference], first, other.work), _run(_NAMES[at], other, other.work)
        ):
            trials.append(SidesTrial(side=at, trial=trial))
        empty = (not first.evidence.frames, not other.evidence.frames)
        spans = (first.span, other.span)
        warnings |= dict.fromkeys(comparison_warnings(sides[reference], sides[at], empty, spans))
        tables += [
            SidesTable(side=at, table=compared_table)
            for compared_table in compared_tables(
                [part.evidence for part in base], [part.evidence for part in runs]
            )
        ]
    work = next((runs[0].work for at, runs in enumerate(parts) if at != reference), None)
    times = [
        [side_time(part.side, part.evidence, part.span, part.values) for part in runs]
        for runs in parts
    ]
    return SidesDoc(
        sides=sides,
        reference=reference,
        align=align,
        trials=trials,
        warnings=[*warnings, *untimed_tables(part.side for runs in parts for part in runs)],
        active=[active_of(runs) for runs in times],
        classes=compare_classes(times, reference),
        series=by_impact(_series(parts, reference), work),
        waits=_waits(parts),
        stacks=_stacks(parts),
        settings=_settings(parts),
        tables=tables,
    )


def _part(member: Member, align: Align, window: tuple[float, float] | None) -> _Part:
    side = member.side
    if window is not None:
        if align == "clock":
            raise NotAlignedError("A window in seconds needs alignment at the onset or the start.")
        zero = zero_time(member, align)
        side = replace(
            side,
            span=Span(zero + round(window[0] * 1e6), zero + round(window[1] * 1e6)),
        )
    evidence = same_samples.without_repeated(side.narrowed())
    span = side.span or time_span(evidence)
    rows = values(evidence.frame("sample"))
    work = indicators.throughput(rows, side.host, span) if span and rows.height else None
    return _Part(side, evidence, span, _once(rows), work.series if work else None)


def _once(rows: pl.DataFrame) -> pl.DataFrame:
    """Keep one value of each series at an instant, the largest, as the levels of a stall do.

    Where files overlap, every instant counts once, and not once for each file.
    """
    key = ["id", "time"]
    if not rows.select(key).is_duplicated().any():
        return rows
    others = [name for name in rows.columns if name not in (*key, "value")]
    merged = rows.group_by(key, maintain_order=True).agg(
        pl.col(others).first(), pl.col("value").max()
    )
    return merged.select(rows.columns)


def _side(group: Group, parts: Sequence[_Part]) -> ComparedSide:
    side = side_doc(parts[0].side, parts[0].evidence, parts[0].span)
    if len(parts) == 1:
        return ComparedSide(
            label=group.label,
            start=side.start,
            end=side.end,
            hosts=side.hosts,
            version=side.version,
            dumps=side.dumps,
            samples=side.samples,
        )
    every = [side_doc(part.side, part.evidence, part.span) for part in parts]
    return ComparedSide(
        label=group.label,
        start=None,
        end=None,
        hosts=sorted({host for side in every for host in side.hosts}),
        version=side.version,
        dumps=sum(side.dumps for side in every),
        samples=sum(side.samples for side in every),
    )


def _run(name: str, part: _Part, work: str | None) -> Run:
    return Run(name, part.values, part.side.span, work)


# ---- series ------------------------------------------------------------------------------------

SeriesKey = tuple[str, str]


def _series(parts: Sequence[Sequence[_Part]], reference: int) -> list[SidesSeries]:
    base = parts[reference][0].values
    rank: dict[SeriesKey, int] = {}
    unit: dict[SeriesKey, str | None] = {}
    clear: defaultdict[SeriesKey, list[list[bool]]] = defaultdict(list)
    for runs in (*parts[:reference], *parts[reference + 1 :]):
        in_runs: defaultdict[SeriesKey, list[bool]] = defaultdict(list)
        for part in runs:
            for place, series in enumerate(series_between(base, part.values)):
                key = (series.series, series.labels)
                # clear differences come before unclear ones
                place += 0 if series.clear else MOST
                rank[key] = min(place, rank.get(key, place))
                unit[key] = unit.get(key) or series.unit
                in_runs[key].append(series.clear)
        for key, flags in in_runs.items():
            clear[key].append(flags + [False] * (len(runs) - len(flags)))
    levels = [[_levels(part.values) for part in runs] for runs in parts]
    documents = []
    for key in sorted(rank, key=lambda row: (rank[row], row))[:MOST]:
        spreads = [_spread([row[key] for row in level if key in row]) for level in levels]
        titles = series_title(*key, unit[key])
        documents.append(
            SidesSeries(
                series=key[0],
                labels=key[1],
                title=titles.title,
                detail=titles.detail,
                source=titles.source,
                unit=titles.unit,
                levels=spreads,
                ratios=[
                    None if at == reference else _ratio(spreads[reference], spread)
                    for at, spread in enumerate(spreads)
                ],
                clear=any(all(flags) for flags in clear[key]),
            )
        )
    return documents


def _levels(rows: pl.DataFrame) -> dict[SeriesKey, tuple[float, float, float, int]]:
    """Map (series, labels) to median, quartiles and count of one run, over all its hosts."""
    value = pl.col("value")
    frame = (
        rows.filter(value.is_not_null())
        .group_by("series", "labels")
        .agg(
            value.median().alias("median"),
            value.quantile(0.25, "nearest").alias("low"),
            value.quantile(0.75, "nearest").alias("high"),
            pl.len().alias("n"),
        )
    )
    return {
        (str(row[0]), str(row[1] or "")): (row[2], row[3], row[4], row[5])
        for row in frame.iter_rows()
    }


def _spread(runs: Sequence[tuple[float, float, float, int]]) -> SpreadDoc | None:
    if not runs:
        return None
    if len(runs) == 1:
        median, low, high, points = runs[0]
        return SpreadDoc(median=median, low=low, high=high, points=points, runs=1)
    medians = pl.Series([run[0] for run in runs])
    return SpreadDoc(
        median=float(medians.median()),  # type: ignore[arg-type]  # of at least two numbers
        low=min(run[0] for run in runs),
        high=max(run[0] for run in runs),
        points=sum(run[3] for run in runs),
        runs=len(runs),
    )


def _ratio(before: SpreadDoc | None, after: SpreadDoc | None) -> RatioDoc | None:
    if before is None or after is None or before.median == 0:
        return None
    positive = before.low > 0 and after.low >= 0
    return RatioDoc(
        ratio=after.median / before.median,
        low=after.low / before.high if positive else None,
        high=after.high / before.low if positive else None,
    )


# ---- waits, stacks, settings -------------------------------------------------------------------


def _waits(parts: Sequence[Sequence[_Part]]) -> list[SidesWait]:
    def counts(part: _Part) -> dict[tuple[str, int, str], float] | None:
        dumps = count_moments(part.evidence, "innodb_status")
        if not dumps:
            return None
        rows = wait_counts(part.evidence).iter_rows()
        return {(file, line, mode): waits / dumps for file, line, mode, waits in rows}

    return [
        SidesWait(file=file, line=line, mode=mode, counts=means)
        for (file, line, mode), means in _counted(parts, counts)
    ]


def _stacks(parts: Sequence[Sequence[_Part]]) -> list[SidesStack]:
    def counts(part: _Part) -> dict[tuple[str, ...], float] | None:
        samples = count_moments(part.evidence, "stacks")
        if not samples:
            return None
        return {stack: many / samples for stack, many in stack_counts(part.evidence).items()}

    documents = []
    for stack, means in _counted(parts, counts):
        known = match_stack(list(stack))
        documents.append(
            SidesStack(
                stack=list(stack),
                counts=means,
                signature=known.id if known else None,
                category=known.category if known else None,
                set_aside=bool(known and known.set_aside),
            )
        )
    return documents


def _counted(
    parts: Sequence[Sequence[_Part]], counts: Callable[[_Part], Mapping[Key, float] | None]
) -> list[tuple[Key, list[float | None]]]:
    """List each key with its mean per side, the largest difference first."""
    sides: list[list[Mapping[Key, float]]] = [
        [mapping for part in runs if (mapping := counts(part)) is not None] for runs in parts
    ]
    every = dict.fromkeys(key for side in sides for mapping in side for key in mapping)
    rows = [
        (
            key,
            [
                sum(mapping.get(key, 0.0) for mapping in side) / len(side) if side else None
                for side in sides
            ],
        )
        for key in every
    ]
    return sorted(rows, key=lambda row: (-_range(row[1]), str(row[0])))[:MOST]


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _range(values: Sequence[float | None]) -> float:
    known = [value or 0.0 for value in values]
    return max(known) - min(known)


def _settings(parts: Sequence[Sequence[_Part]]) -> list[SidesSetting]:
    """List the settings that at least two sides print and that differ."""
    sides = [
        [
            {name: setting.value for name, setting in variables(part.evidence).items()}
            for part in runs
        ]
        for runs in parts
    ]
    names = {name for side in sides for row in side for name in row} - VOLATILE_SETTINGS
    documents = []
    for name in sorted(names):
        printed = [[row[name] for row in side if name in row] for side in sides]
        plain = [normalized(value) for values in printed for value in values]
        if sum(1 for values in printed if values) > 1 and any(a != b for a, b in pairwise(plain)):
            documents.append(
                SidesSetting(name=name, values=[_joined(values) for values in printed])
            )
    return documents[:MOST]


def _joined(values: Sequence[str | None]) -> str | None:
    different = {normalized(value): value or "" for value in values}
    return " / ".join(different.values()) if different else None


__all__ = ["compare_sides"]
