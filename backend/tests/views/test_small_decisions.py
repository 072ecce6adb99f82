"""Small decisions of the views with a value on each side."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from pydantic import TypeAdapter, ValidationError

from pileup.analysis.waits import over_time
from pileup.records import Samples
from pileup.views.artifacts import mapping_preview
from pileup.views.artifacts.tables import stored_tables
from pileup.views.evidence import nearest_sessions, timeline
from pileup.views.reports import page
from pileup.views.samples.case_file import Percent


@pytest.mark.parametrize(("block_type", "name"), page._KINDS)
def test_a_passage_is_of_the_kind_of_one_of_its_blocks(block_type: Any, name: str) -> None:
    types = block_type if isinstance(block_type, tuple) else (block_type,)
    for each in types:
        block = mock.Mock(spec=each)
        assert page._kind([mock.Mock(), block]) == name
    assert page._kind([mock.Mock()]) == "text"


@pytest.mark.parametrize(("format_", "version"), [(None, None), (None, 1), ("a", None)])
def test_what_no_parser_has_read_has_no_tables(format_: str | None, version: int | None) -> None:
    artifact: Any = SimpleNamespace(sha256="0", format=format_, parser_version=version)
    frames: Any = SimpleNamespace()  # is not looked at
    assert stored_tables(frames, artifact) == []


@pytest.mark.parametrize(
    ("values", "shown"),
    [([3.0, None, -1.0, 7.0], (3, -1, 7)), ([None, None], (0, None, None)), ([], (0, None, None))],
)
def test_a_previewed_series_counts_the_numbers_it_has(values: list[Any], shown: Any) -> None:
    times = list(range(len(values)))
    samples = Samples("metric.n", "gauge", "pages", "utc", times, values, times, (("a", "b"),), "h")
    series = mapping_preview._series(samples)
    assert (series.values, series.low, series.high) == shown
    assert (series.name, series.kind, series.unit, series.host) == (
        "metric.n",
        "gauge",
        "pages",
        "h",
    )
    assert series.labels == "a=b"


def test_a_confidence_is_from_nothing_to_a_hundred() -> None:
    known = TypeAdapter(Percent)
    assert [known.validate_python(value) for value in (0, 100)] == [0, 100]
    for value in (-1, 101):
        with pytest.raises(ValidationError):
            known.validate_python(value)


def test_a_row_of_the_heat_lane_keeps_what_the_engine_found() -> None:
    row = over_time.HeatRow("latch", "a latch", "buf0buf.cc", "db-1", [(2_000_500, 3)], 9)
    shown = timeline._heat_row(row)
    assert (shown.kind, shown.label, shown.detail, shown.host, shown.peak, shown.cells) == (
        "latch", "a latch", "buf0buf.cc", "db-1", 9, [(2000.5, 3)]
    )  # fmt: skip


def test_what_the_knowledge_base_has_not_has_no_meaning() -> None:
    known, unknown = ("Query", "Waiting for table metadata lock"), ("Unheard of", "Unheard of")
    rows = [
        {"state": state, "query": "SELECT 1", "command": command, "time_s": 1.0}
        for command, state in (known, unknown)
    ]
    meanings = {group.state: group.meaning for group in nearest_sessions._groups(rows)}
    assert meanings[known[1]]
    assert meanings[unknown[1]] is None
