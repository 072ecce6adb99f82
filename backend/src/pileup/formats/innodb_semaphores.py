"""SEMAPHORES section of SHOW ENGINE INNODB STATUS: one row per waiting thread.

Source: sync_array_cell_print(), storage/innobase/sync/sync0arr.cc (4.1 to 9.x); debug builds add
        who reserved a mutex last and rw_lock_debug_print(); XtraDB adds the quoted C expression.
        MariaDB >= 10.6 has no sync array: its section is empty.
Units:  waited_s in whole seconds: the server measures with time(NULL), the decimals are zeros.
        lock_word is printed in hex without a prefix and is signed (ffffffffffffffff is -1).
Speed:  a thousand waiters say nearly the same. What stands after the thread's number is read once
        per distinct text and then looked up; only numbers of threads and lines differ per row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import polars as pl

from pileup.records import (
    UINT64_MAX,
    Clock,
    Item,
    Problem,
    Rows,
    SemaphoreWait,
    Skipped,
    frame_schema,
)

# --Thread 908230 has waited at handler/ha_innodb.cc line 7156 for 1.00 seconds the semaphore:
# --Thread 139785219020544 has waited at buf0block_hint.cc line 72 for 0 seconds the semaphore:
# --Thread 140 has waited at btr0sea.ic line 122 for 241  seconds the semaphore:
_START = "--Thread "
_PLACE = re.compile(
    r"(?P<file>.+?) line (?P<line>\d+) +for (?P<seconds>\d+(?:\.\d+)?) +seconds? the semaphore:"
)
# Mutex at 0x7ff8a0 created file log0log.cc line 844, lock var 1
# Mutex at 0xf89ab0 '&kernel_mutex', lock var 1
# Mutex at 0x29468b8, Mutex BUF_POOL created buf0buf.cc:1731, lock var 1
# Mutex at 0x5622f36161f8, Mutex TRX_SYS created trx0sys.cc:607, locked by 140648691181248
_MUTEX = re.compile(
    r"Mutex at (?P<address>(?:0x)?[0-9a-fA-F]+)"
    r"(?: created file (?P<file>.+?) line (?P<line>\d+))?"
    r"(?: '(?P<quoted>[^']*)')?"
    r"(?:, Mutex (?P<name>\S+) created (?P<file2>.+?):(?P<line2>\d+))?"
    r"(?:, (?:lock var (?P<var>\S+)|locked by (?P<holder>\S+)))?"
)
# S-lock on RW-latch at 0x7f2162eae30 created in file buf0buf.cc line 1433
# X-lock (wait_ex) on RW-latch at 90075530 '&btr_search_latch'
_LATCH = re.compile(
    r"(?P<mode>S-lock|X-lock \(wait_ex\)|X-lock|SX-lock) on RW-latch at "
    r"(?P<address>(?:0x)?[0-9a-fA-F]+)"
    r"(?: created in file (?P<file>.+?) line (?P<line>\d+))?(?: '(?P<quoted>[^']*)')?"
)
_WRITER = re.compile(
    r"a writer \(thread id (?P<thread>\d+|0x[0-9a-fA-F]+)\) has reserved it in mode +(?P<mode>.+)"
)
_READERS = re.compile(
    r"number of readers (?P<readers>\d+), waiters flag (?P<flag>\d+)"
    r"(?:, lock_word: (?P<word>[0-9a-fA-F]+))?"
)
# Last time read locked in file not yet reserved line 0
# Last time reserved in file buf0buf.cc line 3410, waiters flag 1                     (debug: mutex)
_LAST = re.compile(
    r"Last time (?P<what>read locked|write locked|reserved) in file "
    r"(?P<file>.+?) line (?P<line>\d+)"
)
_FLAG = re.compile(r"(?:.*, )?waiters flag (?P<flag>\d+)")
# Locked: thread 139785216907008 file row0ins.cc line 2366  S-LOCK                          (debug)
_LOCKED = re.compile(
    r"Locked: thread (?P<thread>\d+) file .+? line \d+ +(?P<mode>S|X|SX|WAIT EX|MUTEX)\b"
)

_MODES = {"S-lock": "S", "X-lock": "X", "X-lock (wait_ex)": "X wait_ex", "SX-lock": "SX"}
_LAST_FIELD = {"read locked": "last_read", "write locked": "last_write", "reserved": "last_write"}
_COUNTER = re.compile(r"^(?:OS WAIT ARRAY INFO|Mutex spin|RW-\w+ spins|Spin rounds)", re.MULTILINE)

_PLACE_FIELDS = ("file", "line", "waited_s")
_OWN_FIELDS = ("line_first", "line_last", "host", "wall_us", "clock", "snapshot", "thread_id")
_SCHEMA = frame_schema(SemaphoreWait.KIND)
_BODY_FIELDS = tuple(name for name in _SCHEMA if name not in (*_OWN_FIELDS, *_PLACE_FIELDS))


class Counted(NamedTuple):
    """What a section says beside its waits."""

    waits: int
    counters: list[tuple[int, str]]
    """Texts of counters, each with the number of its first line."""
    said: list[Item]


class _Body(NamedTuple):
    """The lines below a --Thread line."""

    fields: tuple[Any, ...]
    """As _BODY_FIELDS."""
    lines: int
    last: int
    """From the --Thread line to the last line that says something."""
    unread: tuple[int, ...]


class Waits:
    """Collects the waits of many dumps; ``flush`` hands them on as one frame."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._places: dict[str, int] = {}
        self._place_rows: list[tuple[str, int, float]] = []
        self._bodies: dict[str, int] = {}
        self._body_rows: list[_Body] = []
        self._thread: list[int] = []
        self._place_of: list[int] = []
        self._body_of: list[int] = []
        self._first: list[int] = []
        self._dumps: list[tuple[int, int | None, int | None, Clock | None]] = []

    def __len__(self) -> int:
        return len(self._thread)

    def read(
        self,
        text: str,
        line: int,
        *,
        wall_us: int | None,
        snapshot: int | None,
        clock: Clock | None = "local",
    ) -> Counted:
        """One section, or any text with such paragraphs; ``line`` is the number of its first."""
        before, *paragraphs = f"\n{text}".split(f"\n{_START}")
        counters = [(line, before[1:])] if before else []
        said: list[Item] = []
        held = len(self._thread)
        places, bodies, rows = self._places, self._bodies, self._body_rows
        line += before.count("\n")
        for paragraph in paragraphs:
            end = paragraph.find("\n")
            head, below = (paragraph[:end], paragraph[end:]) if end >= 0 else (paragraph, "")
            thread, _, where = head.partition(" has waited at ")
            body = bodies.get(below)
            if body is None:
                if cut := _COUNTER.search(below):
                    at = cut.start() - 1
                    counters.append((line + below.count("\n", 0, at) + 1, below[at + 1 :]))
                    below = below[:at]
                body = self._body(below)
            place = places.get(where)
            if place is None:
                place = self._place(where)
            if place < 0 or not thread.isdecimal() or (len(thread) > 19 and not _fits(thread)):
                said.append(_unreadable(line, paragraph))
            else:
                self._thread.append(int(thread))
                self._place_of.append(place)
                self._body_of.append(body)
                self._first.append(line)
            if rows[body].unread:
                said.extend(_skipped(line + offset) for offset in rows[body].unread)
            line += paragraph.count("\n") + 1
        waits = len(self._thread) - held
        if waits:
            self._dumps.append((waits, wall_us, snapshot, None if wall_us is None else clock))
        if len(counters) > 2:  # several sync arrays: one text, so that their counts are summed
            counters = [_padded(counters)]
        return Counted(waits, counters, said)

    def flush(self) -> Iterator[Rows]:
        """All that was read since the last flush, in print order."""
        if self._thread:
            yield Rows(SemaphoreWait.KIND, self._frame())
        self._clear()

    def _frame(self) -> pl.DataFrame:
        counts = pl.Series([dump[0] for dump in self._dumps], dtype=pl.UInt32)
        dumps = pl.DataFrame(
            [dump[1:] for dump in self._dumps],
            schema={"wall_us": pl.Int64(), "snapshot": pl.Int64(), "clock": pl.String()},
            orient="row",
        )[pl.arange(len(counts), eager=True).repeat_by(counts).explode()]
        places = _table(self._place_rows, _PLACE_FIELDS)[self._place_of]
        bodies = _table([body.fields for body in self._body_rows], _BODY_FIELDS)[self._body_of]
        last = pl.Series([body.last for body in self._body_rows], dtype=pl.Int64)[self._body_of]
        frame = pl.DataFrame(
            {
                "line_first": pl.Series(self._first, dtype=pl.Int64),
                "thread_id": pl.Series(self._thread, dtype=pl.UInt64),
            }
        ).with_columns(
            (pl.col("line_first") + last).alias("line_last"),
            pl.lit(None, dtype=pl.String).alias("host"),
            dumps["wall_us"],
            dumps["clock"],
            dumps["snapshot"],
            *places.get_columns(),
            *bodies.get_columns(),
        )
        return frame.select(*_SCHEMA)

    def _place(self, where: str) -> int:
        """The row of a place; -1 for a text that names none."""
        match = _PLACE.match(where)
        number = whole(match["line"]) if match else None
        row = -1
        if match and number is not None and len(match["seconds"]) < 19:
            row = len(self._place_rows)
            seconds = float(match["seconds"])
            self._place_rows.append((short_file(match["file"]), number, seconds))
        self._places[where] = row
        return row

    def _body(self, below: str) -> int:
        """The row of a body, made when it is new."""
        row = self._bodies.get(below)
        if row is None:
            row = self._bodies[below] = len(self._body_rows)
            self._body_rows.append(_read_body(below))
        return row


