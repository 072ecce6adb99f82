"""Draw and tabulate a sweep: the result of each combination of parameters.

The figure shows one value over the load, with the threshold between two loads. Two parameters make
a pivot (one down, the other across); any other number makes a list. Runs with the same parameters
share a cell: median, low, high and number of runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from pileup.analysis.reasoning.sweeps import SweepLine, SweepRun, lines_of, most_varied
from pileup.report.case import ReportExperiment, ReportMeasure
from pileup.report.document import Figure, Run, SweepDrawing, SweepRunPoint, SweepSeries, Table
from pileup.report.text.tables import table
from pileup.report.text.wording import FAILED, VERDICTS, number


def sweeps(experiments: Sequence[ReportExperiment]) -> list[Figure | Table]:
    """Build a figure and a table for each sweep of at least two runs that differ in a parameter."""
    by_name: dict[str, list[ReportExperiment]] = {}
    for experiment in experiments:
        if experiment.sweep and experiment.parameters:
            by_name.setdefault(experiment.sweep, []).append(experiment)
    return [block for name in by_name if len(by_name[name]) > 1 for block in _sweep(by_name[name])]


def _sweep(runs: list[ReportExperiment]) -> list[Figure | Table]:
    lines = lines_of([_sweep_run(run) for run in runs])
    figure = _figure(runs, lines)
    # The figure names the threshold; without a figure, the table does.
    table = _table(runs, "" if figure else _turns(lines))
    return [figure, table] if figure else [table]


def _figure(runs: list[ReportExperiment], lines: Sequence[SweepLine]) -> Figure | None:
    """Draw the value that differs most between the runs, or the outcomes of runs without values."""
    if not lines:
        return None
    measure = most_varied([_sweep_run(run) for run in runs])
    sources = {
        run.number: item.source
        for run in runs
        for item in reversed(run.measures)
        if _named(item) == measure
    }
    drawing = SweepDrawing(
        axis=lines[0].axis,
        measure=measure,
        series=[
            SweepSeries(
                label=_fixed(line),
                points=[
                    SweepRunPoint(
                        number=run.number,
                        load=load,
                        value=run.values.get(measure),
                        source=sources.get(run.number, ""),
                        outcome=outcome,
                    )
                    for (load, run), outcome in zip(line.runs, line.outcomes, strict=True)
                ],
                threshold=(line.threshold.below, line.threshold.above) if line.threshold else None,
            )
            for line in lines
        ],
    )
    points = [point for series in drawing.series for point in series.points]
    drawn = [p for p in points if (p.value is not None if measure else p.outcome)]
    if len({point.load for point in drawn}) < 2:
        return None
    known = ", ".join(dict.fromkeys(point.source for point in drawn if point.source))
    what = f"{measure}, {known}," if measure else "outcome"
    what += f" over {drawing.axis}"
    caption = f"Sweep “{runs[0].sweep}”: {what}.{_turns(lines)}"
    if any(point.outcome in ("failed", "missed") for point in drawn):
        caption += " A filled point failed or missed its prediction."
    alt = f"{what[0].upper()}{what[1:]}.{_turns(lines)}"
    return Figure(drawing, [Run(caption)], alt, tabled=True)


def _fixed(line: SweepLine) -> str:
    return ", ".join(f"{name}={value}" for name, value in line.fixed.items())


def _table(runs: list[ReportExperiment], turns: str) -> Table:
    names = list(dict.fromkeys(key for run in runs for key in sorted(run.parameters)))
    done = sum(run.verdict is not None for run in runs)
    judged = f", {done} with a verdict" if done else ""
    caption = f"Sweep “{runs[0].sweep}”: {len(runs)} runs{judged}.{turns}"
    measured = list(dict.fromkeys(_named(item) for run in runs for item in run.measures))
    if len(names) == 2:
        # The parameter with more values goes down: a page is taller than it is wide.
        names.sort(key=lambda key: -len({run.parameters.get(key, "") for run in runs}))
        return _pivot(names[0], names[1], runs, caption)
    places: dict[tuple[str, ...], list[ReportExperiment]] = {}
    for run in runs:
        places.setdefault(tuple(run.parameters.get(key, "") for key in names), []).append(run)
    rows = [
        [
            ", ".join(str(run.number) for run in same),
            *place,
            *(_value(same, name) for name in measured),
            _word(same),
        ]
        for place, same in sorted(places.items(), key=lambda place: [_natural(v) for v in place[0]])
    ]
    head = ["", *names, *measured, "result"]
    align = ["right", *("left" for _ in names), *("right" for _ in measured), "left"]
    return table(head, rows, align, caption)


def _pivot(down: str, across: str, runs: list[ReportExperiment], caption: str) -> Table:
    columns = sorted({run.parameters.get(across, "") for run in runs}, key=_natural)
    lines = sorted({run.parameters.get(down, "") for run in runs}, key=_natural)
    places: dict[tuple[str, str], list[ReportExperiment]] = {}
    for run in runs:
        place = run.parameters.get(down, ""), run.parameters.get(across, "")
        places.setdefault(place, []).append(run)
    rows = [
        [line, *(_result(places.get((line, column), [])) for column in columns)] for line in lines
    ]
    return table([down, *(f"{across}: {column}" for column in columns)], rows, None, caption)


def _result(runs: Sequence[ReportExperiment]) -> str:
    if not runs:
        return "not run"
    names = list(dict.fromkeys(_named(item) for run in runs for item in run.measures))
    values = [
        value if len(names) == 1 else f"{name}: {value}"
        for name in names
        if (value := _value(runs, name))
    ]
    return ", ".join(word for word in (*values, _word(runs)) if word)


def _turns(lines: Sequence[SweepLine]) -> str:
    """Return the threshold of each line of the sweep as sentences, with a blank before each."""
    return "".join(
        f" {f'{where}: ' if (where := _fixed(line)) else ''}{line.text}"
        for line in lines
        if line.text
    )


def _sweep_run(run: ReportExperiment) -> SweepRun:
    failed = {"yes": True, "no": True, "failed": True, "not_failed": False}
    return SweepRun(
        number=run.number,
        parameters=run.parameters,
        failed=failed.get(run.failed_same_way or ""),
        matched={"match": True, "miss": False}.get(run.verdict or ""),
        values={_named(item): item.value for item in run.measures},
    )


def _named(measure: ReportMeasure) -> str:
    return f"{measure.name} ({measure.unit})" if measure.unit else measure.name


def _value(runs: Sequence[ReportExperiment], name: str) -> str:
    """Format one measure with its sources: '31 (typed)', or of several '31 (28 to 40; 3 runs)'."""
    found = [item for run in runs for item in run.measures if _named(item) == name]
    if not found:
        return ""
    sources = ", ".join(dict.fromkeys(item.source for item in found))
    values = [item.value for item in found]
    if len(values) == 1:
        return f"{number(values[0])} ({sources})"
    with_it = sum(any(_named(item) == name for item in run.measures) for run in runs)
    many = f"{with_it} of {len(runs)} runs" if with_it < len(runs) else f"{len(runs)} runs"
    low, high = number(min(values)), number(max(values))
    spread = many if low == high else f"{low} to {high}; {many}"
    return f"{number(median(values))} ({spread}; {sources})"


def _word(runs: Sequence[ReportExperiment]) -> str:
    """Format the results: 'match', or for several runs '2 match, 1 miss'."""
    words = Counter(_outcome(run) for run in runs)
    if len(runs) == 1:
        return next(iter(words))
    return ", ".join(f"{count} {word}" for word, count in words.items())


def _outcome(run: ReportExperiment) -> str:
    """Format the verdict, or how the run failed when nothing was predicted."""
    if run.verdict in VERDICTS:
        return VERDICTS[run.verdict]
    failed = FAILED.get(run.failed_same_way or "", "")
    return failed or ("open" if run.state != "finished" else "")


def _natural(text: str) -> list[tuple[int, float, str]]:
    """Sort key that orders numbers in a text by size: 4 before 16."""
    return [
        (0, float(part), "") if part.replace(".", "", 1).isdecimal() else (1, 0.0, part)
        for part in re.findall(r"\d+(?:\.\d+)?|[^\d]+", text)
    ]
