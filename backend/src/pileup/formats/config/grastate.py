"""grastate.dat: where a node of a Galera cluster stopped, and whether it may bootstrap.

Source: galera's SavedState: 'seqno: -1' is a node that runs or crashed.
Yields: Settings with source grastate, named as printed: version, uuid, seqno, safe_to_bootstrap.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Item, Problem, Setting

NAME = "grastate"
TITLE = "grastate.dat"
GIVES = "The state of a Galera node, as settings."
PRINTED_BY = "Galera 3 and 4: `grastate.dat` in the data directory"
VERSION = 1
HINTS = ("grastate.dat",)

_LINE = re.compile(
    r"\s*(?P<name>version|uuid|seqno|safe_to_bootstrap|cert_index):\s*(?P<value>\S.{0,80})?$"
)
_SNIFF = re.compile(
    r"^[^\S\n]*+(?:#? ?GALERA saved state\b|safe_to_bootstrap:\s*[01]\s*$)", re.MULTILINE
)
_MOST_LINES = 20
_LONGEST = 200


def sniff(head: str) -> bool | None:
    """Return whether the first lines are those of the state, with a position."""
    first = "\n".join(head.split("\n")[:_MOST_LINES])
    return "seqno:" in first and bool(_SNIFF.search(first))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Setting per line; a line of another shape is a Problem."""
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if match := _LINE.match(text):
            yield Setting(
                line_first=number,
                line_last=number,
                name=match["name"],
                value=match["value"],
                source=NAME,
            )
        elif text.strip() and not text.lstrip().startswith(("#", "$")):
            yield Problem(number, "Not a line of grastate.dat; it is left out.", found=raw[:200])
