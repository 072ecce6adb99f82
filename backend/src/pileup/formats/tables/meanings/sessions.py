"""Convert rows of a processlist to sessions: any selection of its columns, in any order.

Source: SHOW PROCESSLIST, information_schema.PROCESSLIST, performance_schema.processlist and threads
        joined by hand, exporters that write the same columns.
Yields: a Session per row, without an id where the listing has no column of ids; per listing a
        Snapshot, a Section and the counts processlist.sessions, .running and .state.
Note:   HOST is the client. Without COMMAND a session runs when it has a statement; without both
        nobody knows, and there is no count of running ones.
Time:   a column that holds a time (``now()``, ``ts``) places its rows; else the line above them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import polars as pl

from pileup.formats.reading.timestamps import read_stamp
from pileup.formats.tables.layouts.blocks import Cells as RowCells
from pileup.formats.tables.layouts.headless import COMMANDS
from pileup.formats.tables.layouts.reader import ResultRow, RowBlock
from pileup.formats.tables.meanings.handlers import (
    Cells,
    Handler,
    Ready,
    Seen,
    Where,
    first,
    integer,
    seconds,
)
from pileup.formats.tables.meanings.session_counts import NOT_RUNNING, Listing
from pileup.formats.tables.meanings.tables import Shared
from pileup.records import Item, Problem, Session, Skipped

NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "processlist_id", "conn_id", "connection_id", "session_id", "pid"),
    "user": ("user", "processlist_user", "username"),
    "host": ("host", "processlist_host", "client", "client_host", "host/ip"),
    "db": ("db", "processlist_db", "database", "schema"),
    "command": ("command", "processlist_command", "cmd"),
    "time": ("time", "processlist_time", "time_s", "seconds"),
    "time_ms": ("time_ms",),
    "state": ("state", "processlist_state"),
    "info": ("info", "processlist_info", "current_statement", "query", "sql_text", "statement"),
    "tid": ("tid", "thread_os_id"),
}
"""The columns of a processlist, and the names that servers and exporters give them."""
_COLUMN_OF = {name: column for column, names in NAMES.items() for name in names}
_STRONG = ("command", "state", "info")
STRONG_NAMES = frozenset(name for column in _STRONG for name in NAMES[column])
"""A processlist has one of them at least."""
_OWN = frozenset(
    (*(names[0] for names in NAMES.values()), "rows_sent", "rows_examined", "rows_read", "progress")
)
_TEXTS = {
    "user": "user",
    "host": "client_host",
    "db": "db",
    "command": "command",
    "state": "state",
    "info": "query",
}
_NO_STATEMENT = frozenset({"", None})
_MOST_DIGITS = 18
_MILLISECONDS = r"^-?[0-9]{1,15}(?:\.[0-9]{1,9})?$"
_TIMES = (
    "ts",
    "timestamp",
    "now()",
    "now",
    "sysdate()",
    "current_timestamp",
    "current_timestamp()",
    "utc_timestamp()",
    "now(6)",
    "sampled_at",
    "sample_time",
    "captured_at",
    "collected_at",
    "recorded_at",
    "at",
    "date",
    "datetime",
    "@timestamp",
    "log_time",
)
_PART_OF = re.compile(
    r"(?:left|substr|substring|trim|lower|upper|ifnull)\(\s*([\w.`]{1,80})\s*(?:,[^()]{0,40})?\)"
)
"""A column that holds the beginning of another: left(info, 60)."""
_SOURCES = ("processlist", "threads", "session")


_SELECTED = re.compile(r"\bselect\s+(.{1,2000}?)\s+from\s", re.IGNORECASE | re.DOTALL)
_ALIAS = re.compile(r"(.{1,200}?) (?:as )?[`\"']?(\w{1,64})[`\"']?", re.IGNORECASE)
_LIST_ITEM = re.compile(r"(?:[^,()]|\([^()]{0,200}\)){1,300}")


_TOOLS: dict[str, dict[str, str]] = {
    "cid": {"cid": "id", "tid": "thread_id"},  # MySQL Shell: \\show threads
    "sessionid": {"sessionid": "id", "threadid": "thread_id", "cli_host": "host"},  # ProxySQL
    "sql query": {"sql query": "info", "status": "state"},  # phpMyAdmin
}
"""A column that only one tool prints, and what the columns of this tool mean."""


@lru_cache(maxsize=256)
def columns_of(columns: tuple[str, ...], title: str) -> tuple[str, ...]:
    """Return the columns that a statement selects, where the header prints only their aliases.

    ``SELECT user, LEFT(info, 60) q FROM ...`` prints 'q', and the column is 'info'.
    """
    names = {plain(name) for name in columns}
    for mark, others in _TOOLS.items():
        if mark in names:
            columns = tuple(others.get(plain(name), name) for name in columns)
    selected = _SELECTED.search(title)
    if selected is None:
        return columns
    aliases = {
        match[2].lower(): match[1]
        for item in _LIST_ITEM.findall(selected[1])
        if (match := _ALIAS.fullmatch(" ".join(item.split())))
    }
    return tuple(
        name if plain(name) in _COLUMN_OF else aliases.get(name.strip().lower(), name)
        for name in columns
    )


@lru_cache(maxsize=256)
def plain(name: str) -> str:
    """Return a column's name without its table: 'p.STATE' and 'PROCESSLIST.State' are 'state'."""
    lower = name.strip().strip("`\"'").lower()
    if "(" in lower:
        part = _PART_OF.fullmatch(lower)
        if part is None:
            return lower
        lower = part[1]
    return lower.rpartition(".")[2].strip("`\"' ")


