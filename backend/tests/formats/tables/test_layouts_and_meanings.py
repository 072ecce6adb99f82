"""Every layout with every meaning: what a table says does not depend on how it was pasted.

The matrix is generated: layouts x meanings x indentation or another margin, and headless where the
cells alone show what they are.
"""

from __future__ import annotations

import functools
import html
import json
from collections.abc import Callable, Sequence

import pytest

from pileup.formats.tables.layouts import delimited
from tests.formats.checks import parse_bytes
from tests.support.cpu import growth
from tests.support.rounds import Rounds

Rows = Sequence[Sequence[str]]
"""The header and the rows of a table; NULL is the text NULL."""

MEANINGS: dict[str, tuple[str, Rows]] = {
    # the records that a table must give, whatever the layout, and the table
    "processlist": (
        "session",
        (
            ("Id", "User", "Host", "db", "Command", "Time", "State", "Info"),
            ("11", "app", "10.0.0.7:50122", "shop", "Query", "42", "updating", "UPDATE t SET a=1"),
            ("12", "app", "10.0.0.8:50123", "NULL", "Sleep", "3", "", "NULL"),
            ("13", "root", "localhost", "shop", "Query", "0", "init", "show full processlist"),
        ),
    ),
    "columns in another order": (
        "session",
        (
            ("STATE", "TIME", "ID", "INFO", "COMMAND", "USER"),
            (
                "Waiting for table metadata lock",
                "42",
                "11",
                "ALTER TABLE t ADD b INT",
                "Query",
                "app",
            ),
            ("init", "3", "12", "SELECT 1", "Query", "app"),
        ),
    ),
    "processlist without a user": (
        "session",
        (
            ("ID", "TIME", "STATE", "INFO"),
            ("11", "42", "updating", "UPDATE t SET a=1"),
            ("12", "1", "Sending data", "SELECT b FROM t"),
        ),
    ),
    "sessions by state": (
        "processlist.state",
        (
            ("State", "count(*)"),
            ("Waiting for table metadata lock", "160"),
            ("Sending data", "3"),
        ),
    ),
    "sessions by user and command": (
        "processlist.running",
        (
            ("user", "command", "state", "COUNT(*)", "max(time)"),
            ("app", "Query", "updating", "41", "20"),
            ("app", "Sleep", "", "7", "300"),
        ),
    ),
    "status": (
        "mysql.Threads_running",
        (
            ("Variable_name", "Value"),
            ("Aborted_clients", "17"),
            ("Com_select", "90211"),
            ("Threads_running", "42"),
        ),
    ),
    "variables": (
        "setting",
        (
            ("Variable_name", "Value"),
            ("innodb_buffer_pool_size", "134217728"),
            ("innodb_flush_log_at_trx_commit", "1"),
            ("max_connections", "151"),
        ),
    ),
    "transactions": (
        "transaction",
        (
            ("trx_id", "trx_state", "trx_started", "trx_mysql_thread_id", "trx_query"),
            ("9011", "RUNNING", "2026-11-20 22:22:08", "18", "NULL"),
            ("9034", "LOCK WAIT", "2026-11-20 22:23:50", "21", "UPDATE stock SET n=n-1"),
        ),
    ),
    "lock waits": (
        "lock_wait",
        (
            ("requesting_trx_id", "requested_lock_id", "blocking_trx_id", "blocking_lock_id"),
            ("9034", "9034:12:4:2", "9011", "9011:12:4:2"),
        ),
    ),
    "InnoDB metrics": (
        "innodb_metrics.buffer_pool_reads",
        (
            ("NAME", "SUBSYSTEM", "COUNT", "STATUS", "TYPE"),
            ("buffer_pool_reads", "buffer", "873", "enabled", "status_counter"),
            ("lock_deadlocks", "lock", "4", "enabled", "counter"),
        ),
    ),
    "open tables": (
        "open_tables.open",
        (
            ("Database", "Table", "In_use", "Name_locked"),
            ("shop", "orders", "3", "0"),
            ("shop", "stock", "0", "0"),
        ),
    ),
    "a connection pool": (
        "proxysql.ConnUsed",
        (
            ("hostgroup", "srv_host", "srv_port", "status", "ConnUsed", "ConnFree", "ConnERR"),
            ("10", "10.0.0.11", "3306", "ONLINE", "398", "0", "18"),
            ("20", "10.0.0.12", "3306", "SHUNNED", "0", "0", "2211"),
        ),
    ),
    "waits by load": (
        "metric.db.load.avg",
        (
            ("wait_event", "AAS"),
            ("wait/synch/mutex/innodb/trx_sys_mutex", "18.4"),
            ("CPU", "3.1"),
        ),
    ),
    "logged deadlocks": (
        "deadlock",
        (
            ("server", "ts", "thread", "db", "tbl", "lock_mode", "wait_hold", "victim", "query"),
            ("db1", "2024-05-14T09:11:02", "81", "shop", "a", "X", "w", "1", "UPDATE a SET b=1"),
            ("db1", "2024-05-14T09:11:02", "82", "shop", "a", "X", "w", "0", "DELETE FROM a"),
        ),
    ),
    "memory by event": (
        "ps_memory.current_alloc",
        (
            ("event_name", "current_count", "current_alloc", "current_avg_alloc", "high_alloc"),
            ("memory/innodb/buf_buf_pool", "8", "48.50 GiB", "6.06 GiB", "48.50 GiB"),
            ("memory/sql/THD::main_mem_root", "412", "812.12 MiB", "1.97 MiB", "1.00 GiB"),
        ),
    ),
    "file I/O by latency": (
        "ps_file_io.write_latency",
        (
            ("file", "total", "total_latency", "count_read", "count_write", "write_latency"),
            ("@@datadir/ibdata1", "812345", "1.20 min", "812", "80012", "1.10 min"),
            ("@@datadir/shop/orders.ibd", "8123", "1.20 s", "812", "7001", "812.10 ms"),
        ),
    ),
    "clients": (
        "ps_client.current_connections",
        (
            ("host", "statements", "statement_latency", "current_connections", "current_memory"),
            ("10.0.0.7", "812345", "1.20 h", "412", "1.20 GiB"),
            ("10.0.0.8", "12", "812.00 us", "1", "90.00 KiB"),
        ),
    ),
    "commands of a proxy": (
        "proxysql_command.total_time_us",
        (
            ("Command", "Total_Time_us", "Total_cnt", "cnt_100us", "cnt_INFs"),
            ("SELECT", "812345678", "99123", "12", "8"),
            ("UPDATE", "99123", "17", "0", "0"),
        ),
    ),
    "servers of a proxy": (
        "maxscale.running",
        (
            ("Server", "Address", "Port", "Connections", "State", "GTID"),
            ("db-1", "10.0.0.2", "3306", "812", "Master, Running", "0-1-8812"),
            ("db-2", "10.0.0.3", "3306", "0", "Down", "0-1-8800"),
        ),
    ),
    "digests": (
        "table",
        (
            ("SCHEMA_NAME", "DIGEST", "DIGEST_TEXT", "COUNT_STAR", "SUM_TIMER_WAIT"),
            ("shop", "ab12", "SELECT * FROM `t` WHERE `id` IN (...)", "9021", "88120394"),
            ("shop", "cd34", "UPDATE `t` SET `n` = ?", "17", "4120"),
        ),
    ),
    "buffer pages": (
        "table",
        (
            ("table_name", "index_name", "page_count", "data_size_in_MB"),
            ("`game`.`state`", "PRIMARY", "181022", "2634.18"),
            ("NULL", "NULL", "9133", "0.00"),
        ),
    ),
    "benchmark": (
        "table",
        (
            ("threads", "inserts_per_s", "queries_per_s"),
            ("4", "10000", "2400"),
            ("8", "10100", "8"),
            ("16", "9900", "7"),
        ),
    ),
}


