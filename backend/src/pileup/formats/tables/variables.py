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

import itertools
import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import clock_event, read_ts
from pileup.formats.tables.layouts.headless import are_variables
from pileup.formats.tables.layouts.reader import ResultRow, ResultSet, Stray, read
from pileup.formats.tables.meanings.handlers import Where
from pileup.formats.tables.meanings.tables import Shared, TableCollector
from pileup.formats.tables.parts.status_reader import StatusReader
from pileup.formats.tables.parts.status_rows import cells, is_variable, shown
from pileup.formats.unwrapping import client_layouts
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
VERSION = 4
HINTS = ("-variables", "variables.txt")

_KNOWN = (
    "auto_increment_increment",
    "innodb_buffer_pool_size",
    "max_connections",
    "datadir",
    "basedir",
)
# | innodb_flush_log_at_trx_commit | 1 |      innodb_flush_log_at_trx_commit\t1
_TWO = re.compile(
    r"^(?:\| *)?Variable_name(?:\t| *\| *)Value\b.*\n(?:\+-.*\n)?((?:(?:\| *)?[a-z].*\n){1,20})",
    re.MULTILINE | re.IGNORECASE,
)
# | Variable_name | Value |, a rule, and the first row of SHOW STATUS LIKE '...'
_STATUS_TABLE = re.compile(
    r"^(?:\| *)?Variable_name(?:\t| *\| *)Value\b.*\n(?:\+-.*\n)?(?:\| *)?[A-Z][a-z]", re.MULTILINE
)
_VERTICAL = re.compile(r"^ *Variable_name: (?-i:[a-z])(?!srep_)\w+\n *Value: ", re.M | re.I)
_STATUS = re.compile(r"^(?:\| *)?(?:[A-Z]\w+|wsrep_\w+)[\t ]", re.MULTILINE)
_BOX = re.compile(r"\| ?(?P<name>[a-z][\w.]{0,120}) *\| ?(?P<value>.*)$", re.IGNORECASE)
_TAB = re.compile(r"(?P<name>[a-z][a-z0-9_.]{0,120})\t(?P<value>[^\t]*)$", re.IGNORECASE)
_HEADER = re.compile(r"(?:\| *)?variable_name(?:\t| *\| *)(?:variable_)?value *(?:\|)?\s*$", re.I)
_OTHER = re.compile(r"(?:[A-Z_]+\t[A-Z_\t]+|\| *[A-Z_]+ *\|(?: *[A-Z_]+ *\|)+ *)$")
_SUMMARY = re.compile(
    r"(?:pt-summary-internal-|internal::)(?P<name>\w{1,100})(?:\s+(?P<value>.*))?$"
)
_STATUS_NAME = re.compile(r"[A-Z][a-z]+_[a-z]|Com_|Uptime$|Queries$|Questions$|Connections$")
_BY_THREAD = ("thread_id", "variable_name", "variable_value")
_PAIRS = (("variable_name", "value"), ("variable_name", "variable_value"))
_WHOLE_HEAD = 4096
"""A head of more characters may end inside a row."""
_MOST_VALUE = 64 * 1024


def sniff(head: str) -> bool | None:
    """Whether the head has names that only variables have, or nothing but names in lower case."""
    if "Aborted_clients" in head:
        return False
    seen = sum(
        f"| {name} " in head or f"\n{name}\t" in head or head.startswith(f"{name}\t")
        for name in _KNOWN
    )
    if seen >= 2:
        return True
    if "variable_name" not in head.lower():
        return _are_headless(head)
    if _STATUS_TABLE.search(head):
        return False
    if _VERTICAL.search(head):
        return True
    rows = _TWO.search(head)
    return rows is not None and not _STATUS.search(rows[1])