def is_processlist(seen: Seen) -> bool:
    """Whether a table is a processlist: by its statement, its columns and its first row."""
    columns = columns_of(tuple(seen.columns), seen.title)
    names = [plain(name) for name in columns]
    found = {_COLUMN_OF[name] for name in names if name in _COLUMN_OF}
    strong = found.intersection(_STRONG)
    distinct = found & {"id", "user"} or found >= {"command", "time", "state", "info"}
    distinct = distinct or (found >= {"state", "info"} and _waits(seen, columns))
    distinct = distinct or (found >= {"time", "state", "info"} and _runs(seen, columns))
    if not strong or not distinct or not is_source(seen.title):
        return False
    if any("count(" in name for name in names):
        return False
    by_title = reads_sessions(seen.title)
    own = sum(name in _OWN or name.startswith("processlist_") for name in names)
    enough = len(strong) >= 2 or len(found) >= 4 or (len(found) >= 3 and "time" in found)
    enough |= "processlist_state" in names
    return enough and (by_title or 2 * own >= len(names) or len(strong) == 3) and _row_fits(seen)


def _waits(seen: Seen, columns: Sequence[str]) -> bool:
    """Whether the state of the first row is a wait of the server's."""
    state = _cells(columns, seen.first).get("state") if seen.first else None
    return state is not None and state.startswith("Waiting for ")


_STATEMENT = re.compile(
    r"(?i)\s*(?:/\*.{0,200}?\*/\s*)?(?:select|insert|update|delete|replace|alter|create|drop|call|with)\s"
)


def _runs(seen: Seen, columns: Sequence[str]) -> bool:
    """Whether the first row is a statement and its seconds; without a row, the names decide."""
    if not seen.first:
        return True
    cells = _cells(columns, seen.first)
    info, time = cells.get("info") or "", (cells.get("time") or "").strip()
    return time.isdigit() and _STATEMENT.match(info) is not None


def is_source(title: str) -> bool:
    """Whether a statement reads sessions, or there is none."""
    return " from " not in f" {title.lower()} " or reads_sessions(title)


def reads_sessions(title: str) -> bool:
    """Whether a statement reads sessions."""
    lower = title.lower()
    return any(source in lower for source in _SOURCES)


_WORDS = re.compile(r"[A-Za-z][A-Za-z_ ]{0,40}")
"""A Command that is not known: every release has new ones ('clone', 'Bulk_execute')."""