def _box(rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    return "\n".join((rule, lines[0], rule, *lines[1:], rule))


def _grid(rows: Rows) -> str:
    lines = _box(rows).split("\n")
    return "\n".join((*lines[:3], *[part for line in lines[3:-1] for part in (line, lines[0])]))


def _unicode(rows: Rows) -> str:
    lines = _box(rows).split("\n")
    ends = {0: "┌┬┐", 2: "├┼┤", len(lines) - 1: "└┴┘"}
    for at, (left, middle, right) in ends.items():
        lines[at] = left + lines[at][1:-1].replace("+", middle).replace("-", "─") + right
    return "\n".join(line.replace("|", "│") for line in lines)


def _unruled(rows: Rows) -> str:
    return "\n".join(line for line in _box(rows).split("\n") if not line.startswith("+"))


def _vertical(rows: Rows) -> str:
    width = max(map(len, rows[0]))
    lines = []
    for number, row in enumerate(rows[1:], start=1):
        lines.append(f"{'*' * 27} {number}. row {'*' * 27}")
        lines += [f"{key:>{width}}: {cell}" for key, cell in zip(rows[0], row, strict=True)]
    return "\n".join(lines)


def _tabs(rows: Rows) -> str:
    return "\n".join("\t".join(row) for row in rows)


def _delimited(comma: str, quote: str = '"') -> Callable[[Rows], str]:
    def cell(text: str) -> str:
        needed = comma in text or quote in text
        return quote + text.replace(quote, 2 * quote) + quote if needed else text

    return lambda rows: "\n".join(comma.join(map(cell, row)) for row in rows)


def _quoted(rows: Rows) -> str:
    cells = [[text if text == "NULL" else f'"{text}"' for text in row] for row in rows]
    return "\n".join(map(",".join, cells))


def _markdown(rows: Rows) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join((lines[0], "|" + "---|" * len(rows[0]), *lines[1:]))


def _json(rows: Rows) -> str:
    objects = [
        {name: None if cell == "NULL" else cell for name, cell in zip(rows[0], row, strict=True)}
        for row in rows[1:]
    ]
    return json.dumps(objects, indent=1)


def _html(rows: Rows) -> str:
    def line(tag: str, row: Sequence[str]) -> str:
        return "<TR>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</TR>"

    body = "\n".join(line("TD", row) for row in rows[1:])
    return f"<TABLE BORDER=1>{line('TH', rows[0])}\n{body}\n</TABLE>"


def _xml(rows: Rows) -> str:
    def field(name: str, cell: str) -> str:
        return f'\t<field name="{html.escape(name)}">{html.escape(cell)}</field>'

    body = "\n".join(
        "  <row>\n" + "\n".join(map(field, rows[0], row)) + "\n  </row>\n" for row in rows[1:]
    )
    return f'<?xml version="1.0"?>\n\n<resultset statement="x">\n{body}</resultset>'


def _aligned(rows: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    )


LAYOUTS: dict[str, Callable[[Rows], str]] = {
    "box": _box,
    "box with a rule below each row": _grid,
    "box of Unicode": _unicode,
    "box without rules": _unruled,
    "\\G": _vertical,
    "tabs": _tabs,
    "CSV": _delimited(","),
    "CSV, all quoted": _quoted,
    "CSV, semicolons": _delimited(";"),
    "Markdown": _markdown,
    "JSON": _json,
    "HTML": _html,
    "XML": _xml,
    "columns of blanks": _aligned,
}
MARGINS = {
    **{f"{blanks} blanks": " " * blanks for blanks in range(9)},
    "quote": "> ",
    "prompt": "mysql> ",
    "bar": "| ",
}
_NO_MARGIN_OF_BARS = (
    "box",
    "box with a rule below each row",
    "box of Unicode",
    "box without rules",
)
"""Of bars only text that has none is decidable."""
_PLAIN_TABLES = ("digests", "buffer pages", "benchmark")


def _gives(text: str) -> dict[str, int]:
    """Count records by kind, and samples by series."""
    parsed = parse_bytes(text.encode())
    counts = {kind: frame.height for kind, frame in parsed.frames.items()}
    if "sample" in parsed.frames:
        counts |= dict(parsed.frames["sample"].group_by("series").len().rows())
    return counts


@functools.cache
def _in_a_box(meaning: str) -> dict[str, int]:
    """What the rows give as the client prints them: the other layouts are compared with it."""
    return _gives(_box(MEANINGS[meaning][1]) + "\n")


_DECIDABLE = [
    (layout, meaning)
    for layout in LAYOUTS
    for meaning in MEANINGS
    if layout != "columns of blanks" or meaning not in _PLAIN_TABLES
]
"""Blanks between unknown columns are no proof of a table."""


@pytest.mark.parametrize(("layout", "meaning"), _DECIDABLE)
@pytest.mark.dealt(9)
def test_any_layout_has_any_meaning(layout: str, meaning: str, rounds: Rounds) -> None:
    """Behind any margin; every other margin each day."""
    wanted, rows = MEANINGS[meaning]
    expected = _in_a_box(meaning)
    assert expected.get(wanted), expected
    missed = []
    for name, margin in rounds.in_turn(MARGINS.items(), 2, _DECIDABLE.index((layout, meaning))):
        if margin == "| " and (layout in _NO_MARGIN_OF_BARS or layout == "Markdown"):
            continue
        text = "".join(f"{margin}{line}\n" for line in LAYOUTS[layout](rows).split("\n"))
        given = _gives(text)
        if given.get(wanted) != expected[wanted]:
            missed.append((name, given))
    assert not missed, missed


@pytest.mark.parametrize("layout", ["tabs", "box without rules"])
@pytest.mark.parametrize("meaning", ["processlist", "status", "variables"])
def test_rows_without_a_header(layout: str, meaning: str) -> None:
    """Where the cells alone show what they are."""
    wanted, rows = MEANINGS[meaning]
    expected = _gives(_box(rows) + "\n")
    text = "\n".join(LAYOUTS[layout](rows).split("\n")[1:]) + "\n"
    for blanks in range(9):
        given = _gives("".join(f"{' ' * blanks}{line}\n" for line in text.split("\n")))
        assert given.get(wanted) == expected[wanted], (blanks, given)


DATES = (
    "Mon Nov 23 07:24:{} UTC 2026",
    "lun. 23 nov. 2026 07:24:{} CET",
    "# 2026-11-23T07:24:{}Z",
    "===== 2026-11-23 07:24:{} =====",
)


@pytest.mark.parametrize("layout", ["box", "tabs", "\\G"])
@pytest.mark.parametrize(
    "meaning", [name for name in MEANINGS if name not in ("variables", "logged deadlocks")]
)
@pytest.mark.dealt(3)
def test_a_date_above_a_table_is_its_time(layout: str, meaning: str) -> None:
    """``while :; do date; mysql -e '...'; sleep 2; done``, also where ``date`` speaks French."""
    wanted, rows = MEANINGS[meaning]
    table = LAYOUTS[layout](rows)
    for date in DATES:
        text = "".join(f"{date.format(second)}\n{table}\n" for second in (10, 12, 15, 17))
        frames = parse_bytes(text.encode()).frames
        kind = "sample" if "." in wanted else wanted
        frame = frames[kind].filter(series=wanted) if kind == "sample" else frames[kind]
        times = [wall // 1_000_000 % 60 for wall in frame["wall_us"].unique().sort().to_list()]
        assert times == [10, 12, 15, 17], date


@pytest.mark.parametrize("layout", ["CSV", "CSV, semicolons", "tabs", "box"])
def test_the_host_of_a_processlist_is_the_client(layout: str) -> None:
    """Also where each row has the time at which it was read."""
    _, rows = MEANINGS["processlist"]
    stamps = ("2026-11-23 07:24:10", "2026-11-23 07:24:10", "2026-11-23 07:24:12")
    with_time = [("ts", *rows[0]), *[(at, *row) for at, row in zip(stamps, rows[1:], strict=True)]]
    frames = parse_bytes((LAYOUTS[layout](with_time) + "\n").encode(), "sessions.csv").frames
    sessions = frames["session"]
    assert sessions["client_host"].to_list() == ["10.0.0.7:50122", "10.0.0.8:50123", "localhost"]
    assert sessions["host"].null_count() == sessions.height
    assert sessions["snapshot"].to_list() == [0, 0, 1]
    assert [wall // 1_000_000 % 60 for wall in sessions["wall_us"].to_list()] == [10, 10, 12]


def test_counts_by_state_are_sums_of_what_was_counted() -> None:
    _, rows = MEANINGS["sessions by user and command"]
    samples = parse_bytes((_box(rows) + "\n").encode()).frames["sample"]
    values = dict(samples.select("series", "value").filter(series="processlist.sessions").rows())
    values |= dict(samples.select("series", "value").filter(series="processlist.running").rows())
    assert values == {"processlist.sessions": 48, "processlist.running": 41}
    by_state = samples.filter(series="processlist.state").select("labels", "value").rows()
    assert by_state == [("state=updating", 41)]


def test_a_table_of_other_things_is_no_processlist() -> None:
    rows = (("id", "state", "time", "note"), ("1", "CA", "2026-01-01", "x"), ("2", "NY", "y", "z"))
    assert set(_gives(_box(rows) + "\n")) == {"table"}
    by_title = "mysql> select state, count(*) from customers group by state;\n"
    assert "processlist.state" not in _gives(
        by_title + _box(MEANINGS["sessions by state"][1]) + "\n"
    )


def test_a_cell_of_csv_that_never_ends_costs_its_length_once() -> None:
    def read_lines(many: int) -> None:
        for _ in range(10):  # long enough for a clock
            layout = delimited.Delimited(",", ("id", "info"))
            for text in ('1,"update t', *['set ""a"" = 1'] * many):
                layout.cells(text)

    assert growth(lambda: read_lines(4_000), lambda: read_lines(32_000)) < 24


def test_a_statement_over_lines_in_csv_is_one_cell() -> None:
    text = 'Id,User,Command,State,Info\n7,app,Query,updating,"update t\n set a = ""x"", b = 1"\n'
    sessions = parse_bytes(f"{text}8,app,Sleep,,\n".encode()).frames["session"]
    assert sessions["query"].to_list() == ['update t\n set a = "x", b = 1', ""]
    assert sessions["line_last"].to_list() == [3, 4]


@pytest.mark.parametrize("comma", ["\t", "|"])
def test_members_of_a_group_are_counted_by_state(comma: str) -> None:
    rows = (
        ("CHANNEL_NAME", "MEMBER_ID", "MEMBER_HOST", "MEMBER_STATE"),
        ("group_replication_applier", "1e5a", "db1", "ONLINE"),
        ("group_replication_applier", "2e5a", "db2", "UNREACHABLE"),
        ("group_replication_applier", "3e5a", "db3", "ONLINE"),
    )
    edge = "" if comma == "\t" else "|"
    text = "".join(f"{edge}{comma.join(row)}{edge}\n" for row in rows)
    samples = parse_bytes(text.encode()).frames["sample"]
    found = list(samples.select("series", "labels", "value").iter_rows())
    assert sorted(found) == [
        ("group_replication.error_members", "", 0.0),
        ("group_replication.members", "state=ONLINE", 2.0),
        ("group_replication.members", "state=UNREACHABLE", 1.0),
        ("group_replication.offline_members", "", 0.0),
        ("group_replication.recovering_members", "", 0.0),
        ("group_replication.unreachable_members", "", 1.0),
    ]
