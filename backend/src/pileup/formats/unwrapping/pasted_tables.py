r"""Convert results of the server that are no lines of cells to rows of \G.

Source: ``mysql --html`` and web pages; ``mysql --xml``; rows of \G that lost the blanks in front
        of their keys, or the line of stars, on a web page.
Gives:  \G rows, which the layouts of tables read. Boxes, Markdown, CSV and columns of blanks are
        layouts themselves (``tables/layouts``).
"""

from __future__ import annotations

import html
import itertools
import re
from collections.abc import Iterable

from pileup.formats.unwrapping import client_layouts
from pileup.formats.unwrapping.wrapped_logs import Unwrap

# Names of the first columns of the server's own results, in lower case: a table in a page.
_KNOWN = (
    ("id", "user", "host", "db", "command", "time"),
    ("variable_name", "value"),
    ("variable_name", "variable_value"),
    ("slave_io_state", "master_host"),
    ("replica_io_state", "source_host"),
    ("connection_name", "slave_sql_state"),
    ("trx_id", "trx_state"),
    ("lock_id", "lock_trx_id"),
    ("requesting_trx_id", "requested_lock_id"),
    ("engine", "engine_lock_id"),
    ("engine", "requesting_engine_lock_id"),
    ("object_type", "object_schema", "object_name"),
    ("thread_id", "event_id"),
    ("thread_id", "name", "type", "processlist_id"),
    ("wait_started", "wait_age"),
    ("thd_id", "conn_id", "user", "db", "command"),
    ("name", "subsystem", "count"),
)
_KEY = re.compile(r"[^\S\n]*(?:- )?(?P<name>[A-Za-z][A-Za-z0-9_]{1,63}): ?")
_REPLICATION = frozenset(
    (
        "slave_io_state",
        "slave_io_running",
        "slave_sql_running",
        "seconds_behind_master",
        "replica_io_state",
        "replica_io_running",
        "replica_sql_running",
        "slave_sql_running_state",
        "replica_sql_running_state",
        "sql_delay",
        "sql_remaining_delay",
        "last_sql_errno",
        "last_sql_error",
        "last_io_errno",
        "last_io_error",
        "seconds_behind_source",
        "member_state",
        "count_transactions_in_queue",
        "count_transactions_checked",
        "count_transactions_remote_in_applier_queue",
    )
)
_SESSION = frozenset(
    (
        *("id", "user", "host", "command", "time", "state", "info", "db"),
        *("thd_id", "conn_id", "current_statement", "statement_latency", "last_statement"),
    )
)
_LEAST_OF_SESSION = 5
_OF_LOCKS = re.compile(
    r"(?:waiting|blocking|locked|trx|requesting|sql_kill_blocking|processlist)_\w{2,40}"
)
_LEAST_OF_LOCKS = 5
_ROW_OF_XML = re.compile(r"\s*<row>\s*$")
_FIELD = re.compile(r'\s*<field name="(?P<name>[^"]{1,64})"(?P<nil> xsi:nil="true")?\s*(?:/>|>)')
_CELL = re.compile(
    r"<(?P<tag>tr|th|td)\b[^<>]{0,500}>|</(?P<end>tr|th|td|table)\s*>", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]{0,500}>")
_WIDTH = 64
"""Most characters of a name: the keys of \\G are aligned to this width."""
_MOST_CELL = 1024 * 1024


def choose_reader(lines: list[str]) -> Unwrap | None:
    """Return what converts lines that begin like these to the client's layout; None for others."""
    filled = [line for line in lines if line.strip()]
    text = "\n".join(lines)
    if "<resultset" in text and "<row>" in text:
        return _Xml()
    if "<t" in text.lower():
        names = _html_names(text)
        alone = len(names) > 1 and filled[0].lstrip().lower().startswith(("<table", "<tr", "<html"))
        if alone or _is_known(names):
            return _Html()
    return (
        _cells_reader(filled)
        or _fields_reader(filled)
        or _keys_reader(lines)
        or _written_reader(filled)
    )


_MOST_NAMES = 25
_MOST_ABOVE = 40


