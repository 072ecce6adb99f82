"""Say in words which number a prediction names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pileup.knowledge.series_titles import typed_title
from pileup.numerals import grouped


def predicted_number(prediction: Mapping[str, Any]) -> str:
    """Say the predicted number: 'p95 of Threads running < 20 within 600 s; disproved if > 100'.

    prediction: as stored with the experiment. '' where it names no number.
    """
    metric, op = prediction.get("metric"), prediction.get("op")
    if not metric or not op:
        return ""
    value, window_s = prediction.get("value"), prediction.get("window_s")
    size = "" if value is None or op in ("falls", "rises") else f" {_typed(value)}"
    within = "" if window_s is None else f" within {window_s:g} s"
    sign, limit = prediction.get("falsifier_op"), prediction.get("falsifier_value")
    disproved = "" if not sign or limit is None else f"; disproved if {sign} {_typed(limit)}"
    statistic = prediction.get("statistic") or "median"
    about = "about" if op == "~" else op
    return f"{statistic} of {typed_title(metric)} {about}{size}{within}{disproved}"


def _typed(value: float) -> str:
    """Return a number that a person typed with all of its digits: '1 900 000', '0.125'."""
    is_whole = float(value).is_integer() and abs(value) < 1e15
    return grouped(value) if is_whole else f"{value:.12g}"
