"""Write the headline of a wait graph: its first root and what that blocks, or a deadlock.

Numbers of the first root cover only the threads behind it, not long waits behind other roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pileup.analysis.contract import WaitNode
from pileup.analysis.waits.counts import Counts
from pileup.analysis.waits.draft import Graph


def headline(graph: Graph, counts: Counts, waiters: int, top: WaitNode | None, others: int) -> str:
    """Write a headline such as 'Trx 26478 · session 390 (idle in transaction 26 s) blocks 300
    threads for at least 26 s; 1 more root.'

    A deadlock comes first if more threads wait in it and behind it than behind any root.

    top: the first root; None without one. others: further roots.
    """
    if not waiters:
        return "Nobody waits at this moment."
    circles = [_circle(members, graph, counts) for members in deadlocks(graph, counts)]
    if top is None and not circles:
        waits = "1 session waits" if waiters == 1 else f"{waiters} sessions wait"
        return f"{waits}; what blocks them seems to wait for itself."
    most, circle = max(circles, key=lambda circle: circle[0], default=(0, ""))
    if top is None or most > top.blocks_total:
        more = [_more(len(circles) - 1, "deadlock"), _more(others + 1, "root blocker")]
        return f"{circle}{''.join(more)}."
    behind = _behind(top.id, graph)
    depth = max((counts.levels[name] for name in behind), default=1)
    acts = top.id in graph.actors
    threads = "1 thread" if top.blocks_total == 1 else f"{top.blocks_total} threads"
    sentence = f"{top.label[0].upper()}{top.label[1:]}"
    sentence += f" ({top.detail})" if top.detail and acts else ""
    sentence += f" blocks {threads}" if acts else f" has {threads} behind it"
    sentence += f" through {depth} levels" if depth > 1 else ""
    seconds = at_least(top.id, graph) or 0.0
    sentence += f" for at least {seconds:.0f} s" if seconds >= 1 else ""
    sentence += " (inferred)" if top.inferred else ""
    sentence += _more(others, "root")
    return f"{sentence}; {circle}." if circle else f"{sentence}."


def deadlocks(graph: Graph, counts: Counts) -> list[Sequence[str]]:
    """Return the cycles in which threads wait for each other.

    One thread alone in a cycle is no deadlock: one of its edges is a guess that is wrong.
    """
    waiting = graph.waiting()
    return [members for members in counts.cycles if sum(name in waiting for name in members) > 1]


def _more(others: int, what: str) -> str:
    return f"; {others} more {what}{'s' if others > 1 else ''}" if others > 0 else ""


def _circle(members: Sequence[str], graph: Graph, counts: Counts) -> tuple[int, str]:
    """Return the number of threads in and behind a cycle, and its description."""
    waiting = graph.waiting()
    inside = sum(name in waiting for name in members)
    # Count behind the resources: a thread of the cycle does not wait behind itself.
    everyone = max((counts.total[name] for name in members if name not in waiting), default=inside)
    words = f"{inside} threads wait in a circle: a deadlock"
    return everyone, f"{words}, {everyone - inside} more behind it" if everyone > inside else words


def _behind(name: str, graph: Graph, *, through: bool = True) -> set[str]:
    """Return the threads behind a node; not ``through``: only those without a thread between."""
    seen, left, names = {name}, [name], set()
    while left:
        here = left.pop()
        for edge in graph.touching.get(here, ()):
            if edge.target != here or edge.source in seen:
                continue
            seen.add(edge.source)
            if edge.source in graph.actors:
                names.add(edge.source)
            if through or edge.source not in graph.actors:
                left.append(edge.source)
    return names


def at_least(root: str, graph: Graph) -> float | None:
    """Return the longest wait for what ``root`` holds, in seconds; None if unknown.

    It is at most the age of the root's transaction: earlier, another session was the holder.
    """
    longest = _longest(_behind(root, graph, through=False), graph)
    actor = graph.actors.get(root)
    active = actor.trx["active_s"] if actor and actor.trx else None
    return longest if longest is None or active is None else min(longest, active)


def _longest(names: Iterable[str], graph: Graph) -> float | None:
    return max(
        (
            edge.waited_s
            for name in names
            for edge in graph.touching.get(name, ())
            if edge.kind == "waits_for" and edge.source == name and edge.waited_s is not None
        ),
        default=None,
    )


__all__ = ["at_least", "deadlocks", "headline"]
