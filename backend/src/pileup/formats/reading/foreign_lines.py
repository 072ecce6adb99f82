"""Tell lines that begin the output of another tool from the rest of a value or a statement."""

from __future__ import annotations

import re

# [1209312.120011] INFO: ...        procs -----------memory------        top - 09:12:44 up
# [Tue May 14 11:12:44 2024] ...
# May 14 11:12:44 db-7 kernel: ...  2024-05-14T09:12:45.120331Z 12 [Warning] ...
_FOREIGN = re.compile(
    r"\[ *\d{1,9}\.\d{3,6}\] |\[(?:[A-Z][a-z]{2} ){2}[ \d]\d \d\d:\d\d:\d\d \d{4}\] "
    r"|procs -{3}|top - \d|Linux \d[\w.-]* \(|avg-cpu: |Thread \d{1,9} \("
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,64} [\w./-]{1,64}(?:\[\d{1,9}\])?: "
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S* \d{1,18} \[|={20,}\s*$|# Time: \d|---TRANSACTION "
)


def is_foreign(line: str) -> bool:
    """Return whether a line begins like a log or the output of a tool, and unlike SQL."""
    return _FOREIGN.match(line) is not None


__all__ = ["is_foreign"]
