"""Parse SHOW GLOBAL VARIABLES in any layout of the client, and pt-stalk's -variables.

Source: the mysql client; pt-stalk echoes each statement before its table and adds tables of
        performance_schema behind it: variables_by_thread, user_variables_by_thread,
        status_by_thread. pt-mysql-summary adds its own pt-summary-internal-* lines.
Yields: a Setting per variable; the last value of a name wins where a file has several. A session's
        own value is a Setting ``session.<name>`` where it differs from the global one, once per
        value, with the first thread that has it. Rows of SHOW STATUS behind them are read as such.
        Other tables between them are kept as tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pileup.formats.reading.pt_stalk_samples import clock_event
from pileup.formats.tables.layouts.headless import pair
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet, Stray, read
from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.handlers import Where
from pileup.formats.tables.meanings.server_variables import is_variable, shown
from pileup.formats.tables.meanings.status import StatusReader
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.records import Item, Setting, Skipped

NAME = "variables"
TITLE = "SHOW GLOBAL VARIABLES"
GIVES = (
    "Settings: the variables in force; values of single sessions as `session.<name>`; status rows "
    "after them as `mysql.<Variable>`."
)
PRINTED_BY = (
    "`SHOW VARIABLES`, `mysqladmin variables`; box, tabs, `\\G`; pt-stalk, pt-mysql-summary"
)
VERSION = 5
HINTS = ("-variables", "variables.txt")

_SUMMARY = re.compile(
    r"(?:pt-summary-internal-|internal::)(?P<name>\w{1,100})(?:\s+(?P<value>.*))?$"
)
_STATUS_NAME = re.compile(r"[A-Z][a-z]+_[a-z]|Com_|Uptime$|Queries$|Questions$|Connections$")
_NAME = re.compile(r"[A-Za-z][\w.]{0,120}")
_NOT_ONE = "not a variable and its value"
_BY_THREAD = ("thread_id", "variable_name", "variable_value")
_PAIRS = (("variable_name", "value"), ("variable_name", "variable_value"))


def sniff(head: str) -> bool | None:
    """Whether a table of the head is of variables and their values, in any layout."""
    return format_of(head) == NAME


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Setting per variable, and the records of the tables between them."""
    yield from _Reader().items(lines)


class _Reader:
    """Reads rows of names and values, in any layout, and the tables between them."""

    def __init__(self) -> None:
        self._global: dict[str, str | None] = {}
        self._session_values: set[tuple[str, str | None]] = set()
        self._shared = Shared()
        self._status = StatusReader()
        self._in_status = False
        self._clock_yielded = False
        self._summary: list[Setting] = []
        self._table: TableCollector | None = None
        """Collects the current result, when it is of other columns."""

    def items(self, lines: Iterable[str]) -> Iterator[Item]:
        for part in read(self._without_summary(lines), is_known=_are_pairs):
            yield from self._drain()
            if isinstance(part, ResultSet):
                yield from self._begin(part)
            elif isinstance(part, ResultRow):
                yield from self._row(part)
            elif isinstance(part, Stray):
                yield from self._stray(part.line, part.text)
            elif part.is_ts and part.local and not self._clock_yielded:
                self._clock_yielded = True
                yield clock_event(part.line, part.wall_us, part.local)
        yield from self._end_table()
        yield from self._drain()
        yield from self._status.finish()

    def _without_summary(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines of tables; those that pt-mysql-summary adds are settings of their own."""
        for number, text in enumerate(lines, start=1):
            if match := _SUMMARY.match(text.strip()):
                value = (match["value"] or "").strip()
                name = f"pt_summary.{match['name']}"
                self._summary.append(self._setting(name, value, number, number))
                text = ""
            yield text

    def _drain(self) -> Iterator[Item]:
        found, self._summary = self._summary, []
        yield from found

    def _begin(self, result: ResultSet) -> Iterator[Item]:
        yield from self._end_table()
        self._in_status = False
        if _are_pairs(result.columns) or _columns(result) == _BY_THREAD:
            return
        if len(result.columns) == 2 and not result.columns[0].isupper():  # rows without their head
            yield from self._variable(*result.columns, result.line, result.line)
        else:
            self._table = TableCollector(result, Where(None, None), self._shared)

    def _end_table(self) -> Iterator[Item]:
        table, self._table = self._table, None
        if table is not None:
            yield from table.end()

    def _row(self, row: ResultRow) -> Iterator[Item]:
        if self._table is not None:
            self._table.row(row)
        elif len(row.values) == 2:
            name, value = row.values
            shown_null = value if value is not None else "NULL"
            yield from self._variable(name or "", shown_null, row.line_first, row.line_last)
        elif is_variable(row.values[1] or ""):
            yield from self._session_setting(row)
        else:  # status_by_thread has the same columns
            self._table = TableCollector(row.result, Where(None, None), self._shared)
            self._table.row(row)

    def _stray(self, number: int, text: str) -> Iterator[Item]:
        """Read a row that no layout takes for a part of a table: it has no head, or it is cut."""
        if found := pair(text):
            yield from self._variable(*found, number, number)
        else:
            yield Skipped(number, number, _NOT_ONE)

    def _variable(self, name: str, value: str, first: int, last: int) -> Iterator[Item]:
        """Read a name and its value: a row of SHOW STATUS, and those behind it, are counters."""
        if _STATUS_NAME.match(name):
            self._in_status = True
        elif is_variable(name) or name.isupper():
            self._in_status = False
        if self._in_status:
            yield from self._status.row(name, value.strip(), first)
        elif not _NAME.fullmatch(name) or "\t" in value:
            yield Skipped(first, last, _NOT_ONE)
        else:
            yield self._setting(name, value.strip(), first, last)

    def _session_setting(self, row: ResultRow) -> Iterator[Item]:
        thread, name, value = row.values
        name = (name or "").lower()
        if self._global.get(name, value) == value or (name, value) in self._session_values:
            return
        self._session_values.add((name, value))
        yield Setting(
            line_first=row.line_first,
            line_last=row.line_last,
            name=f"session.{name}",
            value=shown(name, value),
            source="performance_schema.variables_by_thread",
            section=f"thread {thread}",
        )

    def _setting(self, name: str, value: str | None, first: int, last: int) -> Setting:
        name = name.lower()
        self._global[name] = value
        return Setting(
            line_first=first,
            line_last=last,
            name=name,
            value=shown(name, value),
            source="SHOW VARIABLES",
        )


def _columns(result: ResultSet) -> tuple[str, ...]:
    return tuple(column.lower() for column in result.columns)


def _are_pairs(names: Sequence[str]) -> bool:
    return tuple(name.strip().lower() for name in names) in _PAIRS
