"""Keys that identify a group of nodes over several moments, while its members come and go.

A group that waits for one resource is identified by the position of its waiters. A group behind
another group has no such position: its key is its role (what its members wait for or are, where,
and whether others wait behind them) or, if they differ in that, their kind alone.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping

from pileup.analysis.waits.draft import Edge

_READERS = re.compile(r"^(?:the last reader|\d+ readers?) of ")
"""The number of readers changes from dump to dump, so it is no part of a key."""


def lasting_label(label: str) -> str:
    """Drop the number of readers: 'readers of dict_sys' for '3 readers of dict_sys'."""
    return _READERS.sub("readers of ", label)


def lasting_place(target: str, mode: str | None, position: str) -> str:
    """Return the key of a group of waiters: resource, mode and source position."""
    return f"place:{target}|{mode or ''}|{position}"


def lasting_sorts(
    things: Mapping[str, tuple[str, str]], edges: Iterable[Edge], blocking: Container[str]
) -> dict[str, tuple[str, str]]:
    """Return each node's key by role and its key by kind.

    things: kind and label by node id. blocking: ids of nodes with threads behind them.
    """
    wants: dict[str, tuple[str, str, str, str]] = {}
    for edge in edges:
        if edge.kind == "waits_for" and edge.source in things and edge.target in things:
            kind, label = things[edge.target]
            want = kind, lasting_label(label), edge.mode or "", edge.position
            wants[edge.source] = min(want, wants.get(edge.source, want))
    sorts: dict[str, tuple[str, str]] = {}
    for name, (kind, label) in things.items():
        blocks = "|blocks" if name in blocking else ""
        if kind != "thread":
            sorts[name] = f"sort:{kind}|{lasting_label(label)}", f"sort:{kind}"
        elif name in wants:
            what = wants[name]
            sorts[name] = f"sort:waits|{'|'.join(what)}{blocks}", f"sort:waits|{what[0]}{blocks}"
        else:
            sorts[name] = f"sort:holds{blocks}", f"sort:holds{blocks}"
    return sorts