def _read_body(below: str) -> _Body:
    fields: dict[str, Any] = {"mode": "unknown", "ended": False}
    unread = []
    last = 0
    lines = below.split("\n")
    for offset, line in enumerate(lines):
        line = line.strip()
        if not line:
            continue
        last = offset
        if not _read_line(line, fields):
            unread.append(offset)
    values = tuple(fields.get(name) for name in _BODY_FIELDS)
    return _Body(values, len(lines), last, tuple(unread))


def _read_line(line: str, fields: dict[str, Any]) -> bool:
    """Whether the line says something that we know."""
    if found := _LATCH.match(line):
        fields["mode"] = _MODES[found["mode"]]
        _object(fields, found["address"], found["quoted"], found["file"], found["line"])
    elif line.startswith("Mutex at") and (found := _MUTEX.match(line)):
        fields["mode"] = "mutex"
        name = found["quoted"] or found["name"]
        file, number = found["file"] or found["file2"], found["line"] or found["line2"]
        _object(fields, found["address"], name, file, number)
        _held_by(fields, found["holder"], "mutex")
    elif found := _WRITER.match(line):
        _held_by(fields, found["thread"], " ".join(found["mode"].split()))
    elif found := _READERS.match(line):
        fields["readers"] = whole(found["readers"])
        fields["waiters_flag"] = whole(found["flag"])
        if found["word"]:
            fields["lock_word"] = signed(found["word"])
    elif found := _LAST.match(line):
        if found["file"] != "not yet reserved":
            what = _LAST_FIELD[found["what"]]
            fields[f"{what}_file"] = short_file(found["file"])
            fields[f"{what}_line"] = whole(found["line"])
        if flag := _FLAG.match(line):
            fields["waiters_flag"] = whole(flag["flag"])
    elif found := _FLAG.match(line):
        fields["waiters_flag"] = whole(found["flag"])
    elif found := _LOCKED.match(line):
        if found["mode"] in ("X", "SX") and "holder_thread" not in fields:
            _held_by(fields, found["thread"], "exclusive" if found["mode"] == "X" else "SX")
    else:
        fields["ended"] = fields["ended"] or line.startswith("wait has ended")
        return line.startswith("wait has ended")
    return True


