"""A sweep as a table: what each combination of parameters gave.

Two parameters make a pivot (one down, the other across); one or more than two make a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pileup.report.case import ReportExperiment
from pileup.report.document import Table
from pileup.report.tables import table
from pileup.report.words import VERDICTS, number


def sweeps(experiments: Sequence[ReportExperiment]) -> list[Table]:
    """One table per sweep of at least two runs that differ in a parameter."""
    by_name: dict[str, list[ReportExperiment]] = {}
    for one in experiments:
        if one.sweep and one.parameters:
            by_name.setdefault(one.sweep, []).append(one)
    return [_sweep(name, by_name[name]) for name in sorted(by_name) if len(by_name[name]) > 1]


def _sweep(name: str, runs: list[ReportExperiment]) -> Table:
    names = list(dict.fromkeys(key for run in runs for key in sorted(run.parameters)))
    done = sum(run.verdict is not None for run in runs)
    caption = f"Sweep “{name}”: {len(runs)} runs, {done} finished."
    if len(names) == 2:
        # The parameter with more values goes down: a page is taller than it is wide.
        names.sort(key=lambda key: -len({run.parameters.get(key, "") for run in runs}))
        return _pivot(names[0], names[1], runs, caption)
    ordered = sorted(
        runs, key=lambda run: ([_natural(run.parameters.get(key, "")) for key in names], run.number)
    )
    rows = [
        [str(run.number), *(run.parameters.get(key, "") for key in names), _value(run), _word(run)]
        for run in ordered
    ]
    head = ["", *names, "measured", "verdict"]
    align = ["right", *("left" for _ in names), "right", "left"]
    return table(head, rows, align, caption)


def _pivot(down: str, across: str, runs: list[ReportExperiment], caption: str) -> Table:
    columns = sorted({run.parameters.get(across, "") for run in runs}, key=_natural)
    lines = sorted({run.parameters.get(down, "") for run in runs}, key=_natural)
    places: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        place = run.parameters.get(down, ""), run.parameters.get(across, "")
        said = ", ".join(word for word in (_value(run), _word(run)) if word)
        places.setdefault(place, []).append(said)
    rows = [
        [line, *("; ".join(places.get((line, column), ["not run"])) for column in columns)]
        for line in lines
    ]
    return table([down, *(f"{across}: {column}" for column in columns)], rows, None, caption)


def _value(run: ReportExperiment) -> str:
    return number(run.measured)


def _word(run: ReportExperiment) -> str:
    return VERDICTS.get(run.verdict or "", "open")


def _natural(text: str) -> list[tuple[int, float, str]]:
    """4 before 16: numbers in a text by their size."""
    return [
        (0, float(part), "") if part.replace(".", "", 1).isdecimal() else (1, 0.0, part)
        for part in re.findall(r"\d+(?:\.\d+)?|[^\d]+", text)
    ]
