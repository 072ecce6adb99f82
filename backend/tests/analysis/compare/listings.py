"""Processlists every second, in which so many sessions have each State."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pileup.analysis import Evidence
from pileup.records import Record, Session, Snapshot
from tests.analysis.frames import T0, S, evidence

States = Mapping[str, int]


def listed(
    states: States,
    seconds: int,
    *,
    host: str | None = None,
    more: Sequence[tuple[States, str]] = (),
) -> Evidence:
    """List the sessions of one host, or of several."""
    return evidence(
        {
            f"list {at}": _lists(of, seconds, name)
            for at, (of, name) in enumerate([(states, host), *more])
        }
    )


def _lists(states: States, seconds: int, host: str | None) -> list[Record]:
    found: list[Record] = []
    for second in range(seconds + 1):
        when = {"wall_us": T0 + second * S, "clock": "utc", "snapshot": second, "host": host}
        found.append(Snapshot(line_first=1, line_last=9, kind="processlist", **when))  # type: ignore[arg-type]
        names = [state for state, count in states.items() for _ in range(count)]
        found += [
            Session(
                line_first=1, line_last=1, session_id=at + 10, user="app", command="Query",
                state=state, query="select 1", **when,  # type: ignore[arg-type]
            )
            for at, state in enumerate(names)
        ]  # fmt: skip
    return found
