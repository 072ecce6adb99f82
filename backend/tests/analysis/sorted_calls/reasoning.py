"""Sweeps, comparisons, stalls, stacks: direct calls with rivals in the wrong order, and a tie."""

from __future__ import annotations

from typing import Any

import polars as pl

from pileup.analysis.captures import case, examine
from pileup.analysis.compare import impact, table_changes
from pileup.analysis.evidence import spans
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.table_diff import CellChange, RowChange
from pileup.analysis.reasoning import pin_value, predicates, sweeps
from pileup.analysis.reasoning.sweeps import SweepRun
from pileup.analysis.stacks import groups
from pileup.analysis.stalls import documents
from pileup.analysis.story import impact as story_impact
from pileup.analysis.story import sentence
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import always, given, instead

# ---- sweeps ----------------------------------------------------------------------------------


def run(number: int, load: int, value: float = 0.0, failed: bool | None = None, **more: str) -> Any:
    parameters = {**more, "load": str(load)}
    return SweepRun(number, parameters, failed, None, {"tps": value})


def lines_of_a_sweep() -> object:
    """Parameters beside the load come in any order; those of one line are the same."""
    first = SweepRun(1, {"load": "8", "b": "1", "a": "2"}, None, None, {"tps": 1.0})
    other = SweepRun(2, {"a": "2", "b": "1", "load": "4"}, None, None, {"tps": 2.0})
    return [
        (line.fixed, list(line.fixed), len(line.runs)) for line in sweeps.lines_of([first, other])
    ]


def order_of_a_line() -> object:
    runs = [run(3, 8, 1.0), run(2, 4, 9.0), run(1, 4, 5.0), run(4, 2, 2.0), run(0, 4, 7.0)]
    line = sweeps._line(
        "load", "tps", {}, [(float(each.parameters["load"]), each) for each in runs]
    )
    return [each.number for _, each in line.runs]


def largest_step() -> object:
    values = ((1, 0.0), (2, 1.0), (4, 9.0), (8, 5.0), (16, 13.0))
    return sweeps._step("load", "tps", [(float(at), run(at, at, value)) for at, value in values])


def most_varied_value() -> object:
    rows = [{"small": 1.0, "large": 1.0, "tie": 5.0}, {"small": 2.0, "large": 9.0, "tie": 45.0}]
    return sweeps.most_varied([SweepRun(n, {}, None, None, row) for n, row in enumerate(rows)])


# ---- comparisons -----------------------------------------------------------------------------


def series(name: str, *medians: float, labels: str = "", unit: str = "", clear: bool = True) -> Any:
    levels = [given(median=median) for median in medians]
    return given(series=name, labels=labels, unit=unit, levels=levels, clear=clear)


def sessions_by_how_many_more() -> object:
    rows = [series(name, 0.0, more) for name, more in (("a", 2.0), ("b", 9.0), ("c", 5.0))]
    with instead(
        impact,
        _counts_sessions=always(True),
        role_of=always(None),
        _quantity=lambda row: row.series,
    ):
        return [row.series for row in impact.by_impact(rows)]


def most_trusted_of_a_role() -> object:
    trust = {"some": 0.5, "most": 0.9, "tie": 0.9, "few": 0.1}
    with instead(impact, role_of=lambda name: ("latency", trust[name])):
        rows = [series(name) for name in trust]
        found = [impact._best(rows, "latency", work) for work in (None, "few")]
    return [row.series if row else None for row in found]


def largest_changes_of_cells() -> object:
    def cell(ratio: float) -> CellChange:
        return CellChange(before="1", after=f"{ratio}", change=ratio, ratio=ratio)

    rows = [
        RowChange("changed", (name,), (cell(ratio),))
        for name, ratio in (("a", 2.0), ("b", 9.0), ("c", 0.01), ("d", 9.0), ("e", 3.0))
    ]
    return [each.key for each in table_changes._largest(rows, ("n",))]


# ---- stalls ----------------------------------------------------------------------------------


def stall_of_screens() -> object:
    rows = [
        given(kind="stall", duration_s=seconds, onset=at, name=name)
        for name, seconds, at in (
            ("short", 1.0, 1),
            ("late", 9.0, 7),
            ("early", 9.0, 3),
            ("x", 4.0, 0),
        )
    ]
    found: Any = documents.main_stall(rows)
    return found.name