def _are_headless(head: str) -> bool:
    """Return whether the head is names and values between tabs, without the head of the table."""
    rows = [line.split("\t") for line in head.split("\n")[:40] if line.strip()]
    rows = rows[:-1] if len(head) > _WHOLE_HEAD and len(rows) > 2 else rows
    if len(rows) < 2 or not all(len(row) == 2 for row in rows):
        return False
    named = sum(are_variables(row, row) for row in rows)
    return named >= 2 and 2 * named >= len(rows)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Setting per variable, and the records of the tables between them."""
    reader = _Reader(enumerate(lines, start=1))
    yield from reader.variables()


class _Reader:
    def __init__(self, numbered: Iterator[tuple[int, str]]) -> None:
        self._numbered = numbered
        self._global: dict[str, str | None] = {}
        self._session_values: set[tuple[str, str | None]] = set()
        self._shared = Shared()
        self._status = StatusReader()
        self._in_status = False
        self._statement: tuple[int, str] | None = None
        """The statement above the table."""

    def variables(self) -> Iterator[Item]:
        clock_yielded = False
        for number, text in self._numbered:
            bare = text.strip()
            if self._is_status(text, bare):
                yield from self._status.line(number, text)
            elif (match := _BOX.match(text)) and not _HEADER.match(bare) and not _OTHER.match(bare):
                yield self._box_setting(match, number)
            elif (match := _TAB.match(text)) and not _HEADER.match(bare) and not _OTHER.match(bare):
                value = client_layouts.unescape(match["value"]).strip()
                yield self._setting(match["name"], value, number, number)
            elif client_layouts.ROW.match(text) or _OTHER.match(bare):
                yield from self._others(number, text)
            elif match := _SUMMARY.match(bare):
                value = (match["value"] or "").strip()
                yield self._setting(f"pt_summary.{match['name']}", value, number, number)
            elif stamp := read_ts(text):
                if stamp[1] and not clock_yielded:
                    clock_yielded = True
                    yield clock_event(number, stamp[0], stamp[1])
            elif bare.lower().startswith(("select ", "show ")):
                self._statement = (number, text)
            elif bare and not _HEADER.match(bare) and not _is_decoration(text):
                yield Skipped(number, number, "not a variable and its value")
        yield from self._status.finish()

    def _is_status(self, text: str, bare: str) -> bool:
        """Whether the line follows a row of SHOW STATUS, up to the next header or variable."""
        name = "" if _HEADER.match(bare) else (cells(text) or ("",))[0]
        if name and _STATUS_NAME.match(name):
            self._in_status = True
        elif _HEADER.match(bare) or is_variable(name) or name.isupper():
            self._in_status = False
        return self._in_status

    def _box_setting(self, match: re.Match[str], number: int) -> Setting:
        """Read the variable of a box row; its value may have several lines, up to the bar."""
        parts, size, last = [match["value"].rstrip()], 0, number
        while not parts[-1].endswith("|") and size < _MOST_VALUE:
            following = next(self._numbered, None)
            if following is None:
                break
            last = following[0]
            parts.append(following[1].rstrip())
            size += len(parts[-1]) + 1
        value = "\n".join(parts)
        return self._setting(match["name"], value.removesuffix("|").strip(), number, last)

    def _others(self, number: int, text: str) -> Iterator[Item]:
        """Read tables of other columns, up to the next table of variables."""
        statement, self._statement = self._statement, None
        first, before = number, [text]
        if statement is not None and number - statement[0] < 10:
            first = statement[0]
            before = [statement[1], *[""] * (number - first - 1), text]
        table: TableCollector | None = None
        result: ResultSet | None = None
        columns: tuple[str, ...] = ()
        for part in read(itertools.chain(before, self._until_variables()), first):
            if isinstance(part, ResultSet):
                if table is not None:
                    yield from table.end()
                result, table = part, None
                columns = tuple(column.lower() for column in part.columns)
                if columns not in _PAIRS and columns != _BY_THREAD:
                    table = TableCollector(part, Where(None, None), self._shared)
            elif isinstance(part, ResultRow):
                if table is not None:
                    table.row(part)
                elif columns in _PAIRS:
                    name, value = part.values
                    yield self._setting(name or "", value, part.line_first, part.line_last)
                elif self._is_session_variable(part):
                    yield from self._session_setting(part)
                else:  # status_by_thread has the same columns
                    assert result is not None
                    table = TableCollector(result, Where(None, None), self._shared)
                    table.row(part)
            elif isinstance(part, Stray):
                yield Skipped(part.line, part.line, "not a variable and its value")
        if table is not None:
            yield from table.end()

    def _until_variables(self) -> Iterator[str]:
        for _, text in self._numbered:
            yield text if not _HEADER.match(text.strip()) else ""
            if _HEADER.match(text.strip()):
                return

    def _is_session_variable(self, row: ResultRow) -> bool:
        name = row.values[1] or ""
        return name[:1].islower() and not name.startswith("wsrep_")

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


def _is_decoration(text: str) -> bool:
    return text.startswith(("+-", "mysql", "MariaDB")) or bool(client_layouts.CHATTER.match(text))
