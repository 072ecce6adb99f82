"""Parse the line that mysqladmin status prints: eight numbers of the server at once.

Source: COM_STATISTICS in dispatch_command(), sql/sql_parse.cc, of 4.1 to 9.x; MariaDB prints no
        flush tables since 10.6. com_status(), client/mysql.cc: ``status`` (\\s) of the mysql
        client prints it without the uptime, which it prints above in words.
            Uptime: 4661  Threads: 3  Questions: 200  Slow queries: 16  Opens: 88  Flush tables: 3
            Open tables: 8  Queries per second avg: 0.042                        (all on one line)
Yields: the series of ``meanings/server_counts``; of the client's ``status`` the server's version
        too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import read_ts
from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts import pairs
from pileup.formats.tables.layouts.reader import read
from pileup.formats.tables.meanings.reader import TableReader
from pileup.formats.tables.meanings.registry import is_known
from pileup.records import Item, Setting

NAME = "mysqladmin-status"
TITLE = "mysqladmin status"
GIVES = (
    "`mysql.<Variable>` as in SHOW GLOBAL STATUS; `mysqladmin.*` for numbers without a variable; "
    "the version from the client's `status`."
)
PRINTED_BY = "`mysqladmin status`, also with `-i`; `status` (`\\s`) of the mysql client"
VERSION = 3
HINTS = ("mysqladmin-status.txt",)

# Connection id:          8      Uptime:                 1 day 2 hours 1 min 20 sec
_CLIENT = re.compile(
    r"(?P<label>Connection id|Current (?:database|user|pager|role)|SSL|Using (?:outfile|delimiter)"
    r"|Server|Server version|Protocol version|Connection|(?:Server|Db|Client|Conn\.) +characterset"
    r"|UNIX socket|TCP port|Binary data as|Insert id|Compression|Protocol|Uptime):"
    r"(?P<value>[ \t].*)?$"
)
_CLIENT_BANNER = re.compile(r"-{10,}$|\S{1,200} +(?:Ver |from )\S.*$")
_WORDS = re.compile(r"(\d{1,6}) (day|hour|min|sec)")
_SECONDS = {"day": 86_400, "hour": 3_600, "min": 60, "sec": 1}
_LONGEST = 500


def sniff(head: str) -> bool | None:
    """Whether an early line is such a line and most others are, as a client prints it too."""
    lines = [line for line in head.split("\n")[:60] if line.strip() and not _is_time(line)]
    fit = sum(_is_counts(line) for line in lines)
    client = sum(_CLIENT.match(line[:_LONGEST]) is not None for line in lines)
    if fit and client >= 0.5 * len(lines):
        return True
    return fit > 0 and (fit >= 0.5 * len(lines) or lines[0].startswith("Uptime: "))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the numbers of every line."""
    reader, client = TableReader(), _Client()
    for part in read(client.without(lines), is_known=is_known):
        yield from client.drain()
        yield from reader.part(part)
    yield from client.drain()
    yield from reader.end()


class _Client:
    """Takes the lines of the client's ``status`` out of a text."""

    def __init__(self) -> None:
        self._uptime: int | None = None
        self._versions: list[Setting] = []

    def without(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the other lines; the uptime goes in front of the numbers below it."""
        for number, text in enumerate(lines, start=1):
            if len(text) > _LONGEST:
                yield text
            elif _is_counts(text):
                uptime, self._uptime = self._uptime, None
                yield text if uptime is None else f"Uptime: {uptime}  {text}"
            elif match := _CLIENT.match(text):
                self._take(match["label"], (match["value"] or "").strip(), number)
                yield ""
            else:
                yield "" if _CLIENT_BANNER.match(text) else text

    def drain(self) -> Iterator[Setting]:
        """Yield the versions since the last call."""
        versions, self._versions = self._versions, []
        yield from versions

    def _take(self, label: str, value: str, number: int) -> None:
        if label == "Uptime":
            self._uptime = _in_seconds(value)
        elif label == "Server version" and value:
            self._versions.append(
                Setting(
                    line_first=number,
                    line_last=number,
                    name="version",
                    value=value.split()[0],
                    source="mysql status",
                )
            )


def _is_counts(line: str) -> bool:
    return {"Threads", "Questions"} <= set(pairs.columns(line) or ())


def _in_seconds(words: str) -> int | None:
    """Convert '1 day 2 hours 1 min 20 sec', as nice_time() of the client prints it, to seconds."""
    found = _WORDS.findall(words)
    return sum(int(count) * _SECONDS[unit] for count, unit in found) if found else None


def _is_time(line: str) -> bool:
    return read_ts(line) is not None or read_stamp(line) is not None
