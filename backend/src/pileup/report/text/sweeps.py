"""Tabulate a sweep: the result of each combination of parameters.

Two parameters make a pivot (one down, the other across); any other number makes a list. Runs with
the same parameters share a cell: median, low, high and number of runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from pileup.analysis.reasoning.sweeps import SweepRun, lines_of
from pileup.report.case import ReportExperiment, ReportMeasure
from pileup.report.document import Table
from pileup.report.text.tables import table
from pileup.report.text.wording import FAILED, VERDICTS, number


def sweeps(experiments: Sequence[ReportExperiment]) -> list[Table]:
    """Build one table per sweep of at least two runs that differ in a parameter."""
    by_name: dict[str, list[ReportExperiment]] = {}
    for experiment in experiments:
        if experiment.sweep and experiment.parameters:
            by_name.setdefault(experiment.sweep, []).append(experiment)
    return [_sweep(name, by_name[name]) for name in by_name if len(by_name[name]) > 1]


def _sweep(name: str, runs: list[ReportExperiment]) -> Table:
    names = list(dict.fromkeys(key for run in runs for key in sorted(run.parameters)))
    done = sum(run.verdict is not None for run in runs)
    judged = f", {done} with a verdict" if done else ""
    caption = f"Sweep “{name}”: {len(runs)} runs{judged}.{_turns(runs)}"
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


def _turns(runs: Sequence[ReportExperiment]) -> str:
    """Return the threshold of each line of the sweep as sentences, with a blank before each."""
    lines = lines_of([_sweep_run(run) for run in runs])
    fixed = (", ".join(f"{k}={v}" for k, v in line.fixed.items()) for line in lines)
    return "".join(
        f" {f'{where}: ' if where else ''}{line.text}"
        for where, line in zip(fixed, lines, strict=True)
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
