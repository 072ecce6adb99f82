"""Whole answers of the views on little evidence in memory, by name: for ``test_agreed_answers``.

The evidence has what views decide about: rivals and ties, values that are missing or too large,
rows without a time, several servers, and files that hold the same.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from types import SimpleNamespace
from typing import Any

import polars as pl

from pileup.analysis.evidence import downsample
from pileup.analysis.evidence.evidence import Evidence
from pileup.records import Event, Frame, Query, QueryCount, Stack, StackThread, Table
from pileup.storage.incidents.analyses import Series
from pileup.views.evidence.deadlocks import deadlocks
from pileup.views.evidence.lanes import StoredSeries, captured_range, lanes, tiles
from pileup.views.evidence.log_groups import LogFilter, log_group_rows, log_groups, log_page
from pileup.views.evidence.moved import window_lanes
from pileup.views.evidence.nearest_sessions import sessions_near
from pileup.views.evidence.queries import QueryFilter, query_examples, top_queries, top_query_rows
from pileup.views.evidence.server_settings import setting_sources, setting_table
from pileup.views.evidence.sessions import (
    SessionFilter,
    processlist,
    processlist_frame,
    processlist_moments,
)
from pileup.views.evidence.sessions_over_time import sessions_over_time
from pileup.views.evidence.stacks import stack_moments, stack_sample
from pileup.views.source import EvidenceSource
from pileup.views.window import Window
from tests.analysis.frames import T0, S, evidence, sha
from tests.api.test_table_tabs import CNF, a_deadlock, session, slow, trx, variable

AT = datetime(2026, 11, 20, 22, 0, tzinfo=UTC)
_LONG = "SELECT " + ", ".join(f"column_{n}" for n in range(900))
_WIDE = {"max_connections": "151", "port": "3306", "init_connect": "x" * 400, "server_uuid": "a"}


@cache
def capture() -> Evidence:
    """Processlists, statements, messages, settings, deadlocks and stacks of two servers."""
    sleeping = {"command": "Sleep", "state": ""}
    nowhen = {"wall_us": None, "clock": None}
    return evidence(
        {
            "processlist": [
                session(1, "UPDATE t SET a=1 WHERE id=1", db="shop"),
                session(2, "UPDATE t SET a=2 WHERE id=9", db="shop", time_s=9.0),
                session(3, "UPDATE t SET a=3 WHERE id=9", db="shop", time_s=9.0, user="batch"),
                session(4, None, db="shop", **sleeping),
                session(5, "SELECT 1", state=None, time_s=None, client_host="web-2", db=None),
                session(6, "", state="Sending data", command=None, user=None, client_host=None),
                session(7, _LONG, state="Sending data", time_s=4294967295.0),
                session(8, None, command="Daemon", state="InnoDB purge"),
                session(1, "COMMIT", snapshot=1, wall_us=T0 + 10 * S),
                session(2, "COMMIT", snapshot=1, wall_us=T0 + 10 * S, command="Query"),
                session(9, "SELECT 1", snapshot=2, time_s=0.0, **nowhen),
            ],
            "other-list": [
                session(1, "SELECT 2", wall_us=T0 + 10 * S, host="db-2", snapshot=None),
            ],
            "slow.log": [
                slow(1, "SELECT a FROM t WHERE id=1", 2.0, 1, lock_time_s=0.5, rows_examined=10,
                     rows_sent=1, user="app", weight=10),
                slow(2, "SELECT a FROM t WHERE id=2", 4.0, 5, rows_examined=30, user="batch",
                     counts=(QueryCount(name="Bytes_sent", value=7.0),
                             QueryCount(name="Filesort", text="Yes"))),
                slow(3, "SELECT a FROM t WHERE id=3", None, 6, lock_time_s=1.5, user="app"),
                slow(4, "DELETE FROM t WHERE id=3", 3.0, 7),
                slow(5, "DELETE FROM t WHERE id=4", 11.0, 8, client_host="web-1", client_ip="10.1",
                     trx_id="77"),
                slow(6, "INSERT INTO t VALUES (1)", None, 9),
                slow(7, _LONG, 1.0, 3),
                Query(line_first=8, line_last=8, wall_us=T0, clock="utc", administrator=True,
                      query="Quit", query_time_s=9.0),
                Query(line_first=9, line_last=9, wall_us=T0, clock="utc", query=None),
            ],
            "digest.txt": [
                Table(line_first=1, line_last=5, name="query digest", columns=(
                    "query_id", "calls", "response_s", "response_per_call_s", "item", "query"),
                    rows=(("0xA", "10", "5.5", "0.55", "SELECT t", "SELECT a FROM t"),
                          ("0xB", "3", "7.5", "2.5", "DELETE t", None),
                          ("0xC", "many", "n/a", None, None, None))),
                Table(line_first=9, line_last=9, name="profile", columns=("query",),
                      rows=(("x",),)),
            ],
            "error.log": [
                _logged(1, 30, "Page 17 of 'a' took 12000 ms at 0x7f01"),
                _logged(2, 10, "Page 18 of 'b' took 300 ms at 0x7f02"),
                _logged(3, 20, "Shutdown begins", severity="error", code="MY-1"),
                _logged(4, 20, "Ready", kind="state", subsystem="InnoDB"),
                _logged(5, 50, "Page 19 of 'c' took 5 ms at 0x7f03", severity="error"),
                _logged(6, 40, "clock", kind="clock"),
                _logged(7, 40, "Ready", severity=None, **nowhen),
                _logged(8, 40, "m" * 3000),
            ],
            "variables-1": [
                variable(name, value, n) for n, (name, value) in enumerate(_WIDE.items(), 3)
            ],
            "variables-2": [
                *(variable(name, f"{n}", n, host="db-2") for n, name in enumerate(_WIDE, 3)),
                variable("only_there", None, 9, host="db-2"),
                variable("status.Uptime", "77", 10, host="db-2"),
            ],
            "my.cnf": [
                variable("max_connections", "100", 2, **CNF),
                variable("max_connections", "151", 9, **CNF),
                variable("user", "root", 3, source="my.cnf", section="client"),
            ],
            "status-1": [
                _deadlock(5, "a", line=40), _deadlock(95, "b", line=80, victim=None),
                _deadlock(65, "a", line=120, truncated=True),
            ],
            "status-2": [_deadlock(5, "a", line=10), _deadlock(5, "a", line=50)],
            "stacks": [
                _stack(1, 3, "buf_page_get_gen", "row_search_mvcc"),
                _stack(20, 5, "__futex_wait", "os_event::wait_low", "rw_lock_s_lock_spin"),
                _stack(30, 5, "poll", "Protocol_classic::get_command"),
                _stack(40, 2, "buf_page_get_gen", "row_search_mvcc", line=9),
                _stack(50, 7, "write", snapshot=1, wall_us=T0 + 5 * S),
            ],
            "profile": [
                _stack(1, 10, "memcpy", "main", event="cycles", samples=4, **nowhen),
                _stack(2, 5, "memset", "main", event="cycles", samples=4, **nowhen),
            ],
        }
    )  # fmt: skip


def _logged(line: int, at: int, message: str, **more: Any) -> Event:
    fields: dict[str, Any] = {
        "kind": "log", "severity": "warning", "wall_us": T0 + at * S, "clock": "utc", **more
    }  # fmt: skip
    return Event(line_first=line, line_last=line, message=message, **fields)


def _deadlock(at: int, name: str, *, line: int, **more: Any) -> Any:
    first = trx(1, f"record app.{name} PRIMARY X", f"record app.{name} i S", f"UPDATE {name}")
    second = trx(2, None, f"record app.{name} PRIMARY X", _LONG)
    return a_deadlock(at, first, second, line=line, **more)


def _stack(at: int, count: int, *names: str, line: int = 1, **more: Any) -> Stack:
    fields: dict[str, Any] = {"wall_us": T0, "clock": "utc", "snapshot": 0, **more}
    return Stack(
        line_first=at, line_last=at + 3, count=count,
        frames=tuple(Frame(function=name, file=f"{name}.cc", line=line) for name in names),
        threads=tuple(StackThread(pthread=100 * at + n, lwp=n) for n in range(count)), **fields,
    )  # fmt: skip


def _source() -> EvidenceSource:
    return EvidenceSource(capture())


def _list(**chosen: Any) -> Callable[[], object]:
    wanted = SessionFilter(sha("processlist"), **chosen)
    return lambda: [
        processlist(_source(), wanted, 0, 9), processlist(_source(), wanted, 1, 2),
        processlist_frame(_source(), wanted).select("time", "session_id", "line_last"),
    ]  # fmt: skip


def _window(first: int | None, last: int | None) -> Window:
    start, end = (None if at is None else T0 + at * S for at in (first, last))
    return Window(start, end)


def _statements(**chosen: Any) -> Callable[[], object]:
    counted: Any = [
        SimpleNamespace(format=name, records={"query": 5, "session": 7, "table": 3})
        for name in ("slow-log", "query-digest", "query-digest")
    ]
    wanted = QueryFilter(**chosen)

    def scene() -> object:
        names, rows = top_query_rows(_source(), wanted)
        return [top_queries(_source(), wanted, counted), names, [list(row)[:4] for row in rows]]

    return scene


def _examples(at: int, seen_in: Any, window: Window) -> Callable[[], object]:
    def scene() -> object:
        found = top_queries(_source(), QueryFilter(window=window, source=seen_in), ())
        return query_examples(_source(), window, found.items[at].id, seen_in)

    return scene


def _log(sort: Any = "time", *, down: bool = False, **chosen: Any) -> Callable[[], object]:
    wanted = LogFilter(**chosen)

    def scene() -> object:
        later = log_page(_source(), wanted, sort, down, 1, 5).items
        return [log_page(_source(), wanted, sort, down, 0, 2), [each.line_first for each in later]]

    return scene


def _groups(sort: Any = "count", *, down: bool = True, **chosen: Any) -> Callable[[], object]:
    wanted = LogFilter(**chosen)

    def scene() -> object:
        found = log_groups(_source(), wanted, sort, down)
        filled = [{n: many for n, many in enumerate(g.buckets) if many} for g in found.items]
        names, rows = log_group_rows(_source(), wanted, sort, down)
        about = [(g.shape[:40], g.severity, g.count, g.first, g.last) for g in found.items]
        return [about, filled, (found.groups, found.total, found.start, found.end), names, rows]

    return scene


def _of_first_group() -> object:
    return _log(group=log_groups(_source()).items[0].id)()


def _settings(a: int, b: int | None) -> Callable[[], object]:
    def scene() -> object:
        found = setting_sources(_source())
        findings = [
            {"id": f"f{n}", "title": f"finding {n}", "why": f"Raise {name}."}
            for n, name in enumerate(("max_connections", "MAX_CONNECTIONS", "other_name"))
        ]
        second = None if b is None else found[b].id
        return setting_table(_source(), found[a].id, second, findings)

    return scene


def _sample() -> object:
    verdict = SimpleNamespace(pile="benign", by="ann", at=AT)
    first = stack_sample(_source(), sha("stacks"), 0, {})
    known: Any = {first.groups[0].id: verdict}
    return [stack_sample(_source(), sha("stacks"), 0, known),
            stack_sample(_source(), sha("stacks"), 1, {})]  # fmt: skip


def _all_deadlocks(window: Window, *, with_relation: bool = False) -> Callable[[], object]:
    sections = {sha("status-1"): [(1, 9), (40, 60), (62, 70), (71, 79), (81, 99), (150, 160)]}
    relations = {(sha("status-2"), 50): "during", (sha("status-1"), 80): "before"}

    def scene() -> object:
        found = deadlocks(
            _source(), window, lambda name: sections.get(name, ()),
            relations if with_relation else {},
        )  # fmt: skip
        chosen = found.patterns[-1].id
        alike = deadlocks(_source(), window, lambda _: (), {}, chosen)
        return [found, [each.id for each in alike.items], alike.total, len(alike.patterns)]

    return scene


# ---- series in memory, as the placed store would give them


def _rows(name: str, values: list[float | None], *, step_s: float = 1, start_s: int = 0) -> Any:
    times = [T0 + start_s * S + round(n * step_s * S) for n in range(len(values))]
    return pl.DataFrame(
        {"id": [name] * len(values), "artifact": ["a"] * len(values), "time": times,
         "value": values},
        schema={"id": pl.String, "artifact": pl.String, "time": pl.Int64, "value": pl.Float64},
    )  # fmt: skip


@cache
def _series() -> tuple[dict[str, Series], pl.DataFrame, pl.DataFrame]:
    waves = [float(n % 7 + (50 if n == 130 else 0)) for n in range(256)]
    rows = [
        _rows("gauge", [1.0, 4.0, 2.0, None, 8.0, 3.0], step_s=2),
        _rows("counter", [10.0, 20.0, 50.0, 5.0, 9.0]),
        pl.concat([_rows("holes", [1.0, 2.0, 3.0]), _rows("holes", [4.0, 9.0], start_s=60)]),
        _rows("late", [5.0, 6.0], start_s=400),
        _rows("long", waves),
        _rows("long counter", [float(n * n) for n in range(256)]),
    ]
    long = [frame for frame in rows if frame["id"][0].startswith("long")]
    sums = [
        downsample.sum_up(
            downsample.values_of(frame, "counter" if "counter" in frame["id"][0] else "gauge")
        ).select(pl.lit(frame["id"][0]).alias("id"), pl.all())
        for frame in long
    ]
    catalogue = {
        frame["id"][0]: Series(
            frame["id"][0], frame["id"][0], "", None,
            "counter" if "counter" in frame["id"][0] else "gauge",
            {"counter": "pages"}.get(frame["id"][0]), frame.height,
            *(AT + timedelta(microseconds=frame["time"][at] - T0) for at in (0, -1)),
            None, None, "a",
        )
        for frame in rows
    }  # fmt: skip
    return catalogue, pl.concat(rows), pl.concat(sums)


def _stored() -> StoredSeries:
    catalogue, rows, long = _series()

    def samples(_: str, ids: list[str], start: int | None, end: int | None) -> pl.DataFrame:
        found = rows.filter(pl.col("id").is_in(ids))
        if start is not None:
            found = found.filter(pl.col("time") >= start)
        return found if end is None else found.filter(pl.col("time") <= end)

    placed: Any = SimpleNamespace(
        samples=samples, long_series=lambda _, ids: long.filter(pl.col("id").is_in(ids))
    )
    return StoredSeries(placed, "i", catalogue)


def _at(second: float) -> datetime:
    return AT + timedelta(seconds=second)


def _lanes(*ids: str, first: float | None = None, last: float | None = None, pixels: int = 100):  # type: ignore[no-untyped-def]
    start, end = (None if at is None else _at(at) for at in (first, last))
    return lambda: lanes(_stored(), ids, start, end, pixels)


def _tiles(*ids: str, step: int, back: int = 0) -> Callable[[], object]:
    first = T0 // 1000 // step // 512 - back
    return lambda: tiles(_stored(), ids, step, first, 1 + back)


def _ranges() -> object:
    series = _stored().of(["gauge", "late", "unknown", "gauge"])
    nothing = [each for each in series if each.id == "none"]
    return [captured_range(series), captured_range(series, [_at(-5), _at(900)]),
            captured_range(nothing), captured_range(nothing, [_at(1)])]  # fmt: skip


SCENES: dict[str, Callable[[], object]] = {
    "deadlocks": _all_deadlocks(Window(), with_relation=True),
    "deadlocks of a window": _all_deadlocks(_window(6, 95)),
    "lanes": _lanes("gauge", "counter", "holes", "gauge", "unknown"),
    "lanes of a few seconds": _lanes("gauge", "counter", "late", first=1, last=5),
    "lanes of few pixels": _lanes("gauge", "long", "long counter", first=0, last=256, pixels=3),
    "lanes of many pixels": _lanes("long", "long counter", first=127, last=133, pixels=200),
    "log": _log(),
    "log by severity": _log("severity", down=True),
    "log by kind": _log(kind=("state", "none")),
    "log of a window": _log(window=_window(10, 30)),
    "log with a word": _log(q="PAGE"),
    "log of a severity": _log(severity=("error",)),
    "log of a file": _log(artifact=sha("error.log")),
    "log of a group": _of_first_group,
    "log of an unknown group": _log(group="unknown"),
    "log groups": _groups(),
    "log groups by their first": _groups("first", down=False),
    "log groups by their text": _groups("shape", down=False, severity=("error", "warning")),
    "log groups of a window": _groups(window=_window(0, 21)),
    "processlists": lambda: processlist_moments(_source()),
    "processlist": _list(),
    "processlist by state": _list(by="state", idle=True, sort="state", down=False),
    "processlist by client": _list(by="client", sort="query"),
    "processlist by user": _list(by="user", group="app"),
    "processlist without schema": _list(by="db", none=True),
    "processlist with a word": _list(q="SHOP", by="command"),
    "processlist with a number": _list(q="7"),
    "processlist of another moment": _list(snapshot=1),
    "queries": _statements(),
    "queries by calls": _statements(sort="calls", down=False),
    "queries by share": _statements(sort="share", q="FROM T"),
    "queries of a window": _statements(window=_window(4, 7)),
    "queries of processlists": _statements(source="processlist"),
    "queries of digests": _statements(source="query_digest", sort="calls"),
    "query examples": _examples(1, "slow_log", Window()),
    "query examples of a window": _examples(0, "slow_log", _window(0, 3)),
    "query examples of processlists": _examples(0, "processlist", Window()),
    "query examples of an unknown id": lambda: query_examples(
        _source(), Window(), "unknown", "slow_log"
    ),
    "ranges of series": _ranges,
    "sessions near": lambda: sessions_near(_source(), T0 + 3 * S),
    "sessions near two lists": lambda: sessions_near(_source(), T0 + 10 * S),
    "sessions at the farthest": lambda: [
        sessions_near(_source(), T0 + at * S).total for at in (40, 41, -30, -31)
    ],
    "sessions over time": lambda: sessions_over_time(_source(), "digest", idle=False, q=""),
    "sessions over time by state": lambda: sessions_over_time(
        _source(), "state", idle=True, q="select"
    ),
    "settings": lambda: setting_sources(_source()),
    "settings of a server": _settings(0, None),
    "settings of two servers": _settings(0, 1),
    "settings of a file and a server": _settings(2, 0),
    "settings of a server and a file": _settings(1, 2),
    "stacks": _sample,
    "stack samples": lambda: stack_moments(_source()),
    "tiles": _tiles("gauge", "counter", "holes", "late", step=1000),
    "tiles of a long series": _tiles("long", "long counter", step=100, back=1),
    "coarse tiles of a long series": _tiles("long", "long counter", step=64_000),
    "window of lanes": lambda: window_lanes(
        _stored(), ("counter", "gauge", "late", "long", "unknown"), _at(4), _at(8)
    ),
    "window of lanes with a hole": lambda: window_lanes(_stored(), ("holes",), _at(45), _at(90)),
}  # fmt: skip