def _object(
    fields: dict[str, Any], address: str, name: str | None, file: str | None, line: str | None
) -> None:
    digits = address.lower().removeprefix("0x")
    fields["latch_address"] = f"0x{digits}"
    fields["latch_name"] = name
    if file is not None and line is not None:
        fields["created_file"] = short_file(file)
        fields["created_line"] = whole(line)


def _held_by(fields: dict[str, Any], thread: str | None, mode: str) -> None:
    """The owner that is printed; 'nobody' is a hand-over and leaves it open."""
    if thread and len(thread) <= 20 and (thread.isdecimal() or thread.startswith("0x")):
        holder = int(thread, 16 if thread.startswith("0x") else 10)
        if holder <= UINT64_MAX:
            fields["holder_thread"], fields["holder_mode"] = holder, mode


def _table(rows: Sequence[tuple[Any, ...]], names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={name: _SCHEMA[name] for name in names}, orient="row")


def _padded(counters: list[tuple[int, str]]) -> tuple[int, str]:
    """Texts that stand apart as one, with empty lines between them."""
    first = counters[0][0]
    whole_text = ""
    lines = 0
    for line, text in counters:
        whole_text += "\n" * (line - first - lines) + text
        lines = line - first + text.count("\n")
    return first, whole_text


def _unreadable(line: int, paragraph: str) -> Problem:
    return Problem(
        line,
        "A semaphore wait that cannot be read; it is missing from the waits of this dump.",
        "--Thread N has waited at FILE line N for N seconds the semaphore:",
        (_START + paragraph[:200]).split("\n")[0],
    )


def _skipped(line: int) -> Skipped:
    return Skipped(line, line, "not a line of a semaphore wait")


def _fits(thread: str) -> bool:
    return len(thread) <= 20 and int(thread) <= UINT64_MAX


def whole(digits: str) -> int | None:
    """A printed whole number; None for one that no server can have printed."""
    return int(digits) if len(digits) < 19 else None


def short_file(path: str) -> str:
    """The base name; builds print their own folders before it."""
    return path.strip().replace("\\", "/").rsplit("/", 1)[-1]


def signed(word: str) -> int | None:
    """A hex word as a signed number of its printed width: ffffffffffffffff and ffffffff are -1."""
    if len(word) > 16:
        return None
    value = int(word, 16)
    bits = 64 if len(word) > 8 else 32
    return value - (1 << bits) if value >= 1 << (bits - 1) and len(word) in (8, 16) else value
