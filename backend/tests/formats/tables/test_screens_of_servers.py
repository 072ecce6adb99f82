"""What tools print of servers: orchestrator's topology, screens of mytop and innotop."""

from __future__ import annotations

import pytest

from pileup.formats.errors import FormatError
from pileup.formats.tables import innotop, myq_status, mytop, replication_topology
from pileup.records import Event, Samples, Session, Table
from tests.formats.checks import samples


@pytest.mark.parametrize(
    "path",
    [
        *samples(mytop.NAME),
        *samples(innotop.NAME),
        *samples(replication_topology.NAME),
        *samples(myq_status.NAME),
    ],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_sample(path, check_sample):
    check_sample(path)


def test_a_topology_without_a_server_is_refused() -> None:
    with pytest.raises(FormatError, match="No server was found"):
        list(replication_topology.parse(["db1.prod"]))


def test_a_replica_that_does_not_replicate_has_no_delay() -> None:
    tree = [
        "db1:3306     [0s,ok,8.0.33,rw,ROW,>>,GTID]",
        "+ db2:3306   [7s,lag,8.0.33,ro,ROW,>>,GTID]",
        "  - db3:3306 [null,nonreplicating,8.0.33,ro,ROW,GTID]",
        "+ db4:3306   [0s,ok,8.0.33,ro,ROW,GTID,downtimed]",
    ]
    items = list(replication_topology.parse(tree))
    delays = {item.host: item.values for item in items if isinstance(item, Samples)}
    assert delays == {"db2": [7.0], "db3": [None], "db4": [0.0]}
    (table,) = (item for item in items if isinstance(item, Table))
    sources = {row[0]: row[1] for row in table.rows}
    assert sources == {
        "db1:3306": None,
        "db2:3306": "db1:3306",
        "db3:3306": "db2:3306",
        "db4:3306": "db1:3306",
    }
    (event,) = (item for item in items if isinstance(item, Event))
    assert event.message == "db3:3306, a replica of db2:3306, is nonreplicating"


@pytest.mark.parametrize("dates", [("", ""), ("2026-11-29 22:26:24", "2026-11-29 22:26:26")])
def test_screens_of_mariadb_s_mytop_have_the_time_of_their_head_or_of_the_loop(dates) -> None:
    lines = []
    for date, second in zip(dates, (24, 26), strict=True):
        lines += [
            *filter(None, [date]),
            f"MariaDB 10.11.18 on db1  load (5.62 7.50 8.86) up 0+00:00:06 [22:26:{second}]",
            " Queries: 215.0    qps:   36 Slow:     0.0         Se/In/Up/De(%):    33/13/26/00",
            "       Id     User         Host/IP        DB   Time     %    Cmd  State Query",
            "       --     ----         -------        --   ----     -    ---  ----- ------",
            "       12      app        10.0.0.7      shop    4.4   0.0  Query updating UPDATE t",
        ]
    sessions = [item for item in mytop.parse(lines) if isinstance(item, Session)]
    assert [item.time_s for item in sessions] == [4.4, 4.4]
    walls = [item.wall_us for item in sessions]
    assert walls[1] - walls[0] == 2_000_000
    assert {item.clock for item in sessions} == ({"local"} if dates[0] else {"dayless"})


def test_one_column_of_mytop_is_a_state_or_a_statement() -> None:
    screen = [
        "   Id   User    Host/IP    DB    Time   Cmd Query or State",
        "   --   ----    -------    --    ----   --- ----------",
        "   12    app   10.0.0.7  shop      42 Query Waiting for table metadata lock",
        "   13    app   10.0.0.7            41 Query SELECT 1",
    ]
    items = list(mytop.parse(screen))
    sessions = [
        (item.db, item.time_s, item.state, item.query)
        for item in items
        if isinstance(item, Session)
    ]
    assert sessions == [
        ("shop", 42.0, "Waiting for table metadata lock", None),
        (None, 41.0, "", "SELECT 1"),
    ]


def test_each_screen_of_innotop_has_the_numbers_of_its_first_line() -> None:
    head = (
        "[RO] Query List (? for help)  db1, 3d, InnoDB 8s, {} QPS, 15/{}/4 con/run/cac thds, 8.0.36"
    )
    lines = [head.format("1.2k", 3), "", head.format("90.50", 12)]
    found = [item for item in innotop.parse(lines) if isinstance(item, Samples)]
    of = {name: [item.values[0] for item in found if item.series == name] for name in _OF_INNOTOP}
    assert of == {"mysql.Threads_running": [3.0, 12.0], "metric.qps": [1200.0, 90.5]}
    assert [item.wall_us[0] for item in found if item.series == "metric.qps"] == [0, 1_000_000]


_OF_INNOTOP = ("mysql.Threads_running", "metric.qps")
