"""A predicted number is said in words, with its quantity's title and everything that was typed."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.views.reasoning.predicted import predicted_number


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        ({}, ""),
        ({"metric": "metric.Threads_running"}, ""),  # still to be completed
        (
            {"metric": "metric.Threads_running", "op": "<", "value": 20.0},
            "median of Threads running < 20",
        ),
        (
            {"metric": "mysql.Threads_running@db-1", "op": "falls", "value": 7, "statistic": "max"},
            "max of Threads running on db-1 falls",
        ),
        (
            {
                "metric": "disk stalls per hour",
                "op": "~",
                "value": 0.125,
                "statistic": "p95",
                "window_s": 600.0,
                "falsifier_op": ">",
                "falsifier_value": 1_900_000.0,
            },
            "p95 of disk stalls per hour about 0.125 within 600 s; disproved if > 1 900 000",
        ),
    ],
)
def test_a_predicted_number(prediction: dict[str, Any], words: str) -> None:
    assert predicted_number(prediction).replace("\u202f", " ").replace("\xa0", " ") == words
