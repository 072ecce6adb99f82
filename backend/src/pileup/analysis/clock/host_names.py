"""Recognise the spellings of one host: ports, case, a trailing dot, short and qualified names.

``shop-db:9104``, ``SHOP-DB`` and ``shop-db.example.net.`` are one host; ``db1.eu`` and ``db1.us``
are two, and then ``db1`` alone is a third. Two servers on one machine, which differ by their ports,
stay two. A name that a person gave is used as written, and never changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import polars as pl

from pileup.analysis.evidence.compact_samples import distinct

HostNote = tuple[str, str]
"""The host that a file prints, and the sentence that says why it counts as another's."""
_PORT = re.compile(r"^(?:(?P<scheme>\w+)://)?(?P<host>\[[^\]]+\]|[^:/\s]+)(?P<port>:\d{1,5})?/?$")
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|[^:\n]*+:.*")
_LOOPBACK = re.compile(r"(localhost(\.localdomain)?|127(\.\d{1,3}){3}|::1)$")


def plain(name: str) -> str:
    """Return a host's name without scheme, port, brackets, trailing dot and capitals."""
    match = _PORT.match(name.strip())
    host = match["host"].strip("[]") if match else name.strip()
    return host.rstrip(".").lower()


def is_loopback(name: str) -> bool:
    """Return whether the name means the machine that printed it, whichever that was."""
    return _LOOPBACK.match(plain(name)) is not None


def spellings(
    names: Collection[str], given: Collection[str] = (), servers: Iterable[Collection[str]] = ()
) -> dict[str, str]:
    """Map each printed name to the one name of its host.

    given: names that people gave. servers: groups of names that are different servers, whatever
    their spelling. The shortest spelling without a port names the host; what a person gave comes
    first.
    """
    apart = {name: number for number, group in enumerate(servers, start=1) for name in group}
    groups: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    wholes = _qualified({plain(name) for name in names})
    for name in names:
        key = wholes.get(plain(name), plain(name))
        groups[key, apart.get(name, 0)].add(name)
    found: dict[str, str] = {}
    for (_, number), group in groups.items():
        people = sorted(name for name in group if name in given)
        best = people[0] if people else min(group, key=_simplicity)
        if not people and not number:
            best = _without_port(best)
        found |= {name: name if name in given else best for name in group}
    return found


def rename(
    frames: Mapping[str, pl.DataFrame], names: Mapping[tuple[str | None, str], str | None]
) -> dict[str, pl.DataFrame]:
    """Return the frames with other hosts.

    names: (SHA-256 or None for every artifact, host) to the new host.
    """
    changes = {key: new for key, new in names.items() if new != key[1]}
    if not changes:
        return dict(frames)
    return {kind: _renamed(frame, changes) for kind, frame in frames.items()}


def _renamed(
    frame: pl.DataFrame, changes: Mapping[tuple[str | None, str], str | None]
) -> pl.DataFrame:
    if "host" not in frame.columns:
        return frame
    keys = ["artifact", "host"]
    pairs = distinct(frame, *keys).drop_nulls("host")
    new = [
        changes.get((sha, host), changes.get((None, host), host)) for sha, host in pairs.iter_rows()
    ]
    if new == pairs["host"].to_list():
        return frame
    table = pairs.with_columns(pl.Series("_new", new, dtype=pl.String).cast(pairs.schema["host"]))
    rows = frame.select(keys).join(table, on=keys, how="left", maintain_order="left")
    return frame.with_columns(rows["_new"].alias("host"))


def _qualified(names: set[str]) -> dict[str, str]:
    """Map a short name to the only qualified name that begins with it."""
    longer: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        if _ADDRESS.fullmatch(name):
            continue
        labels = name.split(".")
        for count in range(1, len(labels)):
            longer[".".join(labels[:count])].add(name)
    found: dict[str, str] = {}
    for name in names:
        whole = max(longer[name], key=len, default=name) if name in longer else name
        # every longer name must be a beginning of the longest: db1.eu and db1.us are two hosts
        if all(f"{whole}.".startswith(f"{other}.") for other in longer.get(name, ())):
            found[name] = whole
    return found


def _simplicity(name: str) -> tuple[int, int, bool, str]:
    return len(plain(name)), len(name), name != name.lower(), name


def _without_port(name: str) -> str:
    match = _PORT.match(name.strip())
    return match["host"].strip("[]").rstrip(".") if match else name


__all__ = ["HostNote", "is_loopback", "plain", "rename", "spellings"]
