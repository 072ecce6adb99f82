"""Order compared series by what they mean to users: sessions, work and latency first."""

from __future__ import annotations

from collections.abc import Sequence

from pileup.analysis.contract import SidesSeries
from pileup.analysis.evidence.load_series import Role, role_of
from pileup.analysis.evidence.series import short_name
from pileup.analysis.stalls.indicators import WORK_UNITS
from pileup.knowledge.series_titles import series_title

_ROLES: tuple[Role, ...] = ("concurrency", "throughput", "latency", "refused", "errors")
"""What users feel, most important first."""
_COUNT_SESSIONS = frozenset({"sessions", "threads", "transactions"})
"""Units of series that say how many sessions are stuck, and where."""


def by_impact(rows: Sequence[SidesSeries], work: str | None = None) -> list[SidesSeries]:
    """Sort series that are sorted by how clearly they differ; that order decides among equals.

    First the best series of each role of users' load, then where sessions are, by how many more,
    then the others. A second series of one quantity, or of one role, follows all of these; what
    does not differ clearly comes last, users' load before the rest.

    work: the series by which the overview counts work; None: the one with most samples.
    """
    clear = [row for row in rows if row.clear]
    leading = _users_load(clear, work)
    shown = {_key(row) for row in leading}
    sessions = [row for row in clear if _key(row) not in shown and _counts_sessions(row)]
    sessions.sort(key=lambda row: -_difference(row))
    shown |= {_key(row) for row in sessions}
    others = [row for row in clear if _key(row) not in shown]
    seen: set[str] = set()
    first: list[SidesSeries] = []
    repeated: list[SidesSeries] = []
    for row in (*leading, *sessions, *others):
        quantity = _quantity(row)
        (repeated if quantity in seen else first).append(row)
        seen.add(quantity)
    unclear = [row for row in rows if not row.clear]
    load = _users_load(unclear, work)
    loaded = {_key(row) for row in load}
    return [*first, *repeated, *load, *(row for row in unclear if _key(row) not in loaded)]


def _users_load(rows: Sequence[SidesSeries], work: str | None) -> list[SidesSeries]:
    return [row for role in _ROLES if (row := _best(rows, role, work)) is not None]


def _best(rows: Sequence[SidesSeries], role: Role, work: str | None) -> SidesSeries | None:
    found = [
        (row.series == work, _samples(row) if role == "throughput" else 0, trust_of[1], row)
        for row in rows
        if not row.labels and (trust_of := role_of(row.series)) and trust_of[0] == role
    ]
    return max(found, key=lambda item: item[:3])[3] if found else None


def _samples(row: SidesSeries) -> int:
    return sum(level.points for level in row.levels if level is not None)


def _counts_sessions(row: SidesSeries) -> bool:
    return series_title(row.series, row.labels, row.unit).unit in _COUNT_SESSIONS


def _difference(row: SidesSeries) -> float:
    medians = [level.median for level in row.levels if level is not None]
    return max(medians) - min(medians) if medians else 0.0


def _quantity(row: SidesSeries) -> str:
    role = None if row.labels else role_of(row.series)
    if role is not None and role[0] == "concurrency" and role[1] > _OWN_QUANTITY:
        return role[0]
    unit = WORK_UNITS.get(short_name(row.series).lower())
    if role is not None and role[0] == "throughput" and unit is not None:
        return unit
    return series_title(row.series, row.labels).quantity


_OWN_QUANTITY = 0.5
"""Up to this trust a series of a role measures something of its own: latch waits, transactions."""


def _key(row: SidesSeries) -> tuple[str, str]:
    return row.series, row.labels


__all__ = ["by_impact"]
