"""The tabs of the tables: settings, processlists, deadlocks, queries, logs, by page and sum."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest

from pileup.analysis.deadlocks import explain
from pileup.records import (
    Deadlock,
    DeadlockTrx,
    Event,
    Query,
    QueryCount,
    Record,
    Samples,
    Session,
    Setting,
)
from tests.analysis.frames import T0, S, evidence, sha
from tests.support.site import Site

MOST_BYTES = 2_000_000
TABS = ("settings/sources", "processlists", "deadlocks", "queries", "log", "log/groups")


def made(site: Site, files: Mapping[str, Sequence[Record | Samples]]) -> str:
    found = evidence(files)
    return site.analysed(found)


def get(site: Site, incident: str, path: str, **params: Any) -> dict[str, Any]:
    answer = site.admin.get(f"/api/v1/incidents/{incident}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    assert len(answer.content) < MOST_BYTES
    found = answer.json()
    return found if isinstance(found, dict) else {"items": found}


def iso(second: int) -> str:
    return f"2026-11-20T22:{second // 60:02}:{second % 60:02}Z"


@pytest.mark.parametrize("path", TABS)
def test_nothing_is_there_before_the_first_analysis(site: Site, path: str) -> None:
    """Empty, not an error: the screen says why."""
    assert get(site, site.incident(), path)["items"] == []


@pytest.mark.parametrize("path", TABS)
def test_strangers_and_unknown_incidents(site: Site, path: str) -> None:
    """Nothing for who is not signed in, and no such incident is no empty table."""
    incident = site.incident()
    assert site.stranger.get(f"/api/v1/incidents/{incident}/{path}").status_code == 401
    nobody = "00000000-0000-7000-8000-000000000000"
    assert site.admin.get(f"/api/v1/incidents/{nobody}/{path}").status_code == 404
    pusher = site.with_token("upload")
    assert pusher.get(f"/api/v1/incidents/{incident}/{path}").status_code == 403


# ---- settings


def variable(name: str, value: str | None, line: int = 1, **more: Any) -> Setting:
    fields: dict[str, Any] = {"source": "SHOW VARIABLES", **more}
    return Setting(line_first=line, line_last=line, name=name, value=value, **fields)


CNF = {"source": "my.cnf", "section": "mysqld"}


@pytest.fixture
def settings(site: Site) -> str:
    return made(
        site,
        {
            "my.cnf": [
                variable("innodb_buffer_pool_size", "95G", 2, **CNF),
                variable("innodb_adaptive_hash_index", "0", 3, **CNF),
                variable("innodb_adaptive_hash_index", "1", 4, **CNF),
                variable("skip_name_resolve", None, 5, **CNF),
                variable("user", "root", 9, source="my.cnf", section="client"),
            ],
            "variables-1": [
                variable("innodb_buffer_pool_size", str(95 << 30), 10),
                variable("innodb_adaptive_hash_index", "OFF", 11),
                variable("skip_name_resolve", "ON", 12),
                variable("max_connections", "151", 13),
                variable("server_uuid", "a", 14),
                variable("init_connect", "x" * 5000, 15),
            ],
            "variables-2": [
                variable("innodb_buffer_pool_size", str(95 << 30), 10),
                variable("max_connections", "900", 13),
                variable("server_uuid", "b", 14),
                variable("only_there", "1", 16),
            ],
        },
    )


def test_sources_of_settings(site: Site, settings: str) -> None:
    """Servers before files; what only the client reads is no setting of the server."""
    found = get(site, settings, "settings/sources")["items"]
    assert [(item["path"], item["count"], item["is_file"]) for item in found] == [
        ("variables-1", 6, False),
        ("variables-2", 4, False),
        ("my.cnf", 3, True),
    ]


def test_two_sources_of_settings(site: Site, settings: str) -> None:
    """What differs, what is on one side, what always differs; long values are cut."""
    first, second, cnf = (item["id"] for item in get(site, settings, "settings/sources")["items"])
    found = get(site, settings, "settings", a=first, b=second)
    states = {row["name"]: row["state"] for row in found["rows"]}
    assert states == {
        "init_connect": "only_a",
        "innodb_adaptive_hash_index": "only_a",
        "innodb_buffer_pool_size": "same",
        "max_connections": "changed",
        "only_there": "only_b",
        "server_uuid": "changed",
        "skip_name_resolve": "only_a",
    }
    assert found["differing"] == 5  # server_uuid differs between any two servers
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["server_uuid"]["volatile"]
    assert rows["max_connections"]["b"] == {
        "value": "900", "cut": False, "artifact": sha("variables-2"), "line": 13,
    }  # fmt: skip
    assert rows["init_connect"]["a"]["cut"]
    assert any(
        item["by"] == "knowledge" for item in rows["innodb_adaptive_hash_index"]["mentioned"]
    )
    alone = get(site, settings, "settings", a=cnf)
    assert alone["b"] is None
    assert {row["name"]: row["a"]["value"] for row in alone["rows"]} == {
        "innodb_adaptive_hash_index": "1",  # the last of a name is the one in force
        "innodb_buffer_pool_size": "95G",
        "skip_name_resolve": None,
    }


def test_a_file_against_the_server(site: Site, settings: str) -> None:
    """95G and its bytes are one value; what the file does not name has its default."""
    first, _, cnf = (item["id"] for item in get(site, settings, "settings/sources")["items"])
    found = get(site, settings, "settings", a=cnf, b=first)
    states = {row["name"]: row["state"] for row in found["rows"]}
    assert states["innodb_buffer_pool_size"] == "same"
    assert states["skip_name_resolve"] == "same"
    assert states["innodb_adaptive_hash_index"] == "changed"
    assert states["max_connections"] == "default"
    assert found["differing"] == 1
    other = made(site, {"my.cnf": [variable("port", "3306", **CNF)]})
    url = f"/api/v1/incidents/{other}/settings"
    assert site.admin.get(url, params={"a": first}).status_code == 404  # of another incident


# ---- processlists


def session(number: int, query: str | None, **more: Any) -> Session:
    fields: dict[str, Any] = {
        "command": "Query", "state": "updating", "time_s": float(number), "user": "app",
        "client_host": f"web-1:{40000 + number}", "wall_us": T0, "clock": "utc", "snapshot": 0,
    }  # fmt: skip
    return Session(
        line_first=number, line_last=number, session_id=number, query=query, **(fields | more)
    )


@pytest.fixture
def sessions(site: Site) -> str:
    first = [session(n, f"UPDATE t SET a=a+1 WHERE id={n}") for n in range(1, 301)]
    first += [session(400 + n, None, command="Sleep", state="") for n in range(20)]
    first += [session(500, "SELECT <b> FROM x", state=None, time_s=None, user="admin")]
    later = {"wall_us": T0 + 10 * S, "snapshot": 1}
    second = [session(1000, "SELECT 1", **later), session(1001, None, command="Sleep", **later)]
    return made(site, {"processlist": [*first, *second]})


def test_moments_of_processlists(site: Site, sessions: str) -> None:
    found = get(site, sessions, "processlists")
    assert [(item["sessions"], item["active"]) for item in found["items"]] == [(321, 301), (2, 1)]
    assert found["items"][1]["time"] == iso(10)


def test_sessions_over_time_by_group(site: Site, sessions: str) -> None:
    """Every processlist with a count per group; sessions that sleep count on request."""
    found = get(site, sessions, "processlists/groups")
    assert [(each["key"], each["peak"]) for each in found["groups"]] == [
        ("UPDATE t SET a=a+? WHERE id=?", 300), ("SELECT <b> FROM x", 1), ("SELECT ?", 1),
    ]  # fmt: skip
    assert [(each["counts"], each["other"]) for each in found["columns"]] == [
        ([300, 1, 0], 0), ([0, 0, 1], 0),
    ]  # fmt: skip
    assert found["columns"][1]["time"] == iso(10)
    idle = get(site, sessions, "processlists/groups", by="user", idle=True, q="app")
    assert [each["counts"] for each in idle["columns"]] == [[320], [2]]
    assert get(site, site.incident(), "processlists/groups")["columns"] == []


def test_a_processlist_by_group_and_page(site: Site, sessions: str) -> None:
    """Three hundred statements of one shape are one group, that opens into its rows."""
    asked = {"artifact": sha("processlist"), "snapshot": 0}
    found = get(site, sessions, "processlist", **asked)
    assert [(group["key"], group["count"]) for group in found["groups"]] == [
        ("UPDATE t SET a=a+? WHERE id=?", 300),
        ("SELECT <b> FROM x", 1),
    ]
    assert (found["groups"][0]["max_time_s"], found["groups"][0]["total_time_s"]) == (
        300.0,
        45150.0,
    )
    assert found["groups"][1]["max_time_s"] is None  # not known is not zero
    assert found["rows_total"] == 301
    assert len(found["rows"]) == 200
    key = found["groups"][0]["key"]
    page = get(site, sessions, "processlist", **asked, group=key, offset=200)
    assert page["rows_total"] == 300
    assert [row["session_id"] for row in page["rows"]] == list(range(100, 0, -1))
    idle = get(site, sessions, "processlist", **asked, idle=True, by="state")
    assert {group["key"]: group["count"] for group in idle["groups"]} == {
        "updating": 300, "Sleep": 20, "Query": 1,
    }  # fmt: skip
    assert idle["groups"][0]["meaning"]
    clients = get(site, sessions, "processlist", **asked, by="client")
    assert [(group["key"], group["count"]) for group in clients["groups"]] == [("web-1", 301)]
    none = get(site, sessions, "processlist", **asked, by="db", none=True)
    assert none["rows_total"] == 301
    held = get(site, sessions, "processlist", **asked, q="<B>")
    assert [row["session_id"] for row in held["rows"]] == [500]
    other = site.admin.get(
        f"/api/v1/incidents/{site.incident()}/processlist", params={"artifact": sha("processlist")}
    )
    assert other.status_code == 404  # of another incident


# ---- deadlocks


def trx(number: int, holds: str | None, waits: str, query: str = "UPDATE t SET a=1") -> DeadlockTrx:
    return DeadlockTrx(
        number=number, trx_id=str(100 + number), session_id=number, query=query,
        holds=() if holds is None else (holds,), waits_for=waits,
    )  # fmt: skip


def a_deadlock(at: int, *transactions: DeadlockTrx, line: int = 1, **more: Any) -> Deadlock:
    return Deadlock(
        line_first=line, line_last=line + 9, wall_us=T0 + at * S, clock="utc",
        original=f"at {at}", transactions=transactions, **({"victim": 2} | more),
    )  # fmt: skip


TWO = (
    trx(1, "record app.a PRIMARY X", "record app.b PRIMARY X", "UPDATE b SET x=1 WHERE id=7"),
    trx(2, "record app.b PRIMARY X locks rec but not gap", "record app.a PRIMARY X"),
)


def test_the_edges_of_a_cycle() -> None:
    """The holder is who prints the lock; else the next in the order of the print."""
    plain = [msgspec.to_builtins(each) for each in TWO]
    edges = [(e.waiter, e.holder, e.inferred) for e in explain(plain, None).waits]
    assert edges == [(1, 2, False), (2, 1, False)]
    old = [msgspec.to_builtins(trx(n, None, f"record app.t{n} i X")) for n in (1, 2, 3)]
    assert [(e.waiter, e.holder, e.inferred) for e in explain(old, None).waits] == [
        (1, 2, True), (2, 3, True), (3, 1, True),
    ]  # fmt: skip
    assert explain(old[:1], None).waits == ()  # cut off: who holds it is not known


def test_a_deadlock_in_many_dumps_is_one(site: Site) -> None:
    incident = made(
        site,
        {
            "status-1": [a_deadlock(5, *TWO, line=40)],
            "status-2": [a_deadlock(5, *TWO, line=70)],
            "status-3": [a_deadlock(95, *TWO, line=10, victim=None, truncated=True)],
        },
    )
    found = get(site, incident, "deadlocks")
    assert [(item["time"], item["dumps"], item["truncated"]) for item in found["items"]] == [
        (iso(95), 1, True), (iso(5), 2, False),
    ]  # fmt: skip
    first = found["items"][1]
    assert [(t["number"], t["victim"]) for t in first["transactions"]] == [(1, False), (2, True)]
    assert first["transactions"][0]["shape"] == "UPDATE b SET x=? WHERE id=?"
    assert [seen["line_first"] for seen in first["seen"]] == [40, 70]
    inside = get(site, incident, "deadlocks", start=iso(60), end=iso(120))
    assert inside["total"] == 1


# ---- queries


def slow(number: int, query: str, took: float | None, at: int, **more: Any) -> Query:
    return Query(
        line_first=number, line_last=number, wall_us=T0 + at * S, clock="utc", query=query,
        query_time_s=took, session_id=number % 7, **more,
    )  # fmt: skip


@pytest.fixture
def queries(site: Site) -> str:
    many = [
        slow(
            n,
            f"SELECT * FROM t WHERE id={n}",
            n / 100,
            n,
            lock_time_s=0.5,
            rows_examined=10,
            counts=(QueryCount(name="Bytes_sent", value=n), QueryCount(name="Filesort", value=1)),
        )
        for n in range(1, 101)
    ]
    return made(
        site,
        {
            "slow.log": [
                *many,
                slow(200, "SELECT sleep(9)", 60.0, 100),
                slow(201, "SELECT nothing", None, 50),
                Query(line_first=300, line_last=300, wall_us=T0, clock="utc", administrator=True,
                      query="Quit"),
            ]
        },
    )  # fmt: skip


def test_top_queries(site: Site, queries: str) -> None:
    """By shape, most time first; what is not printed is not zero; p95 is the nearest rank."""
    found = get(site, queries, "queries")
    rows = {row["shape"]: row for row in found["items"]}
    assert list(rows) == ["SELECT sleep(?)", "SELECT * FROM t WHERE id=?", "SELECT nothing"]
    many = rows["SELECT * FROM t WHERE id=?"]
    assert many["calls"] == 100
    assert many["total_s"] == pytest.approx(50.5)
    assert many["p95_s"] in (0.95, 0.96)
    assert (many["lock_s"], many["rows_examined"]) == (50.0, 1000)
    assert many["share"] == pytest.approx(50.5 / 110.5)
    assert rows["SELECT nothing"]["total_s"] is None
    assert (found["shapes"], found["calls"]) == (3, 102)
    assert [row["shape"] for row in get(site, queries, "queries", q="SLEEP")["items"]] == [
        "SELECT sleep(?)"
    ]


def test_a_query_counts_where_it_ran(site: Site, queries: str) -> None:
    """It ended at 100 s after 60 s: it ran at 45 s."""
    inside = get(site, queries, "queries", start=iso(45), end=iso(47))
    assert {row["shape"]: row["calls"] for row in inside["items"]}["SELECT sleep(?)"] == 1
    before = get(site, queries, "queries", start=iso(30), end=iso(39))
    assert "SELECT sleep(?)" not in {row["shape"] for row in before["items"]}


def test_examples_of_a_shape(site: Site, queries: str) -> None:
    """The slowest first, with their lines; another incident knows none of them."""
    shape = get(site, queries, "queries")["items"][1]
    found = get(site, queries, "queries/examples", query=shape["id"])
    assert found["total"] == 100
    assert len(found["items"]) == 50
    assert found["items"][0]["query"] == "SELECT * FROM t WHERE id=100"
    assert found["items"][0]["line_first"] == 100
    assert found["items"][0]["counts"] == [
        {"name": "Bytes_sent", "value": 100, "text": None},
        {"name": "Filesort", "value": 1, "text": None},
    ]
    assert get(site, site.incident(), "queries/examples", query=shape["id"])["total"] == 0


def test_all_sessions_in_another_order_and_as_a_file(site: Site, sessions: str) -> None:
    """The order is over all sessions of the list, the file has them all and whole."""
    asked = {"artifact": sha("processlist"), "snapshot": 0}
    found = get(site, sessions, "processlist", **asked, sort="session_id", down=False, limit=2)
    assert [row["session_id"] for row in found["rows"]] == [1, 2]
    assert get(site, sessions, "processlist", **asked, offset=300)["rows"][0]["session_id"] == 500
    rows = rows_of(site, sessions, "processlist.csv", **asked)
    assert len(rows) == 301
    assert (rows[0]["session_id"], rows[0]["query"]) == ("300", "UPDATE t SET a=a+1 WHERE id=300")
    assert (rows[-1]["session_id"], rows[-1]["time_s"]) == ("500", "")
    stranger = site.stranger.get(f"/api/v1/incidents/{sessions}/processlist.csv", params=asked)
    assert stranger.status_code == 401


def test_queries_of_processlists(site: Site, sessions: str) -> None:
    """Rows of processlists by shape; those that sleep do not run."""
    found = get(site, sessions, "queries", source="processlist")
    assert next((row["shape"], row["calls"]) for row in found["items"]) == (
        "UPDATE t SET a=a+? WHERE id=?", 300,
    )  # fmt: skip
    assert found["items"][0]["sessions"] == 300


def test_queries_in_another_order_and_as_a_file(site: Site, queries: str) -> None:
    """The order is over all shapes, and what is not known comes last either way."""
    most = get(site, queries, "queries", sort="calls")["items"]
    assert most[0]["calls"] == max(item["calls"] for item in most)
    least = get(site, queries, "queries", sort="calls", down=False)["items"]
    assert [item["calls"] for item in least] == sorted(item["calls"] for item in most)
    rows = rows_of(site, queries, "queries.csv")
    assert [row["shape"] for row in rows] == [
        item["shape"] for item in get(site, queries, "queries")["items"]
    ]


# ---- logs


def logged(line: int, at: int | None, message: str, severity: str | None = "warning") -> Event:
    return Event(
        line_first=line, line_last=line, kind="log", severity=severity, message=message,
        wall_us=None if at is None else T0 + at * S, clock=None if at is None else "utc",
    )  # fmt: skip


@pytest.fixture
def log(site: Site) -> str:
    repeated = [
        logged(n, n, f"Aborted connection {n} to db: 'app' user: 'u{n}'") for n in range(1, 301)
    ]
    rest = [
        logged(400, 30, "InnoDB: page_cleaner: 1000ms intended loop took 4000ms", "note"),
        logged(401, 31, "InnoDB: page_cleaner: 1000ms intended loop took 5210ms", "note"),
        logged(402, 40, "<script>alert(1)</script>", "error"),
        logged(403, None, "without a time", None),
        Event(line_first=9, line_last=9, kind="clock", message="TS 1", wall_us=T0, clock="utc"),
    ]
    return made(site, {"error.log": [*repeated, *rest]})


def test_a_page_of_the_log(site: Site, log: str) -> None:
    """In time order, by severity, text and range; the counts tell what else there is."""
    found = get(site, log, "log", limit=100)
    assert (found["total"], found["everything"], len(found["items"])) == (304, 304, 100)
    assert found["severities"] == {"warning": 300, "note": 2, "error": 1, "none": 1}
    assert get(site, log, "log", offset=303)["items"][0]["message"] == "without a time"
    some = get(site, log, "log", severity=["error", "note"])
    assert [item["line_first"] for item in some["items"]] == [400, 401, 402]
    assert some["severities"]["warning"] == 300
    assert get(site, log, "log", q="PAGE_CLEANER")["total"] == 2
    inside = get(site, log, "log", start=iso(30), end=iso(32))
    assert inside["total"] == 4
    bad = site.admin.get(f"/api/v1/incidents/{log}/log", params={"start": "2026-11-20T22:00:00"})
    assert bad.status_code == 422


def rows_of(site: Site, incident: str, path: str, **params: Any) -> list[dict[str, str]]:
    answer = site.admin.get(f"/api/v1/incidents/{incident}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


def test_the_whole_log_as_a_file_and_in_another_order(site: Site, log: str) -> None:
    """Sorted over all pages, not within one; the file has every row."""
    by_message = get(site, log, "log", sort="message", limit=2)["items"]
    assert [item["line_first"] for item in by_message] == [402, 1]
    last = get(site, log, "log", sort="time", down=True, limit=1)["items"]
    assert last[0]["line_first"] == 300
    rows = rows_of(site, log, "log.csv", severity=["error", "note"], sort="severity")
    assert [(row["severity"], row["line_first"]) for row in rows] == [
        ("error", "402"), ("note", "400"), ("note", "401"),
    ]  # fmt: skip
    assert (rows[0]["time"], rows[0]["file"]) == (iso(40), "error.log")
    assert len(rows_of(site, log, "log.csv")) == 304
    groups = get(site, log, "log/groups", sort="last", down=True)["items"]
    assert [group["count"] for group in groups] == [300, 1, 2, 1]
    assert [row["count"] for row in rows_of(site, log, "log/groups.csv")] == ["300", "2", "1", "1"]


def test_repeated_messages_are_one(site: Site, log: str) -> None:
    """Numbers and names apart, with counts over the window; a group opens into its events."""
    found = get(site, log, "log/groups")
    first = found["items"][0]
    assert first["count"] == 300
    assert first["shape"] == "Aborted connection * to db: * user: *"
    assert sum(first["buckets"]) == 300
    assert max(first["buckets"]) <= 6
    assert (first["first"], first["last"]) == (iso(1), iso(300))
    cleaner = found["items"][1]
    assert cleaner["count"] == 2
    opened = get(site, log, "log", group=cleaner["id"])
    assert [item["line_first"] for item in opened["items"]] == [400, 401]
    assert get(site, log, "log", group="0" * 16)["total"] == 0


# ---- redaction


@pytest.mark.parametrize("kinds", ["", "sql,hosts,users,addresses"])
def test_csv_answers_are_redacted(site: Site, kinds: str) -> None:
    """Passwords always go; a literal of a statement goes from the log's messages too."""
    log = "held 'Zx81secret' of svc_pay since IDENTIFIED BY 'Pw99secret'"
    statement = "UPDATE t SET a='Zx81secret', b=PASSWORD('Pw99secret')"
    event = Event(
        line_first=1, line_last=1, wall_us=T0, clock="utc", kind="message", severity="error",
        message=log,
    )  # fmt: skip
    slow_one = slow(5, statement, 3.0, 5, user="svc_pay", client_host="app-31.corp.internal")
    session = Session(
        line_first=2, line_last=2, wall_us=T0, clock="utc", snapshot=0, session_id=7,
        user="svc_pay", client_host="app-31.corp.internal", query=statement,
    )  # fmt: skip
    incident = made(site, {"e.log": [event], "s.log": [slow_one], "p.txt": [session]})
    base = f"/api/v1/incidents/{incident}"
    p = sha("p.txt")
    for path in ("log.csv", "log/groups.csv", "queries.csv", f"processlist.csv?artifact={p}"):
        answer = site.admin.get(f"{base}/{path}", params=None if "?" in path else {"redact": kinds})
        if "?" in path:
            answer = site.admin.get(f"{base}/{path}&redact={kinds}")
        assert answer.status_code == 200, answer.text
        assert len(answer.text.splitlines()) == 2, (path, answer.text)
        assert "Pw99secret" not in answer.text
        for value in ("Zx81secret", "svc_pay", "app-31") if kinds else ():
            assert value not in answer.text, (path, value)
    assert site.admin.get(f"{base}/log.csv?redact=colors").status_code == 422
    whole = site.admin.get(f"{base}/log.csv").text
    assert "Zx81secret" in whole