def _row_fits(seen: Seen) -> bool:
    """Whether the first row can be a session: its id and its time are numbers."""
    if seen.first is None:
        return True
    cells = _cells(columns_of(tuple(seen.columns), seen.title), seen.first)
    command = cells.get("command")
    if command and (command in COMMANDS or not _WORDS.fullmatch(command)):
        return command in COMMANDS
    for column in ("id", "time"):
        text = cells.get(column)
        if text and seconds(text.strip()) is None:
            return False
    return True


def _cells(columns: Sequence[str], values: Sequence[str | None]) -> Cells:
    """Return a row by the columns of a processlist."""
    cells: Cells = {}
    for name, value in zip(columns, values, strict=True):
        column = _COLUMN_OF.get(plain(name))
        if column is not None:
            cells.setdefault(column, value)
    return cells


def _is_cut(name: str) -> bool:
    """Return whether a name is the end of a column's name: the selection began inside the cell."""
    is_end = any(column.endswith(name) for column in _COLUMN_OF)
    return bool(name) and name not in _COLUMN_OF and is_end


def handler(seen: Seen, where: Where, shared: Shared) -> Handler:
    return _Sessions(seen, where, shared)


class _Sessions(Ready):
    def __init__(self, seen: Seen, where: Where, shared: Shared) -> None:
        super().__init__()
        self._where, self._shared = where, shared
        self._columns = columns_of(tuple(seen.columns), seen.title)
        names = [plain(name) for name in self._columns]
        self._names = frozenset(_COLUMN_OF[name] for name in names if name in _COLUMN_OF)
        self._time = next((at for at, name in enumerate(names) if name in _TIMES), None)
        self._printed: str | None = None
        self._listing: Listing | None = None
        self._ids = _Ids()
        self._line = seen.result.line
        """The line with the header, until the first listing begins."""
        if names and "id" not in self._names and _is_cut(names[0]):
            self._ready.append(
                Problem(
                    self._line,
                    f"The first column, {self._columns[0]!r}, is cut on its left; its values were "
                    "left out. Copy the list with its left edge.",
                )
            )

    def row(self, row: ResultRow) -> None:
        printed = row.values[self._time] if self._time is not None else None
        cells = _cells(self._columns, row.values)
        session_id = integer((cells.get("id") or "").strip())
        if self._listing is None or printed != self._printed or session_id in self._ids:
            self._begin(row, printed)
        assert self._listing is not None
        if "id" in self._names and session_id is None:
            if first(cells, "user", "command", "state", "info") is None and not cells.get("id"):
                return  # a background thread
            self._ready += [
                Problem(
                    row.line_first,
                    "A processlist row without a readable Id; it was left out.",
                    found=str(row.values)[:200],
                ),
                Skipped(row.line_first, row.line_last, "a row without an Id"),
            ]
            return
        command, state, info = (cells.get(name) for name in ("command", "state", "info"))
        self._ready += self._shared.held.flush()
        self._listing.complete = not (row.missing and row.result.layout == "vertical")
        self._listing.take(row.line_last, command, state, info, self._names)
        if session_id is not None:
            self._ids.add(session_id)
        self._ready.append(
            Session(
                **self._listing.where.record_fields(row),
                session_id=session_id,
                user=cells.get("user"),
                client_host=cells.get("host"),
                db=cells.get("db"),
                command=command,
                time_s=precise(
                    cells["time"] or "" if "time" in cells else None, cells.get("time_ms")
                ),
                state=state,
                query=info,
                os_tid=integer(cells.get("tid")) or None,
            )
        )

    def block(self, block: RowBlock) -> None:
        """Read many rows as columns; odd ones (no id, the next listing) one by one."""
        if self._time is not None or "id" not in self._names:
            return super().block(block)  # rows have times of their own, or no id
        fields = _fields_of(self._columns)
        read = self._read(block.cells, fields)
        if read is None:
            return super().block(block)
        if self._listing is None:
            self._begin(block.first, None)
        if not self._ids.add_many(read.ids):
            return super().block(block)
        listing = self._listing
        assert listing is not None
        listing.complete = True
        running = read.running if fields.runs else None
        listing.take_many(block.line_last, read.rows.height, running, read.states)
        held = self._shared.held
        held.add(read.rows, fields.expressions, block.line, block.cells.lines, listing.where)
        if held.full:
            self._ready += held.flush()
        return None

    def _read(self, cells: RowCells, fields: _Fields) -> _Read | None:
        """Return rows to hold, their ids, and the states to count; None when a row is odd.

        Rows of listings that were read together are converted together here, plain others when
        many are held: a frame of one listing costs more than its rows.
        """
        if cells.source is None:
            place = fields.place
            ids = _plain_numbers(cells.column(place["id"]))
            if ids is None or ("time" in place and not _are_plain(cells.column(place["time"]))):
                return None
            states = _states(cells, fields)
            return _Read(cells.frame[list(place.values())], ids, len(states), Counter(states))
        whole, first = cells.source
        if self._shared.converted[0] is not whole:
            converted = whole.select(*fields.expressions, fields.counted)
            self._shared.converted = whole, converted
        rows = self._shared.converted[1].slice(first, cells.frame.height)
        counted = rows.drop_in_place("counted")
        time = fields.place.get("time")
        unread = rows["time_s"].null_count()
        if rows["session_id"].null_count() or (
            time is not None and cells.frame[time].null_count() != unread
        ):
            return None
        counts: dict[str | None, int] = dict(counted.value_counts().rows())
        if sum(map(bool, counts)) > 1:  # in the order of the listing, as row by row
            counts = {state: counts[state] for state in dict.fromkeys(counted.to_list())}
        running = rows.height - counts.pop(None, 0)
        return _Read(rows, rows["session_id"], running, counts)

    def end(self) -> list[Item]:
        self._end_listing()
        return self.drain()

    def _begin(self, row: ResultRow, printed: str | None) -> None:
        self._end_listing()
        self._ids = _Ids()
        self._printed = printed
        where = self._where
        if printed and (stamp := read_stamp(printed)):
            where = Where(stamp[0], stamp[1], None, printed)
        line, self._line = self._line or row.line_first, 0
        self._listing = self._shared.begin_listing(where, line)

    def _end_listing(self) -> None:
        listing, self._listing = self._listing, None
        if listing is not None and listing.sessions:
            self._ready += self._shared.listings.end(listing)


