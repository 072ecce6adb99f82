"""Answers of Prometheus: each point as it is printed, however the points are printed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pileup.formats.parsed import Parsed
from tests.formats.checks import parse_bytes

SECOND = 1_000_000
AT = 1_795_213_199


def answer(*series: tuple[dict[str, Any], str], end: str = "]}}") -> Parsed:
    """Read an answer: each series with its labels and the points as text."""
    results = ",".join(
        f'{{"metric":{json.dumps(labels)},"values":[{points}]}}' for labels, points in series
    )
    text = f'{{"status":"success","data":{{"resultType":"matrix","result":[{results}{end}'
    return parse_bytes(text.encode(), name="range.json", format_name="prometheus-json")


def samples(parsed: Parsed) -> list[tuple[Any, ...]]:
    frame = parsed.frames["sample"]
    return list(frame.select("series", "host", "wall_us", "value", "line_first").rows())


NAME = {"__name__": "mysql_global_status_threads_running", "instance": "db-1:9104"}
SERIES = answer((NAME, f'[{AT},"1"]')).frames["sample"]["series"][0]


@pytest.mark.parametrize(
    ("points", "found"),
    [
        (f'[{AT},"2"],[{AT + 1},"3.5"]', [(AT, 2.0), (AT + 1, 3.5)]),
        (f'[{AT}.25,"2"],[{AT + 1}.5,"3"]', [(AT + 0.25, 2.0), (AT + 1.5, 3.0)]),
        (f'[{AT}000,"2"],[{AT + 1}500,"3"]', [(AT, 2.0), (AT + 1.5, 3.0)]),
        (f'[{AT},"2"],[{AT + 1}.5,"3"]', [(AT, 2.0), (AT + 1.5, 3.0)]),
        (f'[ {AT}, "2" ], [ {AT + 1}, "3" ]', [(AT, 2.0), (AT + 1, 3.0)]),
        (f'[{AT},"1e3"],[{AT + 1},"-0.5"]', [(AT, 1000.0), (AT + 1, -0.5)]),
        (
            f'[{AT},"NaN"],[{AT + 1},"+Inf"],[{AT + 2},"7"]',
            [(AT, None), (AT + 1, None), (AT + 2, 7.0)],
        ),
    ],
)
def test_each_point_has_its_time_and_its_value(
    points: str, found: list[tuple[float, float | None]]
) -> None:
    parsed = answer((NAME, points))
    assert samples(parsed) == [
        (SERIES, "db-1", round(at * SECOND), value, 1) for at, value in found
    ]
    assert parsed.problems == []


def test_a_value_that_is_no_number_is_named_and_its_time_stays() -> None:
    parsed = answer((NAME, f'[{AT},"2"],[{AT + 1},"many"],[{AT + 2},"3"]'))
    assert [row[2:4] for row in samples(parsed)] == [
        (AT * SECOND, 2.0),
        ((AT + 1) * SECOND, None),
        ((AT + 2) * SECOND, 3.0),
    ]
    (problem,) = parsed.problems
    assert (problem.line, problem.message) == (1, "A value that is no number.")
    assert problem.found == "many"


def test_series_of_two_hosts_stay_apart_and_a_cut_answer_keeps_what_it_has() -> None:
    other = NAME | {"instance": "db-2:9104"}
    parsed = answer((NAME, f'[{AT},"2"]'), (other, f'[{AT},"5"]'), end="")
    assert [(row[1], row[3]) for row in samples(parsed)] == [("db-1", 2.0), ("db-2", 5.0)]
    assert [problem.message for problem in parsed.problems] == []


def test_points_over_many_lines_have_the_line_that_they_begin_on() -> None:
    points = ",\n".join(f'[\n{AT + at},\n"{at}"\n]' for at in range(5))
    found = samples(answer((NAME, points)))
    assert [row[2:4] for row in found] == [((AT + at) * SECOND, float(at)) for at in range(5)]
    assert [row[4] for row in found] == [1, 5, 9, 13, 17]
