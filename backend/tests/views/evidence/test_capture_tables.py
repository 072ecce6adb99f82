"""Queries, log, sessions and settings of a capture: the screens' views, without a server."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from pileup.analysis import analyse
from pileup.analysis.evidence.evidence import Evidence
from pileup.report.ticket import Block
from pileup.views.evidence.capture_tables import FEW, table_blocks
from pileup.views.evidence.log_groups import LogFilter, log_groups
from pileup.views.evidence.queries import QueryFilter, query_examples, top_queries
from pileup.views.evidence.server_settings import setting_sources, setting_table
from pileup.views.evidence.sessions import (
    SessionFilter,
    fullest_of_stretches,
    processlist,
    processlist_moments,
)
from pileup.views.evidence.sessions_over_time import (
    MOST_COLUMNS,
    MOST_GROUPS,
    sessions_over_time,
)
from pileup.views.source import EvidenceSource
from pileup.views.window import Window
from tests.analysis.frames import T0, S, evidence
from tests.api.test_table_tabs import CNF, logged, session, slow, variable


@pytest.fixture(scope="module")
def capture() -> Evidence:
    """A slow log of seven shapes, a log of two messages, two processlists, a server and a file."""
    waiting = [session(n, f"UPDATE t SET a=a+1 WHERE id={n}") for n in range(1, 31)]
    quiet = {"wall_us": T0 + 10 * S, "snapshot": 1}
    return evidence(
        {
            "slow.log": [slow(n, f"SELECT {'a' * n} FROM t", float(n), n) for n in range(1, 8)],
            "error.log": [
                *[logged(n, n, f"Aborted connection {n}") for n in range(1, 4)],
                logged(9, 9, "ready", "note"),
            ],
            "processlist": [
                *waiting,
                session(99, None, command="Sleep"),
                session(100, "SELECT 1", **quiet),
            ],
            "variables": [
                variable("max_connections", "151", 1),
                variable("innodb_flush_log_at_trx_commit", "2", 2),
            ],
            "my.cnf": [variable("max_connections", "900", 1, **CNF)],
        }
    )


def named(blocks: list[Block], title: str) -> Block:
    return next(block for block in blocks if block.title.startswith(title))


def test_a_terminal_shows_few_and_says_where_the_rest_is(capture: Evidence) -> None:
    """Seven shapes: the five that took longest, and a pointer to the page."""
    queries = named(table_blocks(capture, analyse(capture), FEW), "Top queries of the slow log")
    assert [row[0] for row in queries.rows] == ["7 s", "6 s", "5 s", "4 s", "3 s"]
    assert queries.rows[0][5] == "slow.log:7"
    assert list(queries.lines) == ["5 of 7 statements; --report FILE.html lists more."]


def test_a_page_shows_them_all(capture: Evidence) -> None:
    queries = named(table_blocks(capture, analyse(capture), 100), "Top queries of the slow log")
    assert len(queries.rows) == 7
    assert list(queries.lines) == []


def test_sessions_of_the_fullest_processlist(capture: Evidence) -> None:
    """No stall in this capture: the list with 30 sessions, and not the one with a single one."""
    blocks = table_blocks(capture, analyse(capture), FEW)
    state = named(blocks, "Sessions by state")
    assert state.lines[0] == "30 of 31 sessions are active (processlist)."
    assert state.rows[0][:3] == ("30", "30 s", "updating")
    statement = named(blocks, "Sessions by statement")
    assert statement.rows[0] == ("30", "30 s", "UPDATE t SET a=a+? WHERE id=?")


def test_a_terminal_shows_few_groups_of_sessions() -> None:
    """The largest come first, and the rest is counted."""
    sessions = [
        session(100 * many + n, f"SELECT {'a' * many} FROM t")
        for many in range(1, 9)
        for n in range(many)
    ]
    listed = evidence({"processlist": sessions})
    statement = named(table_blocks(listed, analyse(listed), FEW), "Sessions by statement")
    assert [row[0] for row in statement.rows] == ["8", "7", "6", "5", "4"]
    assert statement.lines[1] == "5 of 8 statements; --report FILE.html lists more."


@pytest.mark.parametrize(("length", "is_cut"), [(1000, False), (1001, True)])
def test_a_long_message_of_a_log_is_cut(length: int, is_cut: bool) -> None:
    source = EvidenceSource(evidence({"error.log": [logged(1, 1, "x" * length)]}))
    (group,) = log_groups(source, LogFilter()).items
    assert (len(group.example.message), group.example.message_cut) == (1000, is_cut)


def test_repeated_messages_and_settings(capture: Evidence) -> None:
    blocks = table_blocks(capture, analyse(capture), FEW)
    messages = named(blocks, "Log messages")
    assert [(row[0], row[4]) for row in messages.rows] == [
        ("3", "Aborted connection *"),
        ("1", "ready"),
    ]
    settings = named(blocks, "Settings that differ")
    assert [row[:3] for row in settings.rows] == [("max_connections", "151", "900")]


def test_a_capture_without_records_has_no_tables() -> None:
    empty = evidence({"notes.txt": []})
    assert table_blocks(empty, analyse(empty), FEW) == []


def test_the_views_answer_from_memory(capture: Evidence) -> None:
    """What the routes answer from the stored run, from evidence that nothing stored."""
    source = EvidenceSource(capture)
    window = Window(T0 + 5 * S, None)
    counted = replace(capture.artifacts[0], records={"query": 7, "session": 32})
    top = top_queries(source, QueryFilter(window, sort="calls"), [counted])
    assert top.counts == {"slow_log": 7, "query_digest": 0, "processlist": 32}
    assert top.shapes == 3
    longest = query_examples(source, Window(), top.items[0].id, "slow_log")
    assert [example.artifact for example in longest.items] == [top.items[0].artifact]
    assert log_groups(source, LogFilter(severity=("note",))).total == 1
    first, second = processlist_moments(source).items
    assert (first.active, second.active) == (30, 1)
    page = processlist(source, SessionFilter(first.artifact, by="user"), 0, 10)
    assert (page.groups[0].key, page.rows_total, len(page.rows)) == ("app", 30, 10)
    server, file = setting_sources(source)
    assert (server.is_file, file.is_file) == (False, True)
    assert setting_table(source, server.id, file.id, []).differing == 1


def test_queries_are_ordered_by_their_share(capture: Evidence) -> None:
    top = top_queries(EvidenceSource(capture), QueryFilter(sort="share"), ())
    shares = [query.share or 0.0 for query in top.items]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == 7 / 28


def test_many_processlists_keep_the_fullest_of_each_stretch_and_count_every_session() -> None:
    """Whatever is drawn is a processlist; groups and the rest add up to its sessions."""
    rows = [
        session(n, f"SELECT {'a' * (n % 11)} FROM t", wall_us=T0 + at * S, snapshot=at)
        for at in range(3 * MOST_COLUMNS)
        for n in range(1, 2 + at % 12)
    ]
    shown = sessions_over_time(
        EvidenceSource(evidence({"processlist": rows})), "digest", idle=False, q=""
    )
    assert shown.total == 3 * MOST_COLUMNS
    assert len(shown.columns) == MOST_COLUMNS
    assert len(shown.groups) == MOST_GROUPS < shown.groups_total
    assert all(sum(each.counts) + each.other == each.active for each in shown.columns)
    assert max(each.active for each in shown.columns) == 12


@pytest.mark.parametrize("most", [1, 3, 7, 50])
def test_stretches_cover_the_whole_time_also_when_all_are_equally_full(most: int) -> None:
    """No stretch is left out because of a tie before it."""
    moments = pl.DataFrame({"time": range(40), "active": [5] * 40})
    kept = fullest_of_stretches(moments, most)["time"].to_list()
    assert len(kept) == min(most, 40)
    assert kept == sorted(kept)
    assert kept[-1] >= 40 - 40 / most - 1
