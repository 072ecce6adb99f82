"""A case of signatures.yaml as evidence: forty calm seconds, a minute of stall, a calm end.

The stall itself is made by running threads; what the case lists is repeated in six dumps, two stack
samples and four processlists of that minute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.analysis import Evidence
from pileup.knowledge.signature import Example
from pileup.records import (
    Event,
    Frame,
    Record,
    Samples,
    SemaphoreWait,
    Session,
    Setting,
    Snapshot,
    Stack,
    Table,
    Transaction,
)
from tests.analysis.frames import T0, S, evidence, gauge

_CALM, _STALL = 40, 60
_WAIT = re.compile(r"(\d+) (\S+) (\S+):(\d+) (\S+)(?: (0x\w+))?$")


def case(example: Example, *, alone: bool = False) -> Evidence:
    """The evidence of one case; alone: without series and variables, as people paste it."""
    files = files_of(example)
    if alone:
        del files["series"], files["variables"]
    return evidence(files)


def files_of(example: Example) -> dict[str, list[Record | Samples]]:
    """The records of each file of one case."""
    version, _, comment = example.server.partition(" ")
    settings = example.settings | {"version": version, "version_comment": comment or "Community"}
    running = [3.0] * _CALM + [90.0] * _STALL + [3.0] * 30
    series = {"metric.threads_running": running}
    for name, (before, during) in example.series.items():
        series[name] = [before] * _CALM + [during] * _STALL + [before] * 30
    files: dict[str, list[Record | Samples]] = {
        "series": [_gauge(name, values) for name, values in series.items()],
        "variables": [
            Setting(line_first=1, line_last=1, name=k, value=v, source="SHOW VARIABLES")
            for k, v in settings.items()
        ],
    }
    if example.waits or example.transactions:
        files["dumps"] = list(_dumps(example))
    if example.stacks:
        files["stacks"] = list(_stacks(example))
    if example.profile:
        files["profile"] = list(_profile(example))
    if example.states or example.queries or example.users:
        files["processlists"] = list(_sessions(example))
    if example.digests:
        rows = tuple((text.partition(" ")[2], text.partition(" ")[0]) for text in example.digests)
        columns = ("DIGEST_TEXT", "COUNT_STAR")
        files["digests"] = [
            Table(line_first=1, line_last=len(rows), name="digests", columns=columns, rows=rows)
        ]
    if example.log:
        files["log"] = [
            Event(line_first=i, line_last=i, kind="log", message=text, **_at(_CALM + 5))
            for i, text in enumerate(example.log, start=1)
        ]
    return files


def _gauge(name: str, values: list[float]) -> Samples:
    """A gauge, whose name may end in labels: 'numactl.free{node=0}'."""
    series, _, rest = name.partition("{")
    labels = [tuple(part.split("=", 1)) for part in rest.rstrip("}").split(",") if part]
    return gauge(series, values, labels=tuple(labels))  # type: ignore[arg-type]


def _at(second: float) -> dict[str, object]:
    return {"wall_us": T0 + round(second * S), "clock": "utc"}


def _dumps(example: Example) -> Iterator[Record]:
    for dump in range(6):
        more = _at(_CALM + 4 + dump * 9) | {"snapshot": dump, "line_first": 1, "line_last": 2}
        yield Snapshot(kind="innodb_status", time_quality="exact", **more)
        thread = 1000
        for text in example.waits:
            match = _WAIT.match(text)
            assert match, text
            count, mode, file, line, latch, address = match.groups()
            made = re.match(r"(\S+\.\w+):(\d+)$", latch)
            for _ in range(int(count)):
                thread += 1
                yield SemaphoreWait(
                    thread_id=thread, file=file, line=int(line), mode=mode, waited_s=0.0,
                    latch_address=address, latch_name=None if made else latch,
                    created_file=made[1] if made else None,
                    created_line=int(made[2]) if made else None, **more,
                )  # fmt: skip
        for text in example.transactions:
            text, waited = _aged(text, 9.0)
            head, _, what = text.partition(" |")
            what = what.strip()
            count, _, state = head.partition(" ")
            serves = not state.endswith(_NO_SESSION)
            in_turn = state.endswith(_IN_TURN)
            state = state.removesuffix(_NO_SESSION).removesuffix(_IN_TURN)
            for number in range(int(count)):
                thread += 1
                lock = dict(
                    zip(("waits_kind", "waits_mode", "waits_table"), what.split(), strict=False)
                )
                waits = state == "LOCK WAIT"
                trx_id = str(thread + 1000 * dump if in_turn else thread)
                yield Transaction(
                    trx_id=trx_id, state=state, lock_wait=waits,
                    active_s=max(20.0, waited) if waited >= 1 else waited, wait_s=waited,
                    operation=None if waits else what, session_id=thread if serves else None,
                    undo_entries=int(changes[1]) if (changes := _UNDO.fullmatch(what)) else None,
                    row_locks=int(what != "fetching rows"),  # a reader holds none
                    query=_query(example, number), **(lock if waits else {}), **more,
                )  # fmt: skip


_UNDO = re.compile(r"undo (\d+)")
"""A transaction that has changed so many rows: 'ACTIVE | undo 8000000'."""
_NO_SESSION = " without a session"
_IN_TURN = " in turn"
"""Each dump shows the sessions in transactions of their own: those before have ended."""


def _aged(text: str, usual: float) -> tuple[str, float]:
    """Take the seconds from the end of a text: '2 LOCK WAIT | record X app.t @60'."""
    match = re.search(r" @(\d+)$", text)
    return (text[: match.start()], float(match[1])) if match else (text, usual)


def _query(example: Example, number: int) -> str:
    queries = [query.partition(" ")[2] for query in example.queries]
    return queries[number % len(queries)] if queries else "UPDATE t SET a = 1"


def _stacks(example: Example) -> Iterator[Record]:
    for sample in range(2):
        more = _at(_CALM + 15 + sample * 30) | {"snapshot": sample}
        yield Snapshot(kind="stacks", line_first=1, line_last=1, **more)
        for line, text in enumerate(example.stacks, start=1):
            count, _, names = text.partition(" ")
            frames = tuple(Frame(function=item) for item in names.split(","))
            yield Stack(count=int(count), frames=frames, line_first=line, line_last=line, **more)


def _profile(example: Example) -> Iterator[Record]:
    more = _at(_CALM + 15) | {"snapshot": 0}
    yield Snapshot(kind="stacks", line_first=1, line_last=1, **more)
    for line, text in enumerate(example.profile, start=1):
        share, _, names = text.partition(" ")
        frames = tuple(Frame(function=item) for item in names.split(","))
        here = {"line_first": line, "line_last": line} | more
        yield Stack(count=int(share), samples=100, event="cycles", frames=frames, **here)


def _sessions(example: Example) -> Iterator[Record]:
    for sample in range(4):
        more = _at(_CALM + 5 + sample * 14) | {"snapshot": sample, "line_first": 1, "line_last": 9}
        yield Snapshot(kind="processlist", time_quality="exact", **more)
        number = 0
        for field, texts in (
            ("state", example.states), ("query", example.queries), ("user", example.users)
        ):  # fmt: skip
            for text in texts:
                plain, waited = _aged(text, 5.0)
                count, _, value = plain.partition(" ")
                for _ in range(int(count)):
                    number += 1
                    row = {"user": "app", "state": None, "query": None} | {field: value}
                    if " | " in value:  # 'State | user | statement'
                        row |= dict(
                            zip(("state", "user", "query"), value.split(" | "), strict=False)
                        )
                    yield Session(session_id=number, command="Query", time_s=waited, **row, **more)
