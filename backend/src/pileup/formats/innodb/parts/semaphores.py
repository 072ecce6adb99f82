"""Parse the SEMAPHORES section of SHOW ENGINE INNODB STATUS: one row per waiting thread.

Source: sync_array_cell_print(), storage/innobase/sync/sync0arr.cc (4.1 to 9.x); debug builds add
        who reserved a mutex last and rw_lock_debug_print(); XtraDB adds the quoted C expression.
        MariaDB >= 10.6 has no sync array: its section is empty.
Units:  waited_s in whole seconds: the server measures with time(NULL), the decimals are zeros.
        lock_word is printed in hex without a prefix and is signed (ffffffffffffffff is -1).
Speed:  a thousand waiters print nearly the same. The text after the thread's number is read once
        per distinct text and then looked up; only numbers of threads and lines differ per row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from operator import attrgetter
from typing import Any, NamedTuple

import polars as pl

from pileup.formats.reading.repeated_text import Interned
from pileup.records import (
    UINT64_MAX,
    Clock,
    Item,
    Problem,
    Rows,
    SemaphoreWait,
    Skipped,
    build_frame,
    frame_schema,
)
from pileup.records.columns import group_of_rows

# --Thread 908230 has waited at handler/ha_innodb.cc line 7156 for 1.00 seconds the semaphore:
# --Thread 139785219020544 has waited at buf0block_hint.cc line 72 for 0 seconds the semaphore:
# --Thread 140 has waited at btr0sea.ic line 122 for 241  seconds the semaphore:
_START = "--Thread "
_END = r"(?=[\s,;:]|$)"
"""Required behind a number: part of a number with an unreadable character is not a number."""
_PLACE = re.compile(r"(?P<file>.+?) line (?P<line>\d+) +for (?P<seconds>\d+(?:\.\d+)?) +seconds?\b")
# Mutex at 0x7ff8a0 created file log0log.cc line 844, lock var 1
# Mutex at 0xf89ab0 '&kernel_mutex', lock var 1
# Mutex at 0x29468b8, Mutex BUF_POOL created buf0buf.cc:1731, lock var 1
# Mutex at 0x5622f36161f8, Mutex TRX_SYS created trx0sys.cc:607, locked by 140648691181248
_MUTEX = re.compile(
    rf"Mutex at (?P<address>(?:0x)?[0-9a-fA-F]+){_END}"
    rf"(?: created file (?P<file>.+?) line (?P<line>\d+){_END})?"
    r"(?: '(?P<quoted>[^']*)')?"
    rf"(?:, Mutex (?P<name>\S+) created (?P<file2>.+?):(?P<line2>\d+){_END})?"
    r"(?:, (?:lock var (?P<var>\S+)|locked by (?P<holder>\S+)))?"
)
# S-lock on RW-latch at 0x7f2162eae30 created in file buf0buf.cc line 1433
# X-lock (wait_ex) on RW-latch at 90075530 '&btr_search_latch'
_LATCH = re.compile(
    r"(?P<mode>S-lock|X-lock \(wait_ex\)|X-lock|SX-lock) on RW-latch at "
    rf"(?P<address>(?:0x)?[0-9a-fA-F]+){_END}"
    rf"(?: created in file (?P<file>.+?) line (?P<line>\d+){_END})?(?: '(?P<quoted>[^']*)')?"
)
_WRITER = re.compile(
    r"a writer \(thread id (?P<thread>\d+|0x[0-9a-fA-F]+)\) has reserved it in mode +(?P<mode>.+)"
)
_READERS = re.compile(
    rf"number of readers (?P<readers>\d+), waiters flag (?P<flag>\d+){_END}"
    rf"(?:, lock_word: (?P<word>[0-9a-fA-F]+){_END})?"
)
# Last time read locked in file not yet reserved line 0
# Last time reserved in file buf0buf.cc line 3410, waiters flag 1                     (debug: mutex)
_LAST = re.compile(
    r"Last time (?P<what>read locked|write locked|reserved) in file "
    rf"(?P<file>.+?) line (?P<line>\d+){_END}"
)
_FLAG = re.compile(rf"(?:.*, )?waiters flag (?P<flag>\d+){_END}")
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


_PLAIN = attrgetter("plain")


class Counted(NamedTuple):
    """The contents of a section other than its waits."""

    waits: int
    counters: list[tuple[int, str]]
    """Texts of counters, each with the number of its first line."""
    items: list[Item]
    unreadable: int = 0
    """Waits that are printed and could not be read."""


class _Wait(NamedTuple):
    """The text after the thread of one wait."""

    place: int
    body: int
    lines: int
    plain: bool
    """Nothing but a wait: its place is readable, and every line below is known."""


class _Place(NamedTuple):
    """A place as _PLACE_FIELDS; None where the text names no place."""

    file: str | None
    line: int | None
    waited_s: float | None


class _Body(NamedTuple):
    """The lines below a --Thread line."""

    fields: tuple[Any, ...]
    """As _BODY_FIELDS."""
    last: int
    """Lines from the --Thread line to the last line that is not empty."""
    unread: tuple[int, ...]


class Waits:
    """Collects the waits of many dumps; ``flush`` yields them as one frame."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._waits: Interned[_Wait] = Interned()
        self._places: Interned[_Place] = Interned()
        self._bodies: Interned[_Body] = Interned()
        self._thread: list[int] = []
        self._wait_index: list[int] = []
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
        """Read one section, or any text with such paragraphs; ``line`` is its first line."""
        before, *paragraphs = f"\n{text}".split(f"\n{_START}")
        counters = [(line, before[1:])] if before else []
        if not paragraphs:
            return Counted(0, counters, [])
        line += before.count("\n")
        held = len(self._thread)
        items: list[Item] = []
        after = ""
        if cut := _COUNTER.search(paragraphs[-1]):
            paragraphs[-1], after = _split(paragraphs[-1], cut.start())
        end = self._take_plain(paragraphs, line)
        if end is None:
            end = self._take_each(paragraphs, line, counters, items)
        if after:
            counters.append((end, after))
        waits = len(self._thread) - held
        unreadable = len(paragraphs) - waits
        if waits:
            self._dumps.append((waits, wall_us, snapshot, None if wall_us is None else clock))
        if len(counters) > 2:  # several sync arrays: one text, so that their counts are summed
            counters = [_padded(counters)]
        return Counted(waits, counters, items, unreadable)

    def flush(self) -> Iterator[Rows]:
        """Yield all waits since the last flush, in print order."""
        if self._thread:
            yield Rows(SemaphoreWait.KIND, self._frame())
        self._clear()

    def _take_plain(self, paragraphs: list[str], line: int) -> int | None:
        """Take paragraphs that are nothing but waits; return the number of the line below them.

        Returns None, without taking any, when a paragraph has more than a wait.
        """
        parts = [paragraph.partition(" has waited at ") for paragraph in paragraphs]
        threads = [part[0] for part in parts]
        if not "".join(threads).isdecimal() or max(map(len, threads)) > 19 or "" in threads:
            return None
        get = self._waits.get
        numbers = [get(part[2]) for part in parts]
        if None in numbers:
            numbers = [self._number(part[2]) for part in parts]
        rows = self._waits.rows
        waits = [rows[number] for number in numbers if number is not None]
        if not all(map(_PLAIN, waits)):
            return None
        *first, end = accumulate([wait.lines for wait in waits], initial=line)
        self._thread += map(int, threads)
        self._wait_index += [number for number in numbers if number is not None]
        self._first += first
        return end

    def _take_each(
        self,
        paragraphs: list[str],
        line: int,
        counters: list[tuple[int, str]],
        items: list[Item],
    ) -> int:
        """Take paragraphs like ``_take_plain``, also damaged ones and counters between them."""
        for paragraph in paragraphs:
            text = paragraph
            if cut := _COUNTER.search(text):
                text, rest = _split(text, cut.start())
                counters.append((line + text.count("\n") + 1, rest))
            head, newline, below = text.partition("\n")
            thread, _, where = head.partition(" has waited at ")
            number = self._number(f"{where}{newline}{below}")
            wait = self._waits.rows[number]
            if self._places.rows[wait.place].file is None or not _is_thread(thread):
                items.append(_unreadable_problem(line, text))
            else:
                self._thread.append(int(thread))
                self._wait_index.append(number)
                self._first.append(line)
            if len(where) > _LONG:
                items.append(_skipped_line(line))
            items.extend(_skipped_line(line + at) for at in self._bodies.rows[wait.body].unread)
            line += paragraph.count("\n") + 1
        return line

    def _number(self, rest: str) -> int:
        """Return the number of the text after a thread, reading it when it is new."""
        number = self._waits.get(rest)
        if number is not None:
            return number
        where, newline, below = rest.partition("\n")
        place = self._places.get(where)
        if place is None:
            place = self._places.add(where, _read_place(where))
        body = self._bodies.get(below)
        if body is None:
            body = self._bodies.add(below, _read_body(below))
        plain = (
            self._places.rows[place].file is not None
            and len(where) <= _LONG
            and not self._bodies.rows[body].unread
            and not _COUNTER.search(below)
        )
        lines = 1 + below.count("\n") + bool(newline)
        return self._waits.add(rest, _Wait(place, body, lines, plain))

    def _frame(self) -> pl.DataFrame:
        dump = group_of_rows([dump[0] for dump in self._dumps])
        wait = pl.Series(self._wait_index, dtype=pl.Int64)
        place = pl.Series([row.place for row in self._waits.rows], dtype=pl.Int64).gather(wait)
        body = pl.Series([row.body for row in self._waits.rows], dtype=pl.Int64).gather(wait)
        fields: Interned[tuple[Any, ...]] = Interned()
        fields.rows = [row.fields for row in self._bodies.rows]
        first = pl.Series(self._first, dtype=pl.Int64)
        last = pl.Series([row.last for row in self._bodies.rows], dtype=pl.Int64).gather(body)
        _, walls, snapshots, clocks = zip(*self._dumps, strict=True)
        return build_frame(
            SemaphoreWait.KIND,
            {
                "line_first": first,
                "line_last": first + last,
                "wall_us": pl.Series(walls, dtype=pl.Int64).gather(dump),
                "clock": pl.Series(clocks, dtype=pl.String).gather(dump),
                "snapshot": pl.Series(snapshots, dtype=pl.Int64).gather(dump),
                "thread_id": pl.Series(self._thread, dtype=pl.UInt64),
                **self._places.columns(_PLACE_FIELDS, _SCHEMA, place),
                **fields.columns(_BODY_FIELDS, _SCHEMA, body),
            },
        )


