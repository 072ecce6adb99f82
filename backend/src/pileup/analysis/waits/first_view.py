"""What the wait graph's screen shows first: the moments, and the worst of them as it opens.

The worker makes it once per analysis: a graph of thousands takes most of a second, and whoever
opens the screen after a bad night waits for exactly this one.
"""

from __future__ import annotations

import msgspec

from pileup.analysis.contract import Analysis, WaitGraph, WaitPersistence
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stalls.documents import main_stall, worst_time
from pileup.analysis.waits.moment_graph import whole_graph
from pileup.analysis.waits.moments import WaitMoment, moments
from pileup.analysis.waits.persistence import lasting_in
from pileup.analysis.waits.view import shown


class FirstWaits(msgspec.Struct, frozen=True):
    """The first answers, as the screen would get them by asking."""

    at_us: int | None
    """UTC µs of the worst moment of the main stall; None: of the capture, as no stall has one."""
    moments: list[WaitMoment]
    graph: WaitGraph
    """Folded where it has many nodes, nothing opened, nothing looked for."""
    lasting: WaitPersistence | None
    """Of the nodes that ``graph`` shows."""


def first_waits(evidence: Evidence, analysis: Analysis) -> FirstWaits:
    """Of an incident's evidence and the analysis made from it."""
    at_us = worst_time(main_stall(analysis.stalls))
    whole = whole_graph(evidence, at_us)
    graph = shown(whole)
    lasting = analysis.persistence
    return FirstWaits(
        at_us=at_us,
        moments=moments(evidence),
        graph=graph,
        lasting=lasting_in(lasting, whole, graph) if lasting else None,
    )
