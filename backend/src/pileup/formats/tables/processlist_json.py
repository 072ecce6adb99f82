"""Parse processlists as JSON: MySQL Shell, JSON_OBJECT(), scripts; arrays or an object per line.

Source: see ``result_json``, which reads the rows; the names of the columns are in
        ``meanings.sessions``.
            {"Id":497,"User":"app","Host":"10.0.0.7:50122","db":"shop","Command":"Query","Time":3}
Yields: what ``processlist`` yields. A listing ends where an id comes again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.formats.tables import result_json
from pileup.formats.tables.meanings.sessions import is_processlist
from pileup.records import Item

NAME = "processlist-json"
TITLE = "a processlist as JSON"
GIVES = "Sessions; `processlist.sessions`, `.running`, `.state`."
PRINTED_BY = "MySQL Shell, `JSON_OBJECT()`, scripts: arrays or an object per line"
VERSION = 3
HINTS = ("processlist.json", "processlist.jsonl", "processlist.ndjson")
LONG_LINES = True


def sniff(head: str) -> bool | None:
    """Whether the head has flat objects with the columns of a processlist."""
    return any(map(is_processlist, result_json.first_tables(head)))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Session for every object with an id, and the counts of each listing.

    Raises FormatError when there is no object.
    """
    return result_json.parse(lines)