@dataclass(frozen=True, slots=True)
class _Read:
    """Adjacent rows of a listing."""

    rows: pl.DataFrame
    ids: pl.Series | list[int]
    running: int
    """All of them where nobody knows which run."""
    states: Mapping[str | None, int]
    """How many of the running ones are in each state; None and empty for no state."""


class _Ids:
    """The ids that a listing has so far."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._first: pl.Series | None = None
        """Those of the first rows, if they are not in the set yet."""

    def __contains__(self, session_id: int | None) -> bool:
        return session_id in self._all()

    def add(self, session_id: int) -> None:
        self._all().add(session_id)

    def add_many(self, ids: pl.Series | list[int]) -> bool:
        """Add ids, unless an id comes twice or was seen before; return whether they were added."""
        if isinstance(ids, pl.Series) and self._first is None and not self._seen:
            if ids.n_unique() < len(ids):
                return False
            self._first = ids
            return True
        new, seen = set(ids), self._all()
        if len(new) < len(ids) or not new.isdisjoint(seen):
            return False
        seen |= new
        return True

    def _all(self) -> set[int]:
        if self._first is not None:
            self._seen.update(self._first.to_list())
            self._first = None
        return self._seen


@dataclass(frozen=True, slots=True)
class _Fields:
    """How the columns of a table become the fields of Session."""

    place: dict[str, str]
    """For each column of a processlist that the table has, its name in a frame of cells."""
    expressions: tuple[pl.Expr, ...]
    runs: str | None
    """The column of a processlist that shows which sessions run."""
    counted: pl.Expr
    """The states to count: null for a session that does not run, empty for none."""


@lru_cache(maxsize=32)
def _fields_of(columns: tuple[str, ...]) -> _Fields:
    """Return the expressions for the fields of Session: listings share their columns."""
    place: dict[str, str] = {}
    for at, name in enumerate(columns):
        if (column := _COLUMN_OF.get(plain(name))) is not None:
            place.setdefault(column, str(at))
    fields = [
        (pl.col(place[column]) if column in place else pl.lit(None, pl.String)).alias(field)
        for column, field in _TEXTS.items()
    ]
    fields.append(_whole(pl.col(place["id"])).alias("session_id"))
    time = pl.col(place["time"]) if "time" in place else pl.lit(None, pl.String)
    value = _whole(time).cast(pl.Float64)
    if "time_ms" in place:
        text = pl.col(place["time_ms"]).str.strip_chars()
        ms = pl.when(text.str.contains(_MILLISECONDS)).then(text.cast(pl.Float64, strict=False))
        precise: pl.Expr = ms / 1000
        fits = (precise - value).abs() <= 1 if "time" in place else pl.lit(True)
        value = pl.when(fits).then(precise).otherwise(value)
    fields.append(value.alias("time_s"))
    tid = _whole(pl.col(place["tid"])) if "tid" in place else pl.lit(None, pl.Int64)
    fields.append(pl.when(tid != 0).then(tid).alias("os_tid"))
    runs = next((column for column in ("command", "info") if column in place), None)
    state = pl.col(place["state"]).fill_null("") if "state" in place else pl.lit("")
    if runs is not None:
        value = pl.col(place[runs])
        idle = [
            name
            for name in (NOT_RUNNING if runs == "command" else _NO_STATEMENT)
            if name is not None
        ]
        state = pl.when(value.is_not_null() & ~value.is_in(idle)).then(state)
    return _Fields(place, tuple(fields), runs, state.alias("counted"))


def _states(cells: RowCells, fields: _Fields) -> list[str | None]:
    """Return the states to count, of rows that are converted later."""
    place, runs = fields.place, fields.runs
    shown = cells.column(place[runs]) if runs else []
    none: list[str | None] = [None] * cells.frame.height
    states = cells.column(place["state"]) if "state" in place else none
    if runs is None:
        return states
    idle = NOT_RUNNING if runs == "command" else _NO_STATEMENT
    return [state for state, text in zip(states, shown, strict=True) if text not in idle]


def _plain_numbers(texts: list[str | None]) -> list[int] | None:
    """Convert cells that are all digits; None when a cell is NULL or anything else."""
    return list(map(int, cast("list[str]", texts))) if _are_plain(texts) else None


def _are_plain(texts: list[str | None]) -> bool:
    """Whether cells are whole numbers of digits alone, and none is NULL."""
    if not all(texts):
        return False
    present = cast("list[str]", texts)
    digits = "".join(present)
    return digits.isascii() and digits.isdecimal() and max(map(len, present)) <= _MOST_DIGITS


def _whole(text: pl.Expr) -> pl.Expr:
    """Convert whole numbers of at most so many digits; null for any other text."""
    digits = text.str.len_bytes() - text.str.starts_with("-").cast(pl.UInt32)
    fits = (digits <= _MOST_DIGITS) & ~text.str.starts_with("+")
    return pl.when(fits).then(text.cast(pl.Int64, strict=False))


def precise(time: str | None, time_ms: str | None) -> float | None:
    """Return the seconds in the state, with the decimals of TIME_MS where they fit.

    time: None where a listing has no such column.
    """
    whole, ms = seconds((time or "").strip()), seconds((time_ms or "").strip())
    if time is None:
        return None if ms is None else ms / 1000
    if whole is not None and ms is not None and abs(ms / 1000 - whole) <= 1:
        return ms / 1000
    return whole


__all__ = ["NAMES", "handler", "is_processlist", "is_source", "plain", "precise"]
