"""Rule for the memory of machines with several NUMA nodes (numa-imbalance)."""

from __future__ import annotations

from pileup.analysis.evidence.levels import Level
from pileup.analysis.findings.observed import Observed
from pileup.analysis.findings.rules import Match, Rule, graded
from pileup.analysis.findings.words import share
from pileup.numerals import number

_EMPTY, _ROOMY = 0.02, 0.05
"""Free memory over size: of the node that is used up, and of one that has room all the same."""
_UNEVEN = 0.75
"""Part of a process's memory on one node, from which on it is not spread."""
_SWAPS = 100.0
"""Pages per second that go to swap or come back, from which on it is no chance."""


def numa_imbalance(observed: Observed) -> Match | None:
    """Match a node without free memory beside one with plenty, or a process on one node."""
    nodes, process = _nodes(observed), _of_process(observed)
    if not nodes and not process:
        return None
    swaps = max(
        (level.inside or 0.0 for level in observed.levels_named(("si", "so", "pswpin", "pswpout"))),
        default=0.0,
    )
    parts = []
    if nodes:
        full, roomy = nodes
        parts.append(
            f"node {_label(full)} has {number((full.inside or 0.0) / 1024)} MiB free, "
            f"node {_label(roomy)} {number((roomy.inside or 0.0) / 1024)} MiB"
        )
    if process:
        parts.append(f"{share(process[1])} of the process is on node {_label(process[0])}")
    if swaps >= _SWAPS:
        parts.append(f"{number(swaps)} pages per second are swapped")
    score = graded((bool(nodes), 0.3), (process is not None, 0.3), (swaps >= _SWAPS, 0.25))
    why = f"The memory is uneven: {', and '.join(parts)}."
    first = nodes[0] if nodes else process[0]  # type: ignore[index]  # one of them is known
    return Match("numa-imbalance", score, why, (observed.series(first, parts[0]),))


def _nodes(observed: Observed) -> tuple[Level, Level] | None:
    """Return the fullest and the roomiest node, where the first is used up and the other not."""
    sizes = {
        level.labels: level.inside or 0.0
        for level in observed.levels_named(["size"])
        if level.series.startswith("numactl.")
    }
    free = [
        level
        for level in observed.levels_named(["free"])
        if level.series.startswith("numactl.") and sizes.get(level.labels)
    ]
    if len(free) < 2:
        return None
    free.sort(key=lambda level: (level.inside or 0.0) / sizes[level.labels])
    parts = [(level.inside or 0.0) / sizes[level.labels] for level in (free[0], free[-1])]
    return (free[0], free[-1]) if parts[0] <= _EMPTY and parts[1] >= _ROOMY else None


def _of_process(observed: Observed) -> tuple[Level, float] | None:
    """Return the node with most of one process by ``numastat -p``, and its part."""
    levels = [
        level
        for level in observed.levels_named(["private"])
        if level.series.startswith("numastat.") and level.labels
    ]
    whole = sum(level.inside or 0.0 for level in levels)
    if len(levels) < 2 or whole <= 0:
        return None
    most = max(levels, key=lambda level: level.inside or 0.0)
    part = (most.inside or 0.0) / whole
    return (most, part) if part >= _UNEVEN else None


def _label(level: Level) -> str:
    return level.labels.rpartition("=")[2]


RULES: dict[str, Rule] = {"numa-imbalance": numa_imbalance}