def _read_place(where: str) -> _Place:
    match = _PLACE.match(where)
    number = whole(match["line"]) if match else None
    if match is None or number is None or len(match["seconds"]) > 18:
        return _Place(None, None, None)
    return _Place(short_file(match["file"]), number, float(match["seconds"]))


def _read_body(below: str) -> _Body:
    fields: dict[str, Any] = {"mode": "unknown", "ended": False}
    unread = []
    last = 0
    for offset, line in enumerate(below.split("\n"), start=1):
        line = line.strip()
        if not line:
            continue
        last = offset
        read = _line(line) if len(line) < _LONG else _read_line(line)
        if read is None:
            unread.append(offset)
        elif "holder_thread" in fields and line.startswith("Locked"):
            continue  # the writer line names it as well
        else:
            fields.update(read)
    return _Body(tuple(map(fields.get, _BODY_FIELDS)), last, tuple(unread))


def _read_line(line: str) -> dict[str, Any] | None:
    """Return the fields of one line; None for an unknown line."""
    if line.startswith("Last time"):
        return _last(line)
    if match := _LATCH.match(line):
        mode = _MODES[match["mode"]]
        return _object(mode, match["address"], match["quoted"], match["file"], match["line"])
    if line.startswith("Mutex at") and (match := _MUTEX.match(line)):
        name = match["quoted"] or match["name"]
        file, number = match["file"] or match["file2"], match["line"] or match["line2"]
        fields = _object("mutex", match["address"], name, file, number)
        return fields | _held_by(match["holder"], "mutex")
    if match := _WRITER.match(line):
        return _held_by(match["thread"], " ".join(match["mode"].split()))
    if match := _READERS.match(line):
        fields = {"readers": whole(match["readers"]), "waiters_flag": whole(match["flag"])}
        if match["word"]:
            fields["lock_word"] = signed(match["word"])
        return fields
    if match := _FLAG.match(line):
        return {"waiters_flag": whole(match["flag"])}
    if match := _LOCKED.match(line):
        held = {"X": "exclusive", "SX": "SX"}.get(match["mode"])
        return _held_by(match["thread"], held) if held else {}
    if line == "the semaphore:":  # the end of the --Thread line, on a line of its own
        return {}
    return {"ended": True} if line.startswith("wait has ended") else None


