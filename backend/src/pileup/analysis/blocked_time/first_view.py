"""The first view of the wait graph's screen: all moments, and the graph of the worst one.

The worker builds it once per analysis, because a graph of thousands of nodes takes most of a second
and this is the graph that every visitor opens first.
"""

from __future__ import annotations

import msgspec

from pileup.analysis.blocked_time.moment_roots import whole_graph
from pileup.analysis.contract import Analysis, WaitGraph, WaitPersistence
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.stacks import same_samples
from pileup.analysis.stalls.documents import main_stall, telling_time
from pileup.analysis.waits.moments import WaitMoment, moments
from pileup.analysis.waits.persistence import lasting_in
from pileup.analysis.waits.view import shown


class FirstWaits(msgspec.Struct, frozen=True):
    """The responses that the screen requests first."""

    at_us: int | None
    """UTC µs of the moment that shows the main stall best; None: of the capture's worst."""
    moments: list[WaitMoment]
    graph: WaitGraph
    """Folded if it has many nodes; no group opened, no search."""
    lasting: WaitPersistence | None
    """Persistence of the nodes that ``graph`` shows."""


def first_waits(evidence: Evidence, analysis: Analysis) -> FirstWaits:
    """Build the first view from an incident's evidence and its analysis."""
    evidence = same_samples.without_repeated(evidence)
    at_us = telling_time(main_stall(analysis.stalls), analysis.roots)
    whole = whole_graph(evidence, at_us, analysis.roots)
    graph = shown(whole)
    lasting = analysis.persistence
    return FirstWaits(
        at_us=at_us,
        moments=moments(evidence),
        graph=graph,
        lasting=lasting_in(lasting, whole, graph) if lasting else None,
    )
