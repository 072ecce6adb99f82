"""Populations made for tests, and what each source prints of them: views of the same sessions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pileup.analysis import Evidence
from pileup.records import (
    Frame,
    Record,
    Samples,
    SemaphoreWait,
    Session,
    Snapshot,
    Stack,
    StackThread,
    Transaction,
)
from tests.analysis.frames import T0, S, evidence

VIEWS = ("processlist", "dump", "gdb", "pmp", "transactions")
_LATCH = "pthread_cond_wait os_event_wait_low sync_array_wait_event rw_lock_s_lock_spin"
_COMMIT = "pthread_cond_wait Stage_manager::enroll_for"
_METADATA = "pthread_cond_timedwait MDL_wait::timed_wait MDL_context::acquire_lock"
# class of time: State of the session, stack
WAITS = {
    "metadata_lock": (
        "Waiting for table metadata lock",
        f"{_METADATA} open_table",
    ),
    "global_lock": (
        "Waiting for global read lock",
        f"{_METADATA} open_table",
    ),
    "table_lock": ("Waiting for table level lock", "pthread_cond_timedwait wait_for_lock thr_lock"),
    "commit_queue": (
        "waiting for handler commit",
        f"{_COMMIT} MYSQL_BIN_LOG::change_stage MYSQL_BIN_LOG::ordered_commit",
    ),
    "row_lock": (
        "updating",
        "pthread_cond_wait os_event_wait_low lock_wait_suspend_thread row_mysql_handle_errors",
    ),
    "latch": ("Sending data", f"{_LATCH} btr_search_guess_on_hash row_search_mvcc"),
    "user_lock": (
        "User lock",
        f"{_METADATA} Item_func_get_lock::val_int",
    ),
    "working": ("Sending data", "rec_get_offsets_func row_search_mvcc ha_innobase::index_next"),
    "idle": ("", "poll vio_io_wait vio_read my_net_read do_command"),
}


@dataclass(frozen=True)
class Person:
    """One session, and what it does."""

    session_id: int
    doing: str

    @property
    def thread(self) -> int:
        return 140_000_000_000_000 + self.session_id * 256


def people(counts: dict[str, int]) -> list[Person]:
    """Make so many sessions of each class."""
    every = [doing for doing, count in counts.items() for _ in range(count)]
    return [Person(10 + at, doing) for at, doing in enumerate(every)]


def some_people(dice: random.Random) -> list[Person]:
    found = people({doing: dice.choice([0, 0, 1, 3, 12]) for doing in WAITS})
    return found or people({"working": 1})


def views(
    everybody: Sequence[Person], names: Iterable[str], *, second: int = 0, order: int = 0
) -> Evidence:
    """Return the evidence of these sources, all of one second. order: shuffles files and rows."""
    dice = random.Random(order)
    made = [(name, list(_view(name, everybody, second))) for name in names]
    dice.shuffle(made)
    files: dict[str, list[Record | Samples]] = {}
    for name, records in made:
        if order:
            dice.shuffle(records)
        files[name] = list(records)
    return evidence(files)


def _view(name: str, everybody: Sequence[Person], second: int) -> Iterable[Record]:
    at = {"wall_us": T0 + second * S, "clock": "utc", "snapshot": second}
    kinds = {"dump": "innodb_status", "gdb": "stacks", "pmp": "stacks"}
    lines = {"line_first": 1, "line_last": 1}
    yield Snapshot(kind=kinds.get(name, name), time_quality="exact", **at, **lines)
    if name == "pmp":
        stacks = Counter(WAITS[person.doing][1] for person in everybody)
        for line, (stack, count) in enumerate(sorted(stacks.items()), start=1):
            yield Stack(count=count, frames=_frames(stack), line_first=line, line_last=line, **at)
        return
    for line, person in enumerate(everybody, start=1):
        lines = {"line_first": line, "line_last": line}
        state, stack = WAITS[person.doing]
        if name == "processlist":
            asleep = person.doing == "idle"
            yield Session(
                session_id=person.session_id, user="app", db="shop", time_s=9.0, state=state,
                command="Sleep" if asleep else "Query",
                query=None if asleep else "SELECT * FROM orders", **at, **lines,
            )  # fmt: skip
        elif name == "gdb":
            thread = StackThread(pthread=person.thread)
            yield Stack(count=1, frames=_frames(stack), threads=(thread,), **at, **lines)
        else:
            yield from _transaction(person, name, at | lines)


def _frames(stack: str) -> tuple[Frame, ...]:
    return tuple(Frame(function=function) for function in stack.split())


def _transaction(person: Person, name: str, at: dict[str, object]) -> Iterable[Record]:
    """Yield its transaction by a status dump, or by a list of transactions, under another id."""
    number = person.session_id + (5000 if name == "dump" else 9000)
    state, _ = WAITS[person.doing]
    waits = person.doing == "row_lock"
    if person.doing != "idle":
        yield Transaction(
            trx_id=str(number), state="ACTIVE 9 sec", active_s=9.0, session_id=person.session_id,
            os_thread=person.thread if name == "dump" else None, lock_wait=waits,
            thread_state=state, query="SELECT * FROM orders", wait_s=9.0 if waits else None,
            waits_table="shop.orders" if waits else None,
            waits_index="PRIMARY" if waits else None, **at,
        )  # type: ignore[arg-type]  # fmt: skip
    if person.doing == "latch" and name == "dump":
        yield SemaphoreWait(
            thread_id=person.thread, file="btr0sea.ic", line=122, mode="S", waited_s=1.0,
            latch_address="0x2db49f8", created_file="btr0sea.cc", created_line=202, **at,
        )  # type: ignore[arg-type]  # fmt: skip