_LONG = 250
"""Characters: no server prints a longer line of a wait; it holds several."""
_line = lru_cache(maxsize=10_000)(_read_line)


def _last(line: str) -> dict[str, Any] | None:
    match = _LAST.match(line)
    if match is None:
        return None
    fields: dict[str, Any] = {}
    if match["file"] != "not yet reserved":
        what = _LAST_FIELD[match["what"]]
        fields[f"{what}_file"] = short_file(match["file"])
        fields[f"{what}_line"] = whole(match["line"])
    if flag := _FLAG.match(line):
        fields["waiters_flag"] = whole(flag["flag"])
    return fields


def _object(
    mode: str, address: str, name: str | None, file: str | None, line: str | None
) -> dict[str, Any]:
    digits = address.lower().removeprefix("0x")
    fields = {"mode": mode, "latch_address": f"0x{digits}", "latch_name": name}
    if file is None or line is None:
        return fields
    return fields | {"created_file": short_file(file), "created_line": whole(line)}


def _held_by(thread: str | None, mode: str) -> dict[str, Any]:
    """Return the fields of the printed owner; 'nobody' is a hand-over and leaves it open.

    Thread 0 is nobody as well: a page that is being written is handed to the I/O thread that ends
    the write.
    """
    if thread and len(thread) <= 20 and (thread.isdecimal() or thread.startswith("0x")):
        holder = int(thread, 16 if thread.startswith("0x") else 10)
        if 0 < holder <= UINT64_MAX:
            return {"holder_thread": holder, "holder_mode": mode}
    return {}


