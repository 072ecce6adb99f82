r"""Convert results of the server that other programs show to the layouts of the mysql client.

Source: Markdown tables; boxes and \G rows that lost rules or blanks on a web page; boxes of
        Unicode lines (other clients); CSV of MySQL Workbench (``# Id, User``, quoted by '),
        DBeaver, HeidiSQL, phpMyAdmin and DataGrip (comma or semicolon); ``mysql --html`` and web
        pages; ``mysql --xml``.
Gives:  tab-separated lines (as ``mysql --batch``), boxes with rules, or \G rows.
Note:   a CSV is only taken when its header is one of the server's own results: metrics as CSV are
        other formats.
"""

from __future__ import annotations

import html
import re

from pileup.formats.unwrapping import client_layouts
from pileup.formats.unwrapping.wrapped_logs import Unwrap

# Names of the first columns of the server's own results, in lower case.
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
_BAR_ROW = re.compile(r"\s*\|.*\|\s*$")
_DASHED = re.compile(r"\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_RULE = re.compile(r"\s*\+(?:-+\+)+\s*$")
_UNICODE = re.compile(r"^[┌╔╭┏]", re.MULTILINE)
_TO_ASCII = str.maketrans(
    {
        **dict.fromkeys("─━═╌", "-"),
        **dict.fromkeys("│┃║", "|"),
        **dict.fromkeys("┌┬┐├┼┤└┴┘╔╦╗╠╬╣╚╩╝╭╮╰╯┏┳┓┣╋┫┗┻┛╞╪╡╟╫╢", "+"),
    }
)
_KEY = re.compile(r"[^\S\n]*(?P<name>[A-Za-z][A-Za-z0-9_]{1,63}): ?")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{1,63}")
_REPLICATION = frozenset(
    (
        "slave_io_state",
        "slave_io_running",
        "slave_sql_running",
        "seconds_behind_master",
        "replica_io_state",
        "replica_io_running",
        "replica_sql_running",
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
_OF_LOCKS = re.compile(r"(?:waiting|blocking|locked|trx|requesting|sql_kill_blocking)_\w{2,40}")
_LEAST_OF_LOCKS = 5
_LEAST_ROWS = 2
_STATUS = (
    "Aborted_",
    "Bytes_",
    "Com_",
    "Connections",
    "Created_tmp_",
    "Handler_",
    "Innodb_",
    "Questions",
    "Slow_queries",
    "Threads_",
    "Uptime",
    "wsrep_",
)
_VARIABLES = (
    "innodb_", "max_", "table_open_cache", "table_definition_cache", "query_cache_", "sync_",
    "thread_", "log_bin", "version", "wait_timeout", "back_log", "binlog_", "tmp_table_size",
)  # fmt: skip
_COMMANDS = frozenset(
    ("Binlog Dump", "Binlog Dump GTID", "Connect", "Daemon", "Execute", "Killed", "Query", "Sleep")
)
_ROW_OF_XML = re.compile(r"\s*<row>\s*$")
_FIELD = re.compile(r'\s*<field name="(?P<name>[^"]{1,64})"(?P<nil> xsi:nil="true")?\s*(?:/>|>)')
_CELL = re.compile(
    r"<(?P<tag>tr|th|td)\b[^<>]{0,500}>|</(?P<end>tr|th|td|table)\s*>", re.IGNORECASE
)
_TAG = re.compile(r"<[^<>]{0,500}>")
_WIDTH = 64
"""Most characters of a name: the keys of \\G are aligned to this width."""
_MOST_CELL = 1024 * 1024
_CSV = (",", ";", "\t")


def choose_reader(lines: list[str]) -> Unwrap | None:
    """Return what converts lines that begin like these to the client's layout; None for others."""
    filled = [line for line in lines if line.strip()]
    text = "\n".join(lines)
    if _UNICODE.search(text) and _header(text.translate(_TO_ASCII)):
        return _UnicodeBox()
    if "<resultset" in text and "<row>" in text:
        return _Xml()
    if "<t" in text.lower():
        names = _html_names(text)
        alone = len(names) > 1 and filled[0].lstrip().lower().startswith(("<table", "<tr", "<html"))
        if alone or _is_known(names):
            return _Html()
    if not any(map(_RULE.match, filled)):
        unruled = _bars_reader(filled) or _status_reader(filled) or _processlist_reader(filled)
        if unruled:
            return unruled
    return _keys_reader(lines) or _csv_reader(filled)


def _bars_reader(filled: list[str]) -> Unwrap | None:
    """Return a converter for rows between bars: Markdown, or a client without its rules."""
    for at, line in enumerate(filled[:20]):
        if _BAR_ROW.match(line):
            dashed = at + 1 < len(filled) and bool(_DASHED.match(filled[at + 1]))
            mostly = sum(bool(_BAR_ROW.match(row)) for row in filled) >= 0.8 * len(filled)
            if (dashed and mostly) or _is_known(_bars(line)):  # not a page with a table in it
                return _Bars(line, dashed=dashed)
    return None


def _csv_reader(filled: list[str]) -> Unwrap | None:
    """Return a converter for cells between commas, semicolons or tabs, below known names."""
    for line in filled[:3]:
        for comma in _CSV:
            quote = "'" if line.startswith("#") else '"'
            names, complete = _csv_cells(line.removeprefix("#").strip(), comma, quote)
            if complete and (comma != "\t" or '"' in line) and _is_known(names):
                return _Csv(line, comma, quote)
    return None


def _keys_reader(lines: list[str]) -> Unwrap | None:
    """Return a converter for rows of \\G that lost their blanks or their line of stars."""
    if any("INNODB MONITOR OUTPUT" in line for line in lines):
        return None  # the lines of a dump are no keys
    rows = [at for at, line in enumerate(lines) if client_layouts.ROW.match(line.strip())]
    if rows and (cut := _cut_row(lines, rows)):
        return _Keys(cut, has_rows=False)
    keys = [
        match for line in lines[rows[0] + 1 if rows else 0 :][:3] if (match := _KEY.match(line))
    ]
    if rows:
        if len(keys) < 3 or len({match.end("name") for match in keys}) == 1:
            return None
        until = rows[1] if len(rows) > 1 else len(lines)
        lines = lines[rows[0] + 1 : until]
    names = [match["name"] for line in lines if (match := _KEY.match(line))]
    lower = {name.lower() for name in names}
    if not rows and not _are_of_one_row(lower):
        return None
    return _Keys(frozenset(names), has_rows=bool(rows)) if len(names) > 1 else None


def _are_of_one_row(names: set[str]) -> bool:
    """Return whether keys without a line of stars are of a row of the server's own results."""
    return (
        len(names & _REPLICATION) >= 2
        or len(names & _SESSION) >= _LEAST_OF_SESSION
        or sum(bool(_OF_LOCKS.fullmatch(name)) for name in names) >= _LEAST_OF_LOCKS
    )


def _cut_row(lines: list[str], rows: list[int]) -> frozenset[str]:
    """Return the keys of a row whose line of stars is cut off: the next one is not the first."""
    number = client_layouts.ROW.match(lines[rows[0]].strip())
    if number is None or int(number["number"]) < 2 or not rows[0]:
        return frozenset()
    until = rows[1] if len(rows) > 1 else len(lines)
    above, next_row = (
        {match["name"] for line in part if (match := _KEY.match(line))}
        for part in (lines[: rows[0]], lines[rows[0] + 1 : until])
    )
    return frozenset(above | next_row) if len(above & next_row) > 1 else frozenset()


def _status_reader(filled: list[str]) -> Unwrap | None:
    """Return a converter for rows of SHOW STATUS without header and rules, as bug reports quote."""
    filled = [line for line in filled if not client_layouts.CHATTER.match(line)]
    if len(filled) < _LEAST_ROWS or not all(map(_BAR_ROW.match, filled)):
        return None
    rows = [_bars(line) for line in filled]
    if not all(len(row) == 2 and _NAME.fullmatch(row[0]) for row in rows):
        return None
    known = sum(row[0].startswith(_STATUS) for row in rows)
    known += sum(row[0].startswith(_VARIABLES) for row in rows)
    enough = known >= min(3, len(rows))
    return _Bars("|Variable_name|Value|", dashed=False, absent=True) if enough else None


def _processlist_reader(filled: list[str]) -> Unwrap | None:
    """Return a converter for rows of SHOW PROCESSLIST without header, as bug reports quote."""
    if not all(map(_BAR_ROW.match, filled)):
        return None
    rows = [_bars(line) for line in filled]
    if not rows or len(rows[0]) not in (8, 9) or not all(map(_is_session, rows)):
        return None
    names = [*_KNOWN[0], "state", "info", "progress"][: len(rows[0])]
    return _Bars(f"|{'|'.join(names)}|", dashed=False, absent=True)


def _is_session(cells: list[str]) -> bool:
    return len(cells) >= 8 and cells[0].isdigit() and cells[4] in _COMMANDS


def _header(text: str) -> list[str]:
    """Split the first row between bars into cells."""
    for line in text.split("\n")[:50]:
        if _BAR_ROW.match(line):
            return _bars(line)
    return []


def _is_known(names: list[str]) -> bool:
    lower = tuple(name.strip().lower() for name in names)
    return any(lower[: len(known)] == known for known in _KNOWN) or _is_listing(lower)


def _is_listing(names: tuple[str, ...]) -> bool:
    """Return whether columns are some of a processlist, with State and statement."""
    return {"time", "state", "info"} <= set(names) and sum(name in _SESSION for name in names) >= 4


def _bars(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def _tabs(cells: list[str]) -> str:
    """Join cells to a line of ``mysql --batch``."""
    return "\t".join(map(_escaped, cells))


def _escaped(cell: str) -> str:
    return cell.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


class _UnicodeBox:
    """Converts a box of Unicode lines; drops the rule that some programs print below every row."""

    def __init__(self) -> None:
        self._inner = 0

    def __call__(self, line: str) -> str:
        if line.startswith(("┌", "╔", "╭", "┏")):
            self._inner = 0
        elif line.startswith(("├", "╠", "┣", "╞", "╟")):
            self._inner += 1
            if self._inner > 1:
                return ""
        return line.translate(_TO_ASCII)


class _Bars:
    """Converts rows between bars without rules: Markdown, or a box on a web page."""

    def __init__(self, header: str, *, dashed: bool, absent: bool = False) -> None:
        """``absent``: the header is not in the text and goes before the first row."""
        self._header = header.strip()
        self._absent = absent
        self._columns = len(_bars(header))
        self._dashed = dashed

    def __call__(self, line: str) -> str:
        if not _BAR_ROW.match(line):
            return line
        if _DASHED.match(line):  # the header in its place: a line between it and rows would end it
            return _tabs(_bars(self._header))
        if line.strip() == self._header and self._dashed:
            return ""
        cells = _bars(line.replace("\\|", "\ufffc"))
        if len(cells) > self._columns:  # a bar in the last cell, which is the statement
            cells = [*cells[: self._columns - 1], " | ".join(cells[self._columns - 1 :])]
        row = _tabs([cell.replace("\ufffc", "|") for cell in cells])
        if self._absent:
            self._absent = False
            return _tabs(_bars(self._header)) + "\n" + row
        return row


class _Csv:
    """Converts rows of a CSV export, also those with a line break between their quotes."""

    def __init__(self, header: str, comma: str, quote: str) -> None:
        self._header = header
        self._comma = comma
        self._quote = quote
        self._open = False
        self._size = 0

    def __call__(self, line: str) -> str:
        if line == self._header and not self._open:
            return _tabs(_csv_cells(line.removeprefix("#").strip(), self._comma, self._quote)[0])
        cells, complete = _csv_cells(line, self._comma, self._quote, inside=self._open)
        self._size = self._size + len(line) if not complete else 0
        self._open = not complete and self._size < _MOST_CELL
        return _tabs(cells)


def _csv_cells(
    line: str, comma: str, quote: str, *, inside: bool = False
) -> tuple[list[str], bool]:
    """Split a CSV line; return its cells and whether the last one is complete.

    ``inside``: the line begins within quotes.
    """
    cells: list[str] = []
    at = 0
    while True:
        if not inside:
            while at < len(line) and line[at] == " ":
                at += 1
            inside = line.startswith(quote, at)
            at += inside
        parts: list[str] = []
        while inside:
            end = line.find(quote, at)
            if end < 0:
                return [*cells, "".join([*parts, line[at:]])], False
            if line.startswith(quote, end + 1):
                parts.append(line[at : end + 1])
                at = end + 2
            elif quote == "'" and line[end - 1 : end] == "\\":  # Workbench escapes so
                parts.append(line[at : end - 1] + quote)
                at = end + 1
            else:
                parts.append(line[at:end])
                at, inside = end + 1, False
        end = line.find(comma, at)
        parts.append(line[at : end if end >= 0 else len(line)].rstrip())
        cells.append("".join(parts))
        if end < 0:
            return cells, True
        at = end + 1


def _row_line(number: int) -> str:
    stars = "*" * 27
    return f"{stars} {number}. row {stars}"


class _Keys:
    """Aligns the keys of \\G as the client aligns them."""

    def __init__(self, names: frozenset[str], *, has_rows: bool) -> None:
        self._names = names
        self._has_rows = has_rows

    def __call__(self, line: str) -> str:
        match = _KEY.match(line)
        if match is None or match["name"] not in self._names:
            return line.strip() if client_layouts.ROW.match(line.strip()) else line
        key = f"{match['name']:>{_WIDTH}}: {line[match.end() :].strip()}"
        if self._has_rows:
            return key
        self._has_rows = True
        return f"{_row_line(1)}\n{key}"


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
