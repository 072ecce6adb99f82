"""Named values of a server in a sentence: `Seconds_Behind_Source = 37020`, Threads_running: 240.

Source: posts and tickets that quote single values of SHOW REPLICA STATUS and SHOW GLOBAL STATUS.
Note:   a name in its own spelling, a sign or a verb, and a value; a threshold (``>``) is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONGEST = 2_000
_NAME = (
    r"(?:Seconds_Behind_(?:Master|Source)|(?:Slave|Replica)_(?:IO|SQL)_Running"
    r"|Threads_(?:running|connected)|Max_used_connections|Aborted_(?:clients|connects)"
    r"|(?:Innodb|Com|Handler|Created|Opened|Select|Sort|Table|wsrep)_[a-z_]{3,60})"
)
_VALUE = r"(?P<value>\d{1,18}(?:\.\d{1,9})?|Yes|No|Connecting)(?![\w%]|\.\d)"
_NAMED = re.compile(
    rf"(?<![\w.@])(?P<name>{_NAME})\b[`'\"]{{0,2}}\s{{0,3}}"
    rf"(?:=|:|\bis\b(?: at)?|\bwas\b|\breached\b|\bat\b)\s{{0,3}}[`'\"]{{0,2}}{_VALUE}"
)
_OF_REPLICA = ("Seconds_Behind_", "Slave_", "Replica_")


def values_in(line: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a line with their values."""
    for match in _NAMED.finditer(line[:_LONGEST]):
        yield match["name"], match["value"]


def is_of_replica(name: str) -> bool:
    """Return whether SHOW REPLICA STATUS prints a name; any other is of SHOW GLOBAL STATUS."""
    return name.startswith(_OF_REPLICA)


__all__ = ["is_of_replica", "values_in"]
