"""Find the threshold of a sweep: its runs differ in a load, and turn between two loads.

Runs turn from not failing to failing, or from matching a prediction to missing it. The threshold
is named only when all runs below it agree and all runs above it agree; it lies between two loads
that were run, and nothing is interpolated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pileup.numerals import number

_LEADING = re.compile(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*([kKmMgG](?![A-Za-z]))?")
_SCALE = {"k": 1e3, "m": 1e6, "g": 1e9}
_LEAST_LOADS = 3
"""A largest change among fewer loads says nothing."""


@dataclass(frozen=True, slots=True)
class SweepRun:
    number: int
    parameters: Mapping[str, str]
    failed: bool | None
    """None: nobody says."""
    matched: bool | None
    """Whether it matched its prediction; None without a verdict, or with one in between."""
    values: Mapping[str, float] = field(default_factory=dict)
    """'inserts (1/s)' to the measured value."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """The runs turn somewhere between these two loads."""

    below: float
    above: float
    text: str


@dataclass(frozen=True, slots=True)
class SweepLine:
    """Runs of a sweep that differ in one load, and agree in the other parameters."""

    axis: str
    """Name of the parameter that is the load: 'machines'."""
    fixed: Mapping[str, str]
    """The other parameters."""
    runs: tuple[tuple[float, SweepRun], ...]
    """(load, run), the smallest load first."""
    outcomes: tuple[str, ...]
    """One per run: failed, did not fail, missed, matched; empty where nobody says."""
    threshold: Threshold | None
    text: str
    """The threshold or the largest change as a sentence; empty when there is neither."""


def load_of(text: str) -> float | None:
    """Read the number that begins a parameter's value: 22 of '22 machines', 4000 of '4k'."""
    match = _LEADING.match(text)
    if match is None:
        return None
    return float(match[1].replace(",", ".")) * _SCALE.get((match[2] or "").lower(), 1.0)


def most_varied(runs: Sequence[SweepRun]) -> str:
    """Name the value that differs most between runs, relative to its largest; '' without values."""
    values: dict[str, list[float]] = {}
    for run in runs:
        for name, value in run.values.items():
            values.setdefault(name, []).append(value)

    def varied(name: str) -> float:
        most = max(map(abs, values[name]))
        return (max(values[name]) - min(values[name])) / most if most else 0.0

    return max(values, key=varied, default="")


def lines_of(runs: Sequence[SweepRun]) -> list[SweepLine]:
    """Split a sweep into lines along its load; empty when no parameter is a number that varies."""
    axis = _axis(runs)
    if axis is None:
        return []
    lines: dict[tuple[tuple[str, str], ...], list[tuple[float, SweepRun]]] = {}
    for run in runs:
        load = load_of(run.parameters.get(axis, ""))
        if load is not None:
            others = tuple(sorted((k, v) for k, v in run.parameters.items() if k != axis))
            lines.setdefault(others, []).append((load, run))
    value = most_varied(runs)
    return [_line(axis, value, dict(fixed), line) for fixed, line in lines.items()]


def _axis(runs: Sequence[SweepRun]) -> str | None:
    """Choose the load: the parameter with the most different numbers, the first of equals."""
    names = dict.fromkeys(name for run in runs for name in run.parameters)
    best, most = None, 1
    for name in names:
        loads = [load_of(run.parameters[name]) for run in runs if name in run.parameters]
        if None not in loads and len(set(loads)) > most:
            best, most = name, len(set(loads))
    return best


def _line(
    axis: str, value: str, fixed: dict[str, str], line: list[tuple[float, SweepRun]]
) -> SweepLine:
    line.sort(key=lambda place: (place[0], place[1].number))
    words = names = ("failed", "did not fail")
    outcomes = [(load, run.failed) for load, run in line]
    if {True, False} - {outcome for _, outcome in outcomes}:
        judged = [(load, run.matched) for load, run in line]
        if any(outcome is not None for _, outcome in judged):
            words, names = ("matched the prediction", "missed it"), ("matched", "missed")
            outcomes = judged
    known = [(load, outcome) for load, outcome in outcomes if outcome is not None]
    threshold = _threshold(axis, known, words)
    text = (
        threshold.text
        if threshold
        else _no_threshold(axis, known, words) or _step(axis, value, line)
    )
    outcome_names = tuple("" if o is None else names[0 if o else 1] for _, o in outcomes)
    return SweepLine(axis, fixed, tuple(line), outcome_names, threshold, text)


def _threshold(
    axis: str, known: Sequence[tuple[float, bool]], words: tuple[str, str]
) -> Threshold | None:
    yes = [load for load, outcome in known if outcome]
    no = [load for load, outcome in known if not outcome]
    if not yes or not no:
        return None
    true_word, false_word = words
    sides = ((no, yes, false_word, true_word), (yes, no, true_word, false_word))
    for low, high, low_word, high_word in sides:
        below, above = max(low), min(high)
        if below < above:
            text = (
                f"The threshold lies {between(axis, below, above)}: {low_word} up to "
                f"{number(below)}, {high_word} from {number(above)}."
            )
            return Threshold(below, above, text)
    return None


def _no_threshold(axis: str, known: Sequence[tuple[float, bool]], words: tuple[str, str]) -> str:
    if len({outcome for _, outcome in known}) < 2:
        return ""
    loads = {
        outcome: ", ".join(dict.fromkeys(number(load) for load, is_so in known if is_so is outcome))
        for outcome in (True, False)
    }
    parts = (f"{words[0]} at {loads[True]}", f"{words[1]} at {loads[False]}")
    return f"No single threshold of {axis}: {'; '.join(parts)}."


def _step(axis: str, name: str, line: Sequence[tuple[float, SweepRun]]) -> str:
    """Name the largest change of one value between two neighbouring loads."""
    points: dict[float, float] = {}
    for load, run in line:
        if name in run.values:
            points.setdefault(load, run.values[name])
    pairs = list(zip(points.items(), list(points.items())[1:], strict=False))
    if len(points) < _LEAST_LOADS:
        return ""
    (low, before), (high, after) = max(pairs, key=lambda pair: abs(pair[1][1] - pair[0][1]))
    if before == after:
        return ""
    return (
        f"{name} changes most {between(axis, low, high)}: from {number(before)} to {number(after)}."
    )


def between(axis: str, below: float, above: float) -> str:
    """'between 21 and 22 machines'; 'between innodb_thread_concurrency 8 and 16'."""
    if axis.isalpha() and axis.endswith("s"):
        return f"between {number(below)} and {number(above)} {axis}"
    return f"between {axis} {number(below)} and {number(above)}"


__all__ = ["SweepLine", "SweepRun", "Threshold", "between", "lines_of", "load_of", "most_varied"]
