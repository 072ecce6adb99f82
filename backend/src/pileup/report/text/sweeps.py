"""Tabulate a sweep: the result of each combination of parameters.

Two parameters make a pivot (one down, the other across); any other number makes a list. Runs with
the same parameters share a cell: median, low, high and number of runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median

from pileup.report.case import ReportExperiment
from pileup.report.document import Table
from pileup.report.text.tables import table
from pileup.report.text.wording import VERDICTS, number


def sweeps(experiments: Sequence[ReportExperiment]) -> list[Table]:
    """Build one table per sweep of at least two runs that differ in a parameter."""
    by_name: dict[str, list[ReportExperiment]] = {}
    for experiment in experiments:
        if experiment.sweep and experiment.parameters:
            by_name.setdefault(experiment.sweep, []).append(experiment)
    return [_sweep(name, by_name[name]) for name in sorted(by_name) if len(by_name[name]) > 1]


def _sweep(name: str, runs: list[ReportExperiment]) -> Table:
    names = list(dict.fromkeys(key for run in runs for key in sorted(run.parameters)))
    done = sum(run.verdict is not None for run in runs)
    caption = f"Sweep “{name}”: {len(runs)} runs, {done} finished."
    if len(names) == 2:
        # The parameter with more values goes down: a page is taller than it is wide.
        names.sort(key=lambda key: -len({run.parameters.get(key, "") for run in runs}))
        return _pivot(names[0], names[1], runs, caption)
    places: dict[tuple[str, ...], list[ReportExperiment]] = {}
    for run in runs:
        places.setdefault(tuple(run.parameters.get(key, "") for key in names), []).append(run)
    rows = [
        [", ".join(str(run.number) for run in same), *place, _value(same), _word(same)]
        for place, same in sorted(places.items(), key=lambda place: [_natural(v) for v in place[0]])
    ]
    head = ["", *names, "measured", "verdict"]
    align = ["right", *("left" for _ in names), "right", "left"]
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
    return ", ".join(word for word in (_value(runs), _word(runs)) if word)


def _value(runs: Sequence[ReportExperiment]) -> str:
    """Format the measured value: '31', or for several runs '31 (28 to 40; 3 runs)'."""
    measured = [run.measured for run in runs if run.measured is not None]
    if len(runs) == 1 or not measured:
        return number(measured[0]) if measured else ""
    many = (
        f"{len(measured)} of {len(runs)} runs" if len(measured) < len(runs) else f"{len(runs)} runs"
    )
    low, high = number(min(measured)), number(max(measured))
    spread = many if low == high else f"{low} to {high}; {many}"
    return f"{number(median(measured))} ({spread})"


def _word(runs: Sequence[ReportExperiment]) -> str:
    """Format the verdicts: 'match', or for several runs '2 match, 1 miss'."""
    words = Counter(VERDICTS.get(run.verdict or "", "open") for run in runs)
    if len(runs) == 1:
        return next(iter(words))
    return ", ".join(f"{count} {word}" for word, count in words.items())


def _natural(text: str) -> list[tuple[int, float, str]]:
    """Sort key that orders numbers in a text by size: 4 before 16."""
    return [
        (0, float(part), "") if part.replace(".", "", 1).isdecimal() else (1, 0.0, part)
        for part in re.findall(r"\d+(?:\.\d+)?|[^\d]+", text)
    ]
