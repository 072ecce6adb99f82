"""Direct calls of the functions of the engine that sort, by module and function."""

from __future__ import annotations

from typing import Any

from tests.analysis.sorted_calls import (
    clocks,
    comparing,
    findings,
    mixed,
    reasoning,
    single,
    small,
    stalling,
    waiting,
)

ORDERED: dict[str, Any] = {
    **clocks.ORDERED,
    **comparing.ORDERED,
    **findings.ORDERED,
    **mixed.ORDERED,
    **reasoning.ORDERED,
    **single.ORDERED,
    **small.ORDERED,
    **stalling.ORDERED,
    **waiting.ORDERED,
}
ALSO: dict[str, Any] = {**findings.ALSO, **waiting.ALSO}
"""Calls that do not notice every sort of their function, which stays open."""
