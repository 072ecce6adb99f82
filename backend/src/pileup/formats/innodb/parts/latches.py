"""Parse RW-LATCH INFO and MUTEX INFO of SHOW ENGINE INNODB STATUS: the holders of latches.

Source: rw_lock_list_print_info() and rw_lock_debug_print(), sync0rw.cc; mutex_list_print_info(),
        sync0sync.cc (debug builds of MySQL 5.0 to 8.0 and MariaDB up to 10.5). Other builds print
        neither section. The only text of a server that names the readers of a latch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.formats.innodb.parts.semaphores import short_file, whole
from pileup.records import UINT64_MAX, Clock, LatchHold

TITLES = ("RW-LATCH INFO", "MUTEX INFO")

# RW-LOCK: 0x7f2250332f10  Waiters for the lock exist
_LATCH = re.compile(r"RW-LOCK: (?:0x)?(?P<address>[0-9a-fA-F]{1,16})(?=\s|$)(?P<rest>.{0,80})")
# Locked: thread 139784549787392 file hash0hash.cc line 64  X-LOCK
_LOCKED = re.compile(
    r"Locked: thread (?P<thread>\d{1,20}) file (?P<file>\S{1,400}) line (?P<line>\d{1,9}) +"
    r"(?P<mode>S-LOCK|X-LOCK|SX-LOCK|WAIT EX|WAIT X-LOCK)\b"
)
# Locked mutex: addr 0x2b01a8 thread 140085412345600 file log0log.cc line 244
_MUTEX = re.compile(
    r"Locked mutex: addr (?:0x)?(?P<address>[0-9a-fA-F]{1,16}) thread (?P<thread>\d{1,20}) "
    r"file (?P<file>\S{1,400}) line (?P<line>\d{1,9})"
)
_MODES = {
    "S-LOCK": "S", "X-LOCK": "X", "SX-LOCK": "SX", "WAIT EX": "X wait_ex",
    "WAIT X-LOCK": "X wait_ex",
}  # fmt: skip
_END = ("OS WAIT ARRAY INFO", "--Thread ")


def read_holds(
    text: str, line: int, *, wall_us: int | None, clock: Clock | None, snapshot: int | None
) -> Iterator[LatchHold]:
    """Yield each holder that the section names, in print order; ``line`` is its first line."""
    address, waiters = None, None
    for number, words in enumerate(text.split("\n"), start=line):
        if words.startswith(_END):
            return
        match = _LOCKED.match(words) or _MUTEX.match(words)
        if match is None:
            if latch := _LATCH.match(words):
                address = f"0x{latch['address'].lower()}"
                waiters = int("Waiters" in latch["rest"])
            continue
        own = match.groupdict()
        thread = int(own["thread"])
        mutex = own.get("address")
        if thread > UINT64_MAX or (address is None and mutex is None):
            continue
        yield LatchHold(
            line_first=number,
            line_last=number,
            wall_us=wall_us,
            clock=clock,
            snapshot=snapshot,
            latch_address=f"0x{mutex.lower()}" if mutex else str(address),
            mode="mutex" if mutex else _MODES[own["mode"]],
            thread_id=thread,
            file=short_file(own["file"]),
            line=whole(own["line"]),
            waiters_flag=None if mutex else waiters,
        )


__all__ = ["TITLES", "read_holds"]
