"""The roots as nodes of the wait graph, with how often each blocks (``blockers``)."""

from __future__ import annotations

import msgspec

from pileup.analysis.blocked_time.measure import BlockedTime
from pileup.analysis.blocked_time.roots import kind_of
from pileup.analysis.contract import BlockerDoc
from pileup.analysis.evidence.times import iso
from pileup.analysis.waits.tally import persistence


def blockers(blocked: BlockedTime) -> list[BlockerDoc]:
    """List the roots that are nodes of the wait graph, in the order of the table."""
    counted = blocked.tally
    of, among = len(counted.choice.chosen), counted.choice.among
    docs = []
    for root in blocked.roots:
        described, origin = blocked.table.described(root)
        if described is None or not described.node.blocks_total:
            continue
        node, lasting = described.node, counted.origins[origin]
        nodes = max(1, len(counted.members.get(origin, ())))
        docs.append(
            BlockerDoc(
                kind="cycle" if root.kind == "cycle" else kind_of(node),
                id=node.id,
                holder=root.label,
                time=root.time,
                blocks_direct=node.blocks_direct,
                blocks_total=node.blocks_total,
                seen=root.moments,
                blocking=lasting.blocking,
                of=of,
                among=among,
                waiters=described.waiters,
                nodes=nodes,
                why=root.why,
                evidence=[
                    msgspec.structs.replace(each, text=f"{node.label} blocks {node.blocks_total}")
                    for each in node.locators[:2]
                ],
                inferred=node.inferred,
                blocked_thread_s=round(lasting.cost_s, 1),
                first=iso(lasting.first),
                last=iso(lasting.last),
                confidence=root.confidence,
                persistence=persistence(root.moments, lasting.blocking, among, nodes),
                amplification=described.amplification,
                root=root.key,
                share=root.share,
            )
        )
    return docs


__all__ = ["blockers"]
