"""HammerDB: transactions per minute as its counter prints them, and the result of a run.

Source: transcounter and the result line of the TPROC-C and TPROC-H scripts of HammerDB 3 to 5, for
        MySQL and MariaDB.
            12801 MySQL tpm
            Vuser 1:64 Active Virtual Users configured
            Vuser 1:TEST RESULT : System achieved 210233 NOPM from 488121 MySQL TPM
Yields: hammerdb.tpm per line of the counter, and hammerdb.nopm, hammerdb.total_tpm and
        hammerdb.users of the run.
Time:   none is printed; the counter prints a line every ten seconds by default.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Skipped

NAME = "hammerdb"
TITLE = "HammerDB"
GIVES = "Transactions per minute (`hammerdb.tpm`), and the result of the run (`hammerdb.nopm`)."
PRINTED_BY = "HammerDB 3 to 5 on MySQL and MariaDB: transaction counter, test result"
VERSION = 1
HINTS = ("hammerdb.log", "hdbxtprofile.log")

_TPM = re.compile(r"\s*(?P<tpm>\d{1,12}) (?:MySQL|MariaDB) tpm\s*$")
_RESULT = re.compile(
    r"(?:Vuser \d{1,6}:)?TEST RESULT ?: System achieved (?P<nopm>\d{1,12}) NOPM"
    r" from (?P<tpm>\d{1,12}) (?:MySQL|MariaDB) TPM"
)
_USERS = re.compile(r"(?:Vuser \d{1,6}:)?(?P<users>\d{1,6}) Active Virtual Users configured")
_OTHERS = re.compile(r"\s*(?:Vuser \d{1,6}:|Hammerdb Log|Timestamp|Transaction Counter|-+\s*$)")
_INTERVAL_US = 10_000_000
_LONGEST = 500


def sniff(head: str) -> bool | None:
    """Return whether the text has lines of the counter or a result."""
    if " tpm" not in head and "NOPM" not in head:
        return False
    lines = [line[:_LONGEST] for line in head.split("\n") if line.strip()]
    return any(map(_RESULT.match, lines)) or sum(bool(_TPM.match(line)) for line in lines) >= 2


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the series of the counter and of the result."""
    columns, wall = Columns(), 0
    for number, text in enumerate(lines, start=1):
        line = text[:_LONGEST]
        if match := _TPM.match(line):
            _add(columns, "tpm", match["tpm"], wall, number)
            wall += _INTERVAL_US
        elif match := _RESULT.match(line):
            _add(columns, "nopm", match["nopm"], wall, number)
            _add(columns, "total_tpm", match["tpm"], wall, number)
        elif match := _USERS.match(line):
            _add(columns, "users", match["users"], wall, number)
        elif line.strip() and not _OTHERS.match(line):
            yield Skipped(number, number, "not a line of the counter or the result")
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()


def _add(columns: Columns, name: str, value: str, wall: int, line: int) -> None:
    unit = "users" if name == "users" else "1/min"
    columns.add(f"hammerdb.{name}", float(value), wall=wall, clock="relative", line=line, unit=unit)
