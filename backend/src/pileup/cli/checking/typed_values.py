"""Count the numbers of a bundle that people typed, so that nothing can compute them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pileup.cli.checking.bundle import Bundle

_NUMBER = re.compile(r"(?<![\w-])\d+(?:[.,\u2009]\d+)*")
_REFERENCE = re.compile(r"\[\^[^\]]*\]|\(pin:[^)]*\)|^::.*$", re.MULTILINE)
"""Sources and live blocks of a text, which are computed."""


def typed(bundle: Bundle) -> list[tuple[str, int]]:
    """Return where typed numbers are, and how many; kinds without any are left out."""
    rows = bundle.rows
    experiments = rows("experiments")
    hypotheses = rows("hypotheses")
    sources: list[tuple[str, Iterable[Any]]] = [
        (
            "in texts that people wrote or edited: sections of the report, summary, conclusions",
            (
                _REFERENCE.sub("", row["text"])
                for row in rows("live_texts")
                if row.get("edited", True)
            ),
        ),
        (
            "observed by a person at an experiment",
            (_observed(experiment) for experiment in experiments),
        ),
        (
            "in what an experiment changed and predicted",
            (
                (
                    experiment["title"],
                    experiment["change"],
                    experiment["parameters"],
                    experiment["prediction"],
                )
                for experiment in experiments
            ),
        ),
        (
            "in hypotheses and what would refute them",
            ((hypothesis["statement"], hypothesis["falsifier"]) for hypothesis in hypotheses),
        ),
        ("of confidence, with its reasons", _confidences(bundle)),
        ("of rating", (1 for row in rows("ratings") if row["rating"])),
        ("in notes on the timeline", (row["text"] for row in rows("annotations"))),
        ("in action items", (row["text"] for row in rows("action_items"))),
        (
            "in testimony and titles of pins",
            (
                (row["title"], row["excerpt"] if row["evidence_kind"] == "testimony" else None)
                for row in rows("pins")
            ),
        ),
        ("in notes on evidence", (row["note"] for row in rows("evidence"))),
    ]
    counted = ((what, sum(map(_numbers, values))) for what, values in sources)
    return [(what, many) for what, many in counted if many]


def _observed(experiment: dict[str, Any]) -> Iterator[Any]:
    seen = experiment["observation"] or {}
    yield from (seen.get("value"), seen.get("text"), experiment["overruled_because"])


def _confidences(bundle: Bundle) -> Iterator[Any]:
    for row in bundle.rows("confidence_steps"):
        yield row["confidence"]
        yield row["reason"]


def _numbers(value: Any) -> int:
    match value:
        case bool() | None:
            return 0
        case int() | float():
            return 1
        case str():
            return sum(1 for _ in _NUMBER.finditer(value))
        case dict():
            return sum(map(_numbers, value.values()))
        case Iterator() | list() | tuple():
            return sum(map(_numbers, value))
    return 0
