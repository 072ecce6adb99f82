"""What a group of nodes is from moment to moment: its members come and go, their part stays.

A group that hangs on one thing is followed by the place where its waiters stand. One that hangs on
another group has no such place: it is followed by its sort, which is what its members wait for or
are, where, and whether others wait behind them; and where they differ in that, by the kind alone.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping

from pileup.analysis.waits.draft import Edge

_READERS = re.compile(r"^(?:the last reader|\d+ readers?) of ")
"""How many readers a latch has changes from dump to dump; that it has some stays."""


def lasting_label(label: str) -> str:
    """'readers of dict_sys' for 'the last reader of dict_sys' and '3 readers of dict_sys'."""
    return _READERS.sub("readers of ", label)


def lasting_place(target: str, mode: str | None, position: str) -> str:
    """What a group of waiters is over time: those at one place for one thing."""
    return f"place:{target}|{mode or ''}|{position}"


def lasting_sorts(
    things: Mapping[str, tuple[str, str]], edges: Iterable[Edge], blocking: Container[str]
) -> dict[str, tuple[str, str]]:
    """Each node's sort, and the kind that it is of.

    things: kind and label by node id. blocking: those with threads behind them.
    """
    wants: dict[str, tuple[str, str, str, str]] = {}
    for edge in edges:
        if edge.kind == "waits_for" and edge.source in things and edge.target in things:
            kind, label = things[edge.target]
            want = kind, lasting_label(label), edge.mode or "", edge.position
            wants[edge.source] = min(want, wants.get(edge.source, want))
    found: dict[str, tuple[str, str]] = {}
    for name, (kind, label) in things.items():
        blocks = "|blocks" if name in blocking else ""
        if kind != "thread":
            found[name] = f"sort:{kind}|{lasting_label(label)}", f"sort:{kind}"
        elif name in wants:
            what = wants[name]
            found[name] = f"sort:waits|{'|'.join(what)}{blocks}", f"sort:waits|{what[0]}{blocks}"
        else:
            found[name] = f"sort:holds{blocks}", f"sort:holds{blocks}"
    return found