def _cells_reader(lines: list[str]) -> Unwrap | None:
    """Return a converter for a table of which each cell is a line, as mails lose their tables.

    The first cell of each row is a number; cells that are empty would move the others.
    """
    cells = [line.strip() for line in lines]
    for at in range(min(len(cells), _MOST_ABOVE)):
        names = list(itertools.takewhile(_IS_NAME.fullmatch, cells[at : at + _MOST_NAMES]))
        if len(names) < _LEAST_OF_SESSION - 1 or not _is_known(names):
            continue
        firsts = cells[at + len(names) :: len(names)]
        whole = firsts if len(cells[at:]) % len(names) == 0 else firsts[:-1]
        if whole and all(map(str.isdecimal, whole)):
            return _Cells(tuple(names))
    return None


_IS_NAME = re.compile(r"[A-Za-z][A-Za-z_]{0,60}")


# 9190 web@10.3.0.21 "select * from orders where id = 8812" 309s Waiting for table metadata lock
_WRITTEN = re.compile(
    r"[\s|*#>-]{0,8}(?:id[ :=#]{1,3})?(?P<id>\d{1,12})[ :|,-]{1,4}"
    r"(?P<user>[\w.-]{1,60})@(?P<host>[\w.:%-]{1,80})(?P<rest>\s.{5,4000})$",
    re.IGNORECASE,
)
_WRITTEN_STATEMENT = re.compile(r"([\"`\u201c])(?P<sql>\w.{3,3900}?)[\"`\u201d](?=[\s,|;)]|$)")
_WRITTEN_TIME = re.compile(r"(?<![\w.])(?P<seconds>\d{1,9}) ?(?:s|secs?|seconds)\b")
_WRITTEN_STATE = re.compile(r"[A-Za-z][A-Za-z ./()-]{2,60}")
_LEAST_WRITTEN = 2


def _written_reader(lines: list[str]) -> Unwrap | None:
    """Return a converter for sessions that somebody lists in own words: id, account, statement."""
    written = sum(_written(line) is not None for line in lines)
    return _Written() if written >= _LEAST_WRITTEN else None


def _written(line: str) -> list[tuple[str, str]] | None:
    """Return names and values of a session in own words; None for any other line."""
    match = _WRITTEN.match(line) if "@" in line else None
    if match is None:
        return None
    rest = match["rest"]
    statement, time = _WRITTEN_STATEMENT.search(rest), _WRITTEN_TIME.search(rest)
    if statement is None or time is None or statement.start() <= time.start() < statement.end():
        return None
    left = rest
    for found in sorted((statement, time), key=lambda found: -found.start()):
        left = f"{left[: found.start()]} {left[found.end() :]}"
    state = _WRITTEN_STATE.search(left.strip(" ,|;:()[]"))
    return [
        *(("Id", match["id"]), ("User", match["user"]), ("Host", match["host"])),
        *(("Command", "Query"), ("Time", time["seconds"])),
        *(("State", state[0].strip() if state else ""), ("Info", statement["sql"])),
    ]


class _Written:
    """Makes a row of \\G of each session in own words."""

    def __init__(self) -> None:
        self._rows = 0

    def __call__(self, line: str) -> str:
        if (fields := _written(line)) is None:
            return line
        self._rows += 1
        keys = (f"{name:>{_WIDTH}}: {value}" for name, value in fields)
        return "\n".join((_row_line(self._rows), *keys))


# Id: 4711 User: app ...        Id=4711, User=app, ...
_FIRST_FIELD = re.compile(r"\W*[A-Za-z]\w{1,40}(?P<sign> ?[:=] ?)")
_FEW_ROWS = 20


def _fields_reader(lines: list[str]) -> Unwrap | None:
    """Return a converter for rows with all names and values on a line."""
    first = _FIRST_FIELD.match(lines[0]) if lines else None
    if first is None:
        return None
    field = re.compile(
        rf"(?:^|(?<=[\s,;|(\[{{]))(?P<name>[A-Za-z][A-Za-z_]{{1,40}}){re.escape(first['sign'])}"
    )
    shared: set[str] | None = None
    for line in lines[:_FEW_ROWS]:
        names = {match["name"] for match in field.finditer(line)}
        if _are_of_one_row({name.lower() for name in names}):
            shared = names if shared is None else shared & names
    if not shared or not _are_of_one_row({name.lower() for name in shared}):
        return None
    return _Fields(field, frozenset(shared))