def most_listed() -> object:
    times = (3, 1, 2, 4)
    frame = pl.DataFrame(
        {
            "artifact": ["a", "b", "c", "d"],
            "series": ["innodb.semaphore_waits"] * 4,
            "time": [T0 + at * S for at in times],
            "value": [5.0, 9.0, 7.0, 9.0],
        }
    )
    return documents._listed(frame, Span(T0, T0 + 9 * S))


def longest_standstill() -> object:
    values = (0, 9, 0, 0, 0, 9, 0, 0)
    work: Any = given(times=[T0 + n * S for n in range(8)], values=values, interval_us=S)
    return story_impact._longest_standstill(work, Span(T0, T0 + 9 * S), 1.0)


def class_with_most_time() -> object:
    classes = [
        given(id=name, title=name, waits=waits, share=share)
        for name, waits, share in (
            ("a", True, 0.35),
            ("b", True, 0.5),
            ("c", True, 0.4),
            ("d", False, 0.9),
        )
    ]
    active: Any = given(classes=classes)
    return sentence._top_class(active)


def capture_with_most_samples() -> object:
    def capture(name: str, samples: int, files: int) -> Any:
        evidence = given(artifacts=[name] * files)
        return given(values=[given(times=[0] * samples)], evidence=evidence, name=name)

    rows = [
        capture("few", 1, 9),
        capture("tie", 5, 1),
        capture("most", 5, 2),
        capture("some", 3, 3),
    ]
    with instead(case, signals=lambda values: values):
        found: Any = case._most_telling(rows)
    return found.name


def peak_of_two() -> object:
    """The worst moment and the fullest one; of equals, the earlier."""
    moment = given(time=50, waiting=[1])
    examined: Any = given()
    stall: Any = given()
    answers = []
    for most in ((9, 70), (5, 30), (5, 90)):
        blocked: Any = given(worst=given(threads=5, moment=moment), tally=given(most=most))
        answers.append(examine._most_waiting(examined, stall, blocked))
    return answers


# ---- stacks, spans, pins ---------------------------------------------------------------------


def groups_of_stacks() -> object:
    def row(line: int, count: int, *functions: str) -> dict[str, Any]:
        frames = [{"function": name} for name in functions]
        return {
            "line_first": line,
            "count": count,
            "samples": 1,
            "threads": [line],
            "frames": frames,
        }

    rows = [
        row(9, 2, "few"),
        row(7, 5, "tie"),
        row(5, 5, "most"),
        row(3, 1, "most"),
        row(2, 5, "other"),
        row(1, 2, "few"),
        row(4, 2, "few"),
    ]
    return [(each.count, each.key, each.threads) for each in groups.stack_groups(rows)]


def spans_in_order() -> object:
    return spans.joined([(50, 60), (1, 9), (12, 20), (10, 11), (1, 5)], 1)


def names_of_fields() -> object:
    rows = [("x", {"c": 1, "a": 2}), ("x", {"b": 3, "d": 1}), ("y", {"z": 1, "y": 2})]
    return pin_value._names(rows)


def longest_stretches() -> object:
    """Rows come in any order; two stretches are as long, and the earlier one comes first."""
    values = {0: 9, 1: 9, 2: 0, 3: 9, 4: 9, 5: 9, 6: 0, 7: 9, 8: 9, 9: 9, 10: 0}
    rows = [
        {"id": name, "host": name, "time": T0 + at * S, "value": float(value)}
        for name in ("b", "a")
        for at, value in reversed(values.items())
    ]
    predicate: Any = given(op=">", value=5.0)
    found = predicates._stretches(pl.DataFrame(rows), predicate)
    return found.select("seconds", "start").rows()


ORDERED: dict[str, Any] = {
    "reasoning.sweeps lines_of": lines_of_a_sweep,
    "reasoning.sweeps _line": order_of_a_line,
    "reasoning.sweeps _step": largest_step,
    "reasoning.sweeps most_varied": most_varied_value,
    "compare.impact by_impact": sessions_by_how_many_more,
    "compare.impact _best": most_trusted_of_a_role,
    "compare.table_changes _largest": largest_changes_of_cells,
    "stalls.documents main_stall": stall_of_screens,
    "stalls.documents _listed": most_listed,
    "story.impact _longest_standstill": longest_standstill,
    "story.sentence _top_class": class_with_most_time,
    "captures.case _most_telling": capture_with_most_samples,
    "captures.examine _most_waiting": peak_of_two,
    "stacks.groups stack_groups": groups_of_stacks,
    "evidence.spans joined": spans_in_order,
    "reasoning.pin_value _names": names_of_fields,
    "reasoning.predicates _stretches": longest_stretches,
}
