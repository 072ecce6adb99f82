"""A stall that only lines of a log report says so, whatever the calm series beside it do."""

from __future__ import annotations

import random

import pytest

from pileup.analysis import analyse
from pileup.records import Event
from tests.analysis.frames import T0, S, evidence, gauge


@pytest.mark.parametrize("rises", [False, True])
def test_the_headline_of_refusals_in_a_log(rises: bool) -> None:
    """A hundredth more or less of anything is no evidence; errors that rise are."""
    dice = random.Random(7)
    calm = [900 * dice.uniform(0.95, 1.05) for _ in range(300)]
    lines = [
        Event(
            line_first=n,
            line_last=n,
            kind="log",
            message="Too many connections",
            wall_us=T0 + (120 + n) * S,
            clock="utc",
        )
        for n in range(1, 61)
    ]
    files = {"log": lines, "qps": [gauge("metric.qps", calm)]}
    if rises:
        errors = [70.0 if 120 <= at < 180 else 0.0 for at in range(300)]
        files["errors"] = [gauge("metric.connection_errors_max_connections_per_s", errors)]
    analysis = analyse(evidence(files))
    assert [stall.shape for stall in analysis.stalls] == ["refused"]
    text = analysis.headline.text
    assert ("60 log lines report" in text) is not rises, text
    assert "fell from" not in text, text
