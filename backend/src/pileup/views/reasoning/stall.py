"""Read the incident's main stall as its analysis stored it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from pileup import analysis
from pileup.analysis import contract
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.times import parse
from pileup.storage.database import Unit
from pileup.storage.incidents.analyses import Analyses


@dataclass(frozen=True, slots=True)
class Stall:
    """Time range of a stall, and the quiet range to compare it with."""

    span: Span
    baseline: Span | None


def stored_stall(unit: Unit, incident_id: str) -> Stall | None:
    """Return the incident's leading stall; None without an analysis or without a stall."""
    parts = Analyses(unit).parts(incident_id, "stalls")
    if parts is None:
        return None
    stalls = msgspec.convert(parts["stalls"] or [], list[contract.StallDoc])
    main = analysis.main_stall(stalls)
    return None if main is None else stall_of(main)


def stall_of(main: contract.StallDoc) -> Stall:
    """Return the times of a stall; one whose end was not captured ends with its capture."""
    onset, quiet = parse(main.onset), main.baseline
    end = parse(main.end) if main.end else onset + round((main.duration_s or 0.0) * 1e6)
    baseline = Span(parse(quiet.start), parse(quiet.end)) if quiet else None
    return Stall(Span(onset, end), baseline)