def _keys_reader(lines: list[str]) -> Unwrap | None:
    """Return a converter for rows of \\G that lost their blanks or their line of stars."""
    if any("INNODB MONITOR OUTPUT" in line for line in lines):
        return None  # the lines of a dump are no keys
    rows = [at for at, line in enumerate(lines) if client_layouts.ROW.match(line.strip())]
    if rows and (cut := _cut_row(lines, rows)):
        return _Keys(cut, has_rows=False, is_cut=True)
    keys = [
        match for line in lines[rows[0] + 1 if rows else 0 :][:3] if (match := _KEY.match(line))
    ]
    if rows:
        if len(keys) < 3 or len({match.end("name") for match in keys}) == 1:
            return None
        lines = _first_rows(lines, rows)
    names = [match["name"] for line in lines if (match := _KEY.match(line))]
    lower = {name.lower() for name in names}
    if not rows and not _are_of_one_row(lower):
        error = [line for line in lines if _LAST_ERROR.match(line)]
        is_error = len(error) == 1 and len(list(filter(str.strip, lines))) <= _FEW_LINES
        return _Keys([error[0].split(":")[0].strip()], has_rows=False) if is_error else None
    return _Keys(names, has_rows=bool(rows)) if len(names) > 1 else None


_LAST_ERROR = re.compile(
    r"\s{0,60}(?:Last_(?:(?:SQL|IO)_)?Error: \S+ \S+ \S"
    r"|(?:Slave|Replica)_(?:IO|SQL)_Running: (?:No|Connecting|Preparing)\s*$)",
    re.IGNORECASE,
)
"""Why replication stopped, or that it has, which somebody copied alone out of its status."""
_FEW_LINES = 8


def _first_rows(lines: list[str], rows: list[int]) -> list[str]:
    """Return the lines of the first row of each table: a later one may be of a statement."""
    firsts: list[str] = []
    for at, until in itertools.pairwise([*rows, len(lines)]):
        match = client_layouts.ROW.match(lines[at].strip())
        if at == rows[0] or (match is not None and int(match["number"][:9]) == 1):
            firsts += lines[at + 1 : until]
    return firsts


def _are_of_one_row(names: set[str]) -> bool:
    """Return whether keys without a line of stars are of a row of the server's own results."""
    return (
        len(names & _REPLICATION) >= 2
        or len(names & _SESSION) >= _LEAST_OF_SESSION
        or sum(bool(_OF_LOCKS.fullmatch(name)) for name in names) >= _LEAST_OF_LOCKS
    )


def _cut_row(lines: list[str], rows: list[int]) -> list[str]:
    """Return the keys, in order, of a row without its line of stars: the next is not the first."""
    number = client_layouts.ROW.match(lines[rows[0]].strip())
    if number is None or int(number["number"]) < 2 or not rows[0]:
        return []
    until = rows[1] if len(rows) > 1 else len(lines)
    above, next_row = (
        [match["name"] for line in part if (match := _KEY.match(line))]
        for part in (lines[: rows[0]], lines[rows[0] + 1 : until])
    )
    shared = set(above) & set(next_row)
    return list(dict.fromkeys((*next_row, *above))) if len(shared) > 1 else []


def _is_known(names: list[str]) -> bool:
    lower = tuple(name.strip().lower() for name in names)
    return any(lower[: len(known)] == known for known in _KNOWN) or _is_listing(lower)


def _is_listing(names: tuple[str, ...]) -> bool:
    """Return whether columns are some of a processlist, with State and statement."""
    return {"time", "state", "info"} <= set(names) and sum(name in _SESSION for name in names) >= 4


def _row_line(number: int) -> str:
    stars = "*" * 27
    return f"{stars} {number}. row {stars}"


class _Keys:
    """Aligns the keys of \\G as the client does; a row begins where its first key returns.

    The first row gets those keys that only later rows have: somebody removed empty ones. One that
    is cut gets those above its first, or the keys of the next row would be more of its own.
    """

    def __init__(self, names: Iterable[str], *, has_rows: bool, is_cut: bool = False) -> None:
        self._names = dict.fromkeys(names)
        self._is_cut = is_cut
        self._has_rows = has_rows
        self._rows = 0
        self._lacking = dict(self._names)
        """Keys that the first row has not had so far."""
        self._first = ""
        """The first key of each row, where no line of stars begins one."""

    def __call__(self, line: str) -> str:
        match = _KEY.match(line)
        if match is None or match["name"] not in self._names:
            is_row = client_layouts.ROW.match(line.strip()) is not None
            self._has_rows |= is_row
            return line.strip() if is_row else line
        key = f"{match['name']:>{_WIDTH}}: {line[match.end() :].strip()}"
        if self._has_rows or (self._rows and match["name"] != self._first):
            self._lacking.pop(match["name"], None)
            return key
        self._first = match["name"]
        self._rows += 1
        lacking = [f"{name:>{_WIDTH}}: NULL\n" for name in self._lacking if self._rows == 2]
        above = itertools.takewhile(match["name"].__ne__, self._names if self._is_cut else ())
        cut = [f"{name:>{_WIDTH}}: NULL\n" for name in above if self._rows == 1]
        self._lacking.pop(match["name"], None)
        return f"{''.join(lacking)}{_row_line(self._rows)}\n{''.join(cut)}{key}"


