"""What tools print of servers: orchestrator's topology, screens of mytop."""

from __future__ import annotations

import pytest

from pileup.formats.errors import FormatError
from pileup.formats.tables import mytop, replication_topology
from pileup.records import Event, Samples, Session, Table
from tests.formats.checks import samples


@pytest.mark.parametrize(
    "path",
    [*samples(mytop.NAME), *samples(replication_topology.NAME)],
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
