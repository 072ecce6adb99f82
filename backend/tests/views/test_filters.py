"""Each field of a filter chooses: what it lets pass is as agreed, and a new field needs a row."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from pileup.storage.errors import NotFound
from pileup.views.evidence import log_groups, queries, sessions
from pileup.views.evidence.log_groups import LogFilter
from pileup.views.evidence.queries import QueryFilter
from pileup.views.evidence.sessions import SessionFilter
from pileup.views.window import Window
from tests.analysis.frames import T0, S, sha
from tests.api.test_table_tabs import logged, session, slow
from tests.views.ordered import source

_LOG = [
    logged(1, 1, "Aborted connection 1", "warning"),
    logged(2, 2, "Aborted connection 2", "error"),
    logged(3, 3, "Page cleaner took 9 ms", None),
    logged(4, None, "ABORTED without a time", "warning"),
]
_OTHER_LOG = [logged(5, 2, "Aborted connection 5", "warning")]


def _logs() -> Any:
    return source(a=_LOG, b=_OTHER_LOG)


def _group(line: int) -> str:
    groups = log_groups.log_groups(_logs()).items
    return next(group.id for group in groups if group.example.line_first == line)


_LOGS: dict[str, list[tuple[Any, list[int]]]] = {
    "window": [
        (Window(), [1, 2, 5, 3, 4]),
        (Window(T0 + 2 * S), [2, 5, 3]),
        (Window(end=T0 + 2 * S), [1]),
        (Window(T0 + 2 * S, T0 + 3 * S), [2, 5]),
    ],
    "severity": [((), [1, 2, 5, 3, 4]), (("error",), [2]), (("error", "warning"), [1, 2, 5, 4])],
    "kind": [(("message",), [])],
    "q": [("aborted", [1, 2, 5, 4]), ("CLEANER", [3]), ("connection .", []), ("nobody", [])],
    "artifact": [(sha("b"), [5]), (sha("a"), [1, 2, 3, 4]), ("0" * 64, [])],
    "group": [(_group(1), [1, 5]), (_group(2), [2]), (_group(4), [4]), ("none", []), ("", [])],
}


@pytest.mark.parametrize("name", [field.name for field in fields(LogFilter)])
def test_a_filter_of_log_lines(name: str) -> None:
    for value, lines in _LOGS[name]:
        page = log_groups.log_page(
            _logs(), replace(LogFilter(), **{name: value}), "time", False, 0, 9
        )
        assert [event.line_first for event in page.items] == lines, value
        assert page.total == len(lines)
        assert page.everything == 5


_SESSIONS = [
    session(1, "UPDATE t SET a = 1", state="updating", user="app", db="shop"),
    session(2, "UPDATE t SET a = 2", state="", user="admin", client_host="batch:7"),
    session(3, None, command="Sleep", state=None),
    session(11, "SELECT 5", time_s=None, state="Sending data", client_host=None),
]
_USUAL = SessionFilter(sha("list"))
_LISTS: dict[str, list[tuple[Any, list[int]]]] = {
    "artifact": [(sha("list"), [2, 1, 11])],
    "snapshot": [(0, [2, 1, 11]), (1, [21])],
    "by": [("digest", [2, 1, 11])],
    "group": [("UPDATE t SET a = ?", [2, 1]), ("update", []), ("", [])],
    "none": [(False, [2, 1, 11]), (True, [])],
    "idle": [(False, [2, 1, 11]), (True, [3, 2, 1, 11])],
    "q": [
        ("", [2, 1, 11]), ("update T", [2, 1]), ("SENDING", [11]), ("admin", [2]), ("BATCH", [2]),
        ("shop", [1]), ("1", [1]), ("11", [11]), ("%", []),
    ],
    "sort": [("time_s", [2, 1, 11]), ("session_id", [11, 2, 1]), ("state", [1, 11, 2])],
    "down": [(True, [2, 1, 11]), (False, [1, 2, 11])],
}  # fmt: skip


@pytest.mark.parametrize("name", [field.name for field in fields(SessionFilter)])
def test_a_filter_of_sessions(name: str) -> None:
    later = session(21, "SELECT 1", snapshot=1)
    seen = source(list=[*_SESSIONS, later])
    for value, numbers in _LISTS[name]:
        wanted = replace(_USUAL, **{name: value})
        found = sessions.processlist(seen, wanted, 0, 9)
        assert [row.session_id for row in found.rows] == numbers, value
        assert found.rows_total == len(numbers)
        frame = sessions.processlist_frame(seen, wanted)
        assert frame["session_id"].to_list() == numbers
    assert found.moment.sessions == (1 if name == "snapshot" else 4)


@pytest.mark.parametrize("by", ["digest", "state", "user", "client", "db", "command"])
def test_sessions_without_a_key_are_a_group_of_their_own(by: Any) -> None:
    seen = source(list=_SESSIONS)
    wanted = SessionFilter(sha("list"), by=by, idle=True)
    groups = sessions.processlist(seen, wanted, 0, 9).groups
    assert sum(group.count for group in groups) == 4
    for group in groups:
        chosen = replace(wanted, group=group.key, none=group.key is None)
        assert sessions.processlist(seen, chosen, 0, 9).rows_total == group.count
    by_key = {group.key: group.count for group in groups}
    assert (
        by_key
        == {
            "digest": {"UPDATE t SET a = ?": 2, "SELECT ?": 1, None: 1},
            "state": {"updating": 1, "Query": 1, "Sleep": 1, "Sending data": 1},
            "user": {"app": 3, "admin": 1},
            "client": {"web-1": 2, "batch": 1, None: 1},
            "db": {"shop": 1, None: 3},
            "command": {"Query": 3, "Sleep": 1},
        }[by]
    )


@pytest.mark.parametrize("wanted", [SessionFilter("0" * 64), SessionFilter(sha("list"), 7)])
def test_a_list_that_is_not_there(wanted: SessionFilter) -> None:
    for answer in (lambda s: sessions.processlist(s, wanted, 0, 9),
                   lambda s: sessions.processlist_frame(s, wanted)):  # fmt: skip
        with pytest.raises(NotFound, match="no such processlist, or it was read again"):
            answer(source(list=_SESSIONS))


_SLOW = [
    slow(1, "SELECT * FROM t WHERE id=1", 4.0, 10),
    slow(2, "SELECT * FROM t WHERE id=2", 2.0, 20),
    slow(3, "UPDATE Orders SET a=1", 5.0, 30),
    slow(4, "COMMIT", None, 40),
]
_READ, _WRITE, _COMMIT = "SELECT * FROM t WHERE id=?", "UPDATE Orders SET a=?", "COMMIT"
_STATEMENTS: dict[str, list[tuple[Any, list[tuple[str, int]]]]] = {
    "window": [
        (Window(), [(_READ, 2), (_WRITE, 1), (_COMMIT, 1)]),
        (Window(T0 + 20 * S), [(_WRITE, 1), (_READ, 1), (_COMMIT, 1)]),
        (Window(T0 + 20 * S + 1), [(_WRITE, 1), (_COMMIT, 1)]),
        (Window(end=T0 + 6 * S), []),
        (Window(end=T0 + 6 * S + 1), [(_READ, 1)]),
    ],
    "source": [
        ("slow_log", [(_READ, 2), (_WRITE, 1), (_COMMIT, 1)]),
        ("processlist", [(_COMMIT, 1)]),
        ("query_digest", []),
    ],
    "q": [("orders", [(_WRITE, 1)]), ("SELECT * FROM T", [(_READ, 2)]), ("a.b", [])],
    "sort": [
        ("total_s", [(_READ, 2), (_WRITE, 1), (_COMMIT, 1)]),
        ("calls", [(_READ, 2), (_WRITE, 1), (_COMMIT, 1)]),
        ("max_s", [(_WRITE, 1), (_READ, 2), (_COMMIT, 1)]),
    ],
    "down": [(False, [(_WRITE, 1), (_READ, 2), (_COMMIT, 1)])],
}


@pytest.mark.parametrize("name", [field.name for field in fields(QueryFilter)])
def test_a_filter_of_statements(name: str) -> None:
    seen = source(slow=_SLOW, list=[session(1, "COMMIT")])
    for value, shapes in _STATEMENTS[name]:
        top = queries.top_queries(seen, replace(QueryFilter(), **{name: value}), [])
        assert [(item.shape, item.calls) for item in top.items] == shapes, value
        assert top.shapes == len(shapes)