class _Fields:
    """Makes a row of \\G of each line with the names of all fields."""

    def __init__(self, field: re.Pattern[str], names: frozenset[str]) -> None:
        self._field = field
        self._names = names
        self._rows = 0

    def __call__(self, line: str) -> str:
        left = set(self._names)
        found = []
        for match in self._field.finditer(line):
            if match["name"] in left:
                left.remove(match["name"])
                found.append(match)
        if left:
            return line
        self._rows += 1
        ends = [*(match.start() for match in found[1:]), len(line)]
        keys = (
            f"{match['name']:>{_WIDTH}}: {line[match.end() : end].strip(' ,;|)]}')}"
            for match, end in zip(found, ends, strict=True)
        )
        return "\n".join((_row_line(self._rows), *keys))


class _Cells:
    """Makes a line of \\G of each cell behind the names, which are a line each."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._named = 0
        """How many of the names came, in their order."""
        self._cells = 0

    def __call__(self, line: str) -> str:
        cell = line.strip()
        if not cell:
            return ""
        if self._named < len(self._names):
            self._named = self._named + 1 if cell == self._names[self._named] else 0
            return line if not self._named else ""
        column = self._cells % len(self._names)
        if column == 0 and not cell.isdecimal():
            return line  # what somebody wrote below the table
        self._cells += 1
        key = f"{self._names[column]:>{_WIDTH}}: {cell}"
        return key if column else f"{_row_line(self._cells // len(self._names) + 1)}\n{key}"


class _Xml:
    """Converts ``mysql --xml``, which prints a line per row and field."""

    def __init__(self) -> None:
        self._rows = 0

    def __call__(self, line: str) -> str:
        if line.lstrip().startswith(("<?xml", "<resultset", "</r", "xmlns")):
            return ""
        if _ROW_OF_XML.match(line):
            self._rows += 1
            return _row_line(self._rows)
        match = _FIELD.match(line)
        value = html.unescape(line[match.end() if match else 0 :].removesuffix("</field>"))
        if match is None:
            return value  # a further line of a value
        return f"{match['name']:>{_WIDTH}}: {'NULL' if match['nil'] else value}"


class _Html:
    """Converts tables of a web page; the names come from <th> or from the first row."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._reading_names = True
        self.first: list[str] = []
        """Names of the first table."""
        self._rows = 0
        self._column = 0
        self._cell: list[str] | None = None
        """Pieces of its text."""
        self._size = 0

    def __call__(self, line: str) -> str:
        given: list[str] = []
        at = 0
        for match in _CELL.finditer(line):
            self._text(line[at : match.start()])
            at = match.end()
            tag, end = (match["tag"] or "").lower(), (match["end"] or "").lower()
            if tag or self._cell is not None:
                given += self._end_cell()
            if tag == "tr":
                self._column = 0
            elif tag:
                self._cell, self._size = [], 0
            elif end == "tr" and self._names:
                self._reading_names = False
                self.first = self.first or self._names
            elif end == "table":
                self._names, self._reading_names, self._rows = [], True, 0
        self._text(line[at:] + "\n")
        return "\n".join(given)

    def _text(self, text: str) -> None:
        if self._cell is not None and self._size < _MOST_CELL:
            self._cell.append(text)
            self._size += len(text)

    def _end_cell(self) -> list[str]:
        if self._cell is None:
            return []
        value = " ".join(html.unescape(_TAG.sub("", "".join(self._cell))).split())
        self._cell = None
        if self._reading_names:
            self._names.append(value[:_WIDTH])
            return []
        if self._column >= len(self._names):
            return []
        given = []
        if self._column == 0:
            self._rows += 1
            given.append(_row_line(self._rows))
        given.append(f"{self._names[self._column]:>{_WIDTH}}: {value}")
        self._column += 1
        return given


def _html_names(text: str) -> list[str]:
    reader = _Html()
    for line in text.split("\n"):
        reader(line)
        if reader.first:
            break
    return reader.first
