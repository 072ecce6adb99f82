"""Read a processlist line by line: its rows, the end of each listing, and its time."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator

import polars as pl

from pileup.formats.errors import FormatError
from pileup.formats.reading import pt_stalk_samples
from pileup.formats.reading.repeated_text import repeated
from pileup.formats.tables.meanings.session_counts import ListingSeries
from pileup.formats.tables.parts.processlist_blocks import Listings
from pileup.formats.tables.parts.processlist_rows import (
    AFTER_INFO,
    COLUMNS,
    NOT_RUNNING,
    Cells,
    RowPattern,
    RowPatterns,
    integer,
    null_as_none,
    seconds,
)
from pileup.formats.unwrapping import client_layouts
from pileup.records import (
    Clock,
    Item,
    Problem,
    Rows,
    Section,
    Session,
    Skipped,
    Snapshot,
    build_frame,
)

BOX_HEADER = re.compile(
    r"^\| *id *\| *user *\| *host *\| *db *\| *command *\| *time *\| *state *\| *info *\|",
    re.IGNORECASE | re.MULTILINE,
)
TAB_HEADER = re.compile(
    r"^id\tuser\thost\tdb\tcommand\ttime\tstate\tinfo(?:\t\w+)*$", re.IGNORECASE | re.MULTILINE
)
_KEY = re.compile(r"(?P<key> *[A-Za-z_]+): ?(?P<value>.*)$")
_ID = re.compile(r" *id: ?\S{1,30}\s*$", re.IGNORECASE)
_FIRST_ROW = re.compile(r"\*+ 1\. row")
_NUMBER = re.compile(r"-?[0-9]{1,19}$")
_SECOND = 1_000_000
_MAX_INFO = 1024 * 1024
_MAX_EMPTY_REPORTED = 20


class _Row:
    """The current row: its fields so far, by column name."""

    __slots__ = ("column", "fields", "first", "info", "info_size", "last", "width")

    def __init__(self, first: int) -> None:
        self.first = first
        self.last = first
        self.fields: dict[str, str | None] = {}
        self.column = 0
        """Index of the next column that may come (\\G)."""
        self.width = -1
        """Length of a key up to its colon (\\G): all keys of a row are aligned."""
        self.info: list[str] = []
        self.info_size = 0

    def add_info(self, text: str, number: int) -> None:
        if self.info_size <= _MAX_INFO:
            self.info.append(text)
            self.info_size += len(text) + 1
        self.last = number


class ProcesslistReader:
    """Reads sessions line by line, or many rows of one layout at a time (``rows``)."""

    def __init__(self) -> None:
        self._row: _Row | None = None
        self._row_line: tuple[int, str] | None = None
        self._cut = False
        self._patterns = RowPatterns()
        self._vertical_pattern: RowPattern | None = None
        self._offsets: list[int] = []
        self._names: list[str] = []
        self._layout = ""
        self._samples = -1
        self._time: tuple[int, str | None] | None = None
        self._time_line = 0
        self._time_used = False
        self._clock_yielded = False
        self._empty = 0
        self._series = ListingSeries()
        self._last = 0
        self._counts_from(0)

    def line(self, number: int, line: str) -> Iterator[Item]:
        if line.startswith("TS ") and (time := pt_stalk_samples.read_ts(line)):
            yield from self._time_line_at(number, time)
        elif line[:2].lstrip().startswith("*") and client_layouts.ROW.match(line.lstrip()):
            yield from self._not_a_row()
            self._row_line = (number, line)  # the next line decides whether it is one
        elif self._row_line:
            yield from self._after_row_line(number, line)
        elif line.startswith("+") and client_layouts.RULE.match(line):
            yield from self._end_row()
            self._offsets = client_layouts.box_offsets(line)
            if self._layout != "box":
                self._layout = "rule"
        elif line.startswith("|") and BOX_HEADER.match(line):
            yield from self._header(number, [cell.strip() for cell in line.split("|")[1:-1]], "box")
        elif line[:2] in ("Id", "ID", "id") and TAB_HEADER.match(line):
            yield from self._header(number, line.split("\t"), "tab")
        elif self._layout == "vertical":
            yield from self._vertical(number, line)
        elif self._layout == "box":
            yield from self._box(number, line)
        elif self._layout == "tab":
            yield from self._tab(number, line)
        elif line.strip() and not client_layouts.CHATTER.match(line):
            yield Skipped(number, number, "not part of a processlist")

    def end(self, number: int) -> Iterator[Item]:
        yield from self._not_a_row()
        if self._row and self._layout == "vertical" and self._row.column < len(COLUMNS):
            self._cut = True
            yield Problem(number, "The file ends inside a row; it was kept as far as it goes.")
        yield from self._end_row()
        if not self._sessions and self._time and not self._time_used:
            yield from self._nothing_printed()
        yield from self._end_sample()
        yield from self._series.end()
        if self._empty > _MAX_EMPTY_REPORTED:
            yield Problem(
                None,
                f"{self._empty} TS lines in all are followed by nothing: the server did not answer",
            )
        if self._samples < 0:
            raise FormatError(
                "No session was found: expected rows of SHOW PROCESSLIST (\\G, box or "
                "tab-separated)."
            )

    def pattern_at(self, text: str, at: int) -> RowPattern | None:
        """Return the pattern of rows that may begin here; None to read the line on its own."""
        first = text[at]
        if first == "*":
            if self._vertical_pattern is None or not self._vertical_pattern.row.match(text, at):
                self._vertical_pattern = self._patterns.vertical(text, at)
            return self._vertical_pattern
        if first == "|" and self._layout == "box" and not self._row_line:
            return self._patterns.box(self._offsets, self._names)
        if self._layout == "tab" and first in "-0123456789" and not self._row_line:
            return self._patterns.tab(self._names)
        return None

    def rows(self, pattern: RowPattern, cells: Cells, first: int) -> Iterator[Item]:
        """Read adjacent rows of one listing; ``first`` is the line of the first."""
        yield from self._not_a_row()
        yield from self._end_row()
        if pattern.layout == "vertical":
            if cells["row"][0] == "1" and self._sessions:
                yield from self._end_sample()
            self._layout = "vertical"
            self._begin(first)
        count = len(cells["id"])
        columns = pattern.columns(cells)
        running = [
            state
            for command, state in zip(columns["command"], columns["state"], strict=True)
            if command not in NOT_RUNNING
        ]
        self._sessions += count
        self._running += len(running)
        self._states.update(filter(None, running))
        lines = range(first, first + count * pattern.lines, pattern.lines)
        self._last = max(self._last, lines[-1] + pattern.lines - 1)
        wall_us, clock = self._wall()
        columns |= {
            "line_first": list(lines),
            "line_last": [line + pattern.lines - 1 for line in lines],
            "wall_us": wall_us,
            "clock": clock,
            "snapshot": self._samples + 1,
        }
        yield Rows(Session.KIND, build_frame(Session.KIND, columns))

    def listings(self, found: Listings, first: int) -> Iterator[Item]:
        """Read tab-separated listings, the first perhaps begun above, from line ``first`` on."""
        yield from self._not_a_row()
        yield from self._end_row()
        rows = found.rows
        running = _running(found)
        parts: list[tuple[int, int, Clock, int]] = []
        at = 0
        for part, (line, mark) in enumerate([*found.marks, (found.lines, "")]):
            if line > at:
                states = running.get(part, {})
                self._sessions += line - at
                self._running += sum(states.values())
                self._states.update({state: n for state, n in states.items() if state})
                self._last = max(self._last, first + line - 1)
                parts.append((line - at, *self._wall(), self._samples + 1))
            if mark:
                yield from self.line(first + line, mark)
            at = line + 1
        names = {"rows": pl.Int64, "wall_us": pl.Int64, "clock": pl.String, "snapshot": pl.Int64}
        of_part = pl.DataFrame(parts, schema=names, orient="row")
        of_row = of_part[repeated([many for many, *_ in parts])]
        columns = {**rows.to_dict(), **of_row.drop("rows").to_dict()}
        columns["line_first"] = columns.pop("line") + first
        yield Rows(Session.KIND, build_frame(Session.KIND, columns))

    def _counts_from(self, first: int) -> None:
        self._sessions = 0
        self._running = 0
        self._states: Counter[str] = Counter()
        self._first = first
        self._last = first

    def _begin(self, number: int) -> None:
        if not self._sessions:
            self._first = number

    def _time_line_at(self, number: int, time: tuple[int, str | None]) -> Iterator[Item]:
        yield from self._not_a_row()
        yield from self._end_row()
        if self._time and not self._time_used and not self._sessions:
            yield from self._nothing_printed()
        yield from self._end_sample()
        self._time, self._time_line, self._time_used = time, number, False
        if time[1] and not self._clock_yielded:
            self._clock_yielded = True
            yield pt_stalk_samples.clock_event(number, time[0], time[1])

    def _nothing_printed(self) -> Iterator[Item]:
        self._empty += 1
        if self._empty <= _MAX_EMPTY_REPORTED:
            yield Problem(
                self._time_line,
                "Nothing follows this TS line: the server did not answer.",
            )

    def _header(self, number: int, names: list[str], layout: str) -> Iterator[Item]:
        yield from self._end_row()
        if self._sessions:
            yield from self._end_sample()
        self._names = [name.lower() for name in names]
        self._layout = layout
        self._begin(number)

    def _after_row_line(self, number: int, line: str) -> Iterator[Item]:
        """Begin a row only if ``Id:`` is below: a statement may hold a row line."""
        if _ID.match(line) and self._row_line:
            at, text = self._row_line
            self._row_line = None
            yield from self._end_row()
            if _FIRST_ROW.match(text) and self._sessions:
                yield from self._end_sample()
            self._layout = "vertical"
            self._begin(at)
            self._row = _Row(at)
        else:
            yield from self._not_a_row()
        yield from self.line(number, line)

    def _not_a_row(self) -> Iterator[Item]:
        if self._row_line is None:
            return
        (at, text), self._row_line = self._row_line, None
        if self._row and self._row.info:
            self._row.add_info(text, at)
        else:
            yield from self._end_row()
            yield Skipped(at, at, "a row of another kind")

    def _vertical(self, number: int, line: str) -> Iterator[Item]:
        row = self._row
        if row is None:
            if line.strip() and not client_layouts.CHATTER.match(line):
                yield Skipped(number, number, "not part of a processlist")
            return
        match = _KEY.match(line)
        key = match["key"].strip().lower() if match else ""
        width = len(match["key"]) if match else -1
        aligned = row.width in (-1, width)
        if match and aligned and self._is_next(row, key):
            row.width = width
            row.last = number
            if key in COLUMNS:
                row.column = COLUMNS.index(key) + 1
            if key == "info":
                row.add_info(match["value"], number)
            else:
                row.fields[key] = match["value"]
        elif "info" not in row.fields and row.info and row.column == len(COLUMNS):
            if client_layouts.CHATTER.match(line) and line[:1].isdigit():
                yield from self._end_row()
            elif line or row.info[-1]:
                row.add_info(line, number)
        elif "state" in row.fields and row.column == 7 and line.strip():
            row.fields["state"] = f"{row.fields['state']}\n{line}"[:2000]
            row.last = number

    def _is_next(self, row: _Row, key: str) -> bool:
        if key in COLUMNS:
            return COLUMNS.index(key) >= row.column and (row.column > 0 or key == "id")
        return key in AFTER_INFO and row.column == len(COLUMNS) and key not in row.fields

    def _box(self, number: int, line: str) -> Iterator[Item]:
        fixed = len(COLUMNS) - 1  # every column before Info
        if len(self._offsets) != len(self._names) + 1:
            yield Skipped(number, number, "a table without its +---+ rule")
            return
        starts = client_layouts.starts_box_row(line, self._offsets, 2)
        if starts and _NUMBER.match(line[1 : self._offsets[1]].strip()):
            yield from self._end_row()
            self._row = row = _Row(number)
            if cells := client_layouts.box_cells(line, self._offsets):
                row.fields = dict(zip(self._names, cells, strict=True))
            elif client_layouts.starts_box_row(line, self._offsets, fixed):
                at = self._offsets[: fixed + 1]
                cells = [line[a + 1 : b].strip() for a, b in itertools.pairwise(at)]
                row.fields = dict(zip(self._names, cells, strict=False))
                row.add_info(line[at[-1] + 1 :].strip(" "), number)
            else:
                # Characters wider or narrower than the client assumed: split at bars, not offsets.
                cells = [cell.strip() for cell in line.strip().strip("|").split("|", fixed)]
                if len(cells) <= fixed:
                    message = "A row that is cut; it was kept as far as it goes."
                    yield Problem(number, message, found=line[:200])
                    del cells[-1]  # a part of a cell is not a row
                row.fields = dict(zip(self._names, cells, strict=False))
                if "info" in row.fields:
                    row.add_info(str(row.fields.pop("info") or ""), number)
        elif self._row and self._row.info:
            self._row.add_info(line, number)
        elif line.strip() and not client_layouts.CHATTER.match(line):
            yield from client_layouts.stray(number, line, "not part of a processlist")

    def _tab(self, number: int, line: str) -> Iterator[Item]:
        cells = line.split("\t")
        if len(cells) >= len(COLUMNS) and _NUMBER.match(cells[0]):
            yield from self._end_row()
            self._row = row = _Row(number)
            extra = len(self._names) - len(COLUMNS)
            if len(cells) > len(self._names):  # --raw: a tab inside the statement
                after = len(cells) - extra
                info = "\t".join(cells[7:after])
                cells = [*cells[:7], info, *cells[after:]]
            row.fields = {
                name: client_layouts.unescape(cell)
                for name, cell in zip(self._names, cells, strict=False)
            }
        elif self._row and line.strip() and not client_layouts.CHATTER.match(line):
            # --raw: a newline inside the statement
            if not self._row.info:
                self._row.add_info(str(self._row.fields.pop("info", "") or ""), number)
            self._row.add_info(line, number)
        elif line.strip() and not client_layouts.CHATTER.match(line):
            yield Skipped(number, number, "not part of a processlist")

    def _end_row(self) -> Iterator[Item]:
        row, self._row = self._row, None
        if row is None:
            return
        fields = row.fields
        if row.info:
            fields["info"] = self._joined_info(row)
        session_id = integer(fields.get("id"))
        if session_id is None:
            yield Problem(
                row.first,
                "A processlist row without a readable Id; it was left out.",
                found=str(fields)[:200],
            )
            yield Skipped(row.first, row.last, "a row without an Id")
            return
        command = null_as_none(fields.get("command"))
        state = null_as_none(fields.get("state"))
        self._sessions += 1
        self._last = max(self._last, row.last)
        if command not in NOT_RUNNING:
            self._running += 1
            if state:
                self._states[state] += 1
        wall_us, clock = self._wall()
        yield Session(
            line_first=row.first,
            line_last=row.last,
            wall_us=wall_us,
            clock=clock,
            snapshot=self._samples + 1,
            session_id=session_id,
            user=null_as_none(fields.get("user")),
            client_host=null_as_none(fields.get("host")),
            db=null_as_none(fields.get("db")),
            command=command,
            time_s=seconds(fields.get("time"), fields.get("time_ms")),
            state=state,
            query=null_as_none(fields.get("info")),
            os_tid=integer(fields.get("tid")) or None,
        )

    def _joined_info(self, row: _Row) -> str:
        info = "\n".join(row.info)
        if self._layout == "box" and info.endswith("|"):
            info = info[:-1].rstrip(" ")
            # The columns after Info are at the end of the row's last line.
            for name in reversed(self._names[len(COLUMNS) :]):
                info, _, cell = info.rpartition("|")
                row.fields[name] = cell.strip()
            info = info.rstrip(" ")
        elif self._layout == "tab":
            for name in reversed(self._names[len(COLUMNS) :]):
                info, _, row.fields[name] = info.rpartition("\t")
        return info.rstrip("\n")

    def _wall(self) -> tuple[int, Clock]:
        if self._time:
            return self._time[0], "utc"
        return (self._samples + 1) * _SECOND, "relative"

    def _end_sample(self) -> Iterator[Item]:
        if not self._sessions:
            return
        wall_us, clock = self._wall()
        self._samples += 1
        quality = "unknown"
        if self._time:
            # A second listing below one TS line came late: its time is only near.
            quality = "inferred" if self._time_used else "exact"
            self._time_used = True
        yield Snapshot(
            line_first=self._first,
            line_last=self._last,
            wall_us=wall_us,
            clock=clock,
            snapshot=self._samples,
            kind="processlist",
            time_quality=quality,
            original=self._time[1] if self._time else None,
            complete=not self._cut,
        )
        title = f"{self._sessions} sessions, {self._running} running"
        yield Section(title, self._first, self._last)
        self._series.add(wall_us, clock, self._first, self._sessions, self._running, self._states)
        yield from self._series.drain()
        self._counts_from(0)


def _running(found: Listings) -> dict[int, dict[str | None, int]]:
    """Count running sessions by state, by how many marks are above them."""
    marks = pl.Series([line for line, _ in found.marks], dtype=pl.Int64)
    command = pl.col("command")
    counts = (
        found.rows.with_columns(marks.search_sorted(found.rows["line"]).alias("part"))
        .filter(~command.is_in(list(NOT_RUNNING), nulls_equal=True))
        .group_by("part", "state", maintain_order=True)
        .len()
    )
    running: dict[int, dict[str | None, int]] = {}
    for part, state, count in counts.rows():
        running.setdefault(part, {})[state] = count
    return running