def _padded(counters: list[tuple[int, str]]) -> tuple[int, str]:
    """Join separate texts to one, with empty lines between them."""
    first = counters[0][0]
    whole_text = ""
    lines = 0
    for line, text in counters:
        whole_text += "\n" * (line - first - lines) + text
        lines = line - first + text.count("\n")
    return first, whole_text


def _unreadable_problem(line: int, paragraph: str) -> Problem:
    return Problem(
        line,
        "A semaphore wait that cannot be read; it is missing from the waits of this dump.",
        "--Thread N has waited at FILE line N for N seconds the semaphore:",
        (_START + paragraph)[:200].split("\n")[0],
    )


def _skipped_line(line: int) -> Skipped:
    return Skipped(line, line, "not a line of a semaphore wait")


def _split(text: str, at: int) -> tuple[str, str]:
    """Split before a line that begins at this offset: the lines above it, and the rest."""
    return text[: max(at - 1, 0)], text[at:]


def _is_thread(thread: str) -> bool:
    return thread.isdecimal() and len(thread) <= 20 and int(thread) <= UINT64_MAX


def whole(digits: str) -> int | None:
    """Convert a printed whole number; None for one that no server can have printed."""
    return int(digits) if len(digits) < 19 else None


def short_file(path: str) -> str:
    """Return the base name of a path; builds print their own folders before it."""
    return path.strip().replace("\\", "/").rsplit("/", 1)[-1]


def signed(word: str) -> int | None:
    """Convert a hex word to a signed number of its printed width: ffffffffffffffff is -1."""
    if len(word) > 16:
        return None
    value = int(word, 16)
    bits = 64 if len(word) > 8 else 32
    return value - (1 << bits) if value >= 1 << (bits - 1) and len(word) in (8, 16) else value
