"""SEMAPHORES section of SHOW ENGINE INNODB STATUS: one record per waiting thread.

Source: sync_array_cell_print(), storage/innobase/sync/sync0arr.cc (5.0 to 9.x); XtraDB adds the
        quoted C expression. MariaDB >= 10.6 has no sync array: its section is empty.
Units:  waited_s in whole seconds: the server measures with time(NULL), the decimals are zeros.
        lock_word is printed in hex without a prefix and is signed (ffffffffffffffff is -1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pileup.records import Item, Problem, SemaphoreWait, Skipped

Numbered = tuple[int, str]
"""A line with its number in the artifact."""

# --Thread 908230 has waited at handler/ha_innodb.cc line 7156 for 1.00 seconds the semaphore:
# --Thread 139785219020544 has waited at buf0block_hint.cc line 72 for 0 seconds the semaphore:
# --Thread 140 has waited at btr0sea.ic line 122 for 241  seconds the semaphore:
_WAIT = re.compile(
    r"--Thread (?P<thread>\d+) has waited at (?P<file>.+?) line (?P<line>\d+)"
    r" +for (?P<seconds>[\d.]+) +seconds? the semaphore:"
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
_LAST = re.compile(
    r"Last time (?P<what>read|write) locked in file (?P<file>.+?) line (?P<line>\d+)"
)
_FLAG = re.compile(r"waiters flag (?P<flag>\d+)")

_MODES = {"S-lock": "S", "X-lock": "X", "X-lock (wait_ex)": "X wait_ex", "SX-lock": "SX"}
_COUNTERS = ("OS WAIT ARRAY INFO", "Mutex spin", "RW-shared", "RW-excl", "RW-sx", "Spin rounds")


def parse_semaphores(
    lines: Sequence[Numbered], *, wall_us: int | None, snapshot: int
) -> Iterator[Item]:
    """Every wait in print order; lines of counters are left to innodb_counters."""
    start: Numbered | None = None
    body: list[Numbered] = []
    for number, text in lines:
        if text.startswith("--Thread "):
            if start:
                yield _wait(start, body, wall_us, snapshot)
            start, body = (number, text), []
        elif text.startswith(_COUNTERS):
            if start:
                yield _wait(start, body, wall_us, snapshot)
            start, body = None, []
        elif start:
            body.append((number, text))
        elif text.strip() and not text.strip().startswith(("mutex", "rw-excl", "0.", "RW-")):
            yield Skipped(number, number, f"not a line of SEMAPHORES: {text[:80]!r}")
    if start:
        yield _wait(start, body, wall_us, snapshot)


def _wait(start: Numbered, body: Sequence[Numbered], wall_us: int | None, snapshot: int) -> Item:
    number, text = start
    match = _WAIT.match(text)
    if not match:
        return Problem(
            number,
            "A semaphore wait that cannot be read; it is missing from the waits of this dump.",
            "--Thread N has waited at FILE line N for N seconds the semaphore:",
            text[:200],
        )
    fields: dict[str, Any] = {"mode": "unknown"}
    last = number
    for line_number, line in body:
        line = line.strip()
        if not line:
            continue
        last = line_number
        _read_line(line, fields)
    return SemaphoreWait(
        line_first=number,
        line_last=last,
        wall_us=wall_us,
        clock="local" if wall_us is not None else None,
        snapshot=snapshot,
        thread_id=int(match["thread"]),
        file=short_file(match["file"]),
        line=int(match["line"]),
        waited_s=float(match["seconds"]),
        **fields,
    )


def _read_line(line: str, fields: dict[str, Any]) -> None:
    if found := _LATCH.match(line):
        fields["mode"] = _MODES[found["mode"]]
        _object(fields, found["address"], found["quoted"], found["file"], found["line"])
    elif line.startswith("Mutex at") and (found := _MUTEX.match(line)):
        fields["mode"] = "mutex"
        name = found["quoted"] or found["name"]
        _object(
            fields,
            found["address"],
            name,
            found["file"] or found["file2"],
            found["line"] or found["line2"],
        )
        holder = found["holder"]
        if holder and holder.isdecimal():
            fields["holder_thread"], fields["holder_mode"] = int(holder), "mutex"
    elif found := _WRITER.match(line):
        fields["holder_thread"] = int(found["thread"], 0)
        fields["holder_mode"] = " ".join(found["mode"].split())
    elif found := _READERS.match(line):
        fields["readers"] = int(found["readers"])
        fields["waiters_flag"] = int(found["flag"])
        if found["word"]:
            fields["lock_word"] = signed(found["word"])
    elif found := _LAST.match(line):
        if found["file"] != "not yet reserved":
            fields[f"last_{found['what']}_file"] = short_file(found["file"])
            fields[f"last_{found['what']}_line"] = int(found["line"])
    elif found := _FLAG.match(line):
        fields["waiters_flag"] = int(found["flag"])
    elif line.startswith("wait has ended"):
        fields["ended"] = True


def _object(
    fields: dict[str, Any], address: str, name: str | None, file: str | None, line: str | None
) -> None:
    digits = address.lower().removeprefix("0x")
    fields["latch_address"] = f"0x{digits}"
    fields["latch_name"] = name
    if file is not None and line is not None:
        fields["created_file"] = short_file(file)
        fields["created_line"] = int(line)


def short_file(path: str) -> str:
    """The base name; builds print their own folders before it."""
    return path.strip().replace("\\", "/").rsplit("/", 1)[-1]


def signed(word: str) -> int:
    """A hex word as a signed number of its printed width: ffffffffffffffff and ffffffff are -1."""
    value = int(word, 16)
    bits = 64 if len(word) > 8 else 32
    return value - (1 << bits) if value >= 1 << (bits - 1) and len(word) in (8, 16) else value
