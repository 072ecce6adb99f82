"""Where the time behind latches and locks ends: what is a root, and what only passes time on.

A few threads may wait for a latch directly while everybody else waits behind them: what counts is
the time that ends at it. Which members a finding is about does not belong here: see ``impacts``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pileup.analysis.blocked_time.measure import BlockedTime
from pileup.analysis.blocked_time.population import Member

Select = Callable[[Member], bool]
_READERS = "readers:"
_PASSED_ON = 0.5
"""Most of the time behind something that ends at it, where it only passes time on."""
_APART = 0.25
"""Most of the time behind something that is not behind what explains it."""
_OWN = 0.5
"""Least of the time behind something that ends at it, for it to explain others."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A latch at which blocked time ends: at its holder, or at itself."""

    latch: str
    label: str
    share: float
    """Of the active-session seconds."""


def endings(blocked: BlockedTime | None) -> tuple[Ending, ...]:
    """Return the single latches at which time ends, most first."""
    if blocked is None:
        return ()
    shares: defaultdict[str, float] = defaultdict(float)
    members: dict[str, Member] = {}

    def collect(name: str, member: Member, share: float) -> None:
        if member.latch and member.kind == "resource":
            name = name.removeprefix(_READERS)
            shares[name] += share
            members.setdefault(name, member)

    _each(blocked, collect)
    found = [Ending(members[n].latch or n, members[n].label, share) for n, share in shares.items()]
    return tuple(sorted(found, key=lambda ending: (-ending.share, ending.label)))


def ends_at(blocked: BlockedTime, select: Select) -> float:
    """Return the share of active-session seconds that end at what is selected, or its holder."""
    shares = [0.0]

    def collect(_: str, member: Member, share: float) -> None:
        if select(member):
            shares.append(share)

    _each(blocked, collect)
    return min(1.0, sum(shares))


def passes_on(blocked: BlockedTime | None, selects: Mapping[str, Select]) -> dict[str, str]:
    """Return by finding the other one at whose root its time ends.

    selects: by finding, what it names. Only findings whose time flows on are in the answer.
    """
    if blocked is None or len(selects) < 2:
        return {}
    ending = {name: ends_at(blocked, select) for name, select in selects.items()}
    through = {name: _through(blocked, select) for name, select in selects.items()}
    roots = [name for name, whole in through.items() if whole and ending[name] >= _OWN * whole]
    roots.sort(key=lambda name: (-ending[name], name))
    found = {}
    for name, select in selects.items():
        whole = through[name]
        if not whole or ending[name] >= _PASSED_ON * whole:
            continue
        for root in roots:
            other = selects[root]
            either = _through(blocked, lambda member: select(member) or other(member))  # noqa: B023  (called at once)
            if either - through[root] <= _APART * whole:
                found[name] = root
                break
    return found


def _through(blocked: BlockedTime, select: Select) -> float:
    share = blocked.share_of(select)
    return 0.0 if share is None else share.value


def _each(blocked: BlockedTime, collect: Callable[[str, Member, float], None]) -> None:
    """Give each node at which time ends, or through which it reaches a holder, with its share."""
    total = sum(moment.weight for moment in blocked.moments if moment.active > 0)
    for moment in blocked.moments:
        if moment.active <= 0 or total <= 0:
            continue
        members = moment.flow.population.members
        part = blocked.part * moment.weight / total / moment.active
        for end in moment.flow.ends():
            gates = end.gates or dict.fromkeys(end.names, 1.0)
            whole = sum(gates.values())
            for name, amount in gates.items():
                if (member := members.get(name)) is not None and whole > 0:
                    collect(name, member, end.sessions * amount / whole * part)


__all__ = ["Ending", "Select", "endings", "ends_at", "passes_on"]
