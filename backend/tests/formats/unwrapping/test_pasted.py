"""What people paste: tables and stacks in other clothes give what the server's own print gives."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pileup.formats.parsed import Parsed
from pileup.formats.unwrapping import pasted_tables, pasted_text
from tests.formats.checks import assert_sound, parse_bytes
from tests.support.cpu import growth

ROWS = (
    ("41", "app", "10.1.0.7:40112", "shop", "Query", "12", "updating", "update orders set n = 1"),
    ("42", "batch", "localhost", "NULL", "Sleep", "301", "", "NULL"),
)
NAMES = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")


def lines(*parts: str) -> str:
    return "".join(f"{part}\n" for part in parts)


def bars(cells: tuple[str, ...], bar: str = "|") -> str:
    return f"{bar} " + f" {bar} ".join(cells) + f" {bar}"


@pytest.mark.parametrize(
    "stamp", ["[2022-05-12 22:45:46]", "2022-05-12T22:45:46Z ", "[2022-05-12 22:45:46.120] "]
)
@pytest.mark.parametrize("repeats", [False, True])
def test_a_time_before_each_row_of_a_box_is_the_time_of_its_listing(
    stamp: str, *, repeats: bool
) -> None:
    later = stamp.replace("22:45:46", "22:45:49")
    first = [bars(NAMES), *map(bars, ROWS)]
    second = first if repeats else first[1:]
    text = lines(
        "Our list, every 3 s:", *(stamp + row for row in first), *(later + row for row in second)
    )
    parsed = parse_bytes(text.encode())
    assert parsed.format == "processlist"
    sessions = parsed.frames["session"]
    assert sessions["session_id"].to_list() == [41, 42] * 2
    assert sessions["query"].to_list() == ["update orders set n = 1", None] * 2
    times = sessions["wall_us"].to_list()
    assert [time - times[0] for time in times] == [0, 0, 3_000_000, 3_000_000]


def test_a_column_of_times_is_no_time_before_a_row() -> None:
    text = lines(
        "at | wait | aas |",
        "2023-01-02 03:04:05 | CPU | 3.1 |",
        "2023-01-02 03:04:06 | CPU | 4.1 |",
    )
    assert pasted_text._stamped_rows(text.split("\n")) is None


def quoted(cells: tuple[str, ...], comma: str, quote: str) -> str:
    return comma.join(cell if cell == "NULL" else f"{quote}{cell}{quote}" for cell in cells)


WIDTHS = [max(map(len, column)) for column in zip(NAMES, *ROWS, strict=True)]


def rule(left: str, cross: str, right: str) -> str:
    return left + cross.join("─" * (width + 2) for width in WIDTHS) + right


def padded(cells: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=True))


def html(tag: str, cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"


def xml(row: tuple[str, ...]) -> str:
    fields = [
        f'\t<field name="{name}" xsi:nil="true" />'
        if value == "NULL"
        else f'\t<field name="{name}">{value}</field>'
        for name, value in zip(NAMES, row, strict=True)
    ]
    return lines("  <row>", *fields, "  </row>")


def unaligned(number: int, row: tuple[str, ...]) -> str:
    stars = "*" * 27
    fields = (f"{name}: {value}" for name, value in zip(NAMES, row, strict=True))
    return lines(f"{stars} {number}. row {stars}", *fields)


MARKDOWN = lines(bars(NAMES), "|" + "---|" * len(NAMES), *map(bars, ROWS))
PROCESSLISTS = {
    "markdown": MARKDOWN,
    "box without its rules": lines("mysql> show processlist;", bars(NAMES), *map(bars, ROWS)),
    "rows alone": lines(*map(bars, ROWS)),
    "unicode box": lines(
        rule("┌", "┬", "┐"),
        bars(padded(NAMES), "│"),
        rule("├", "┼", "┤"),
        *(bars(padded(row), "│") for row in ROWS),
        rule("└", "┴", "┘"),
    ),
    "workbench": lines("# " + ", ".join(NAMES), *(quoted(row, ", ", "'") for row in ROWS)),
    "csv": lines(quoted(NAMES, ",", '"'), *(quoted(row, ",", '"') for row in ROWS)),
    "semicolons": lines(";".join(NAMES), *(";".join(row) for row in ROWS)),
    "web page": lines("<table>", html("th", NAMES), *(html("td", row) for row in ROWS)),
    "html on one line": "<TABLE>"
    + html("TH", NAMES)
    + "".join(html("TD", row) for row in ROWS)
    + "</TABLE>",
    "xml": lines('<resultset statement="show processlist">', *map(xml, ROWS), "</resultset>"),
    "rows without blanks": "".join(unaligned(at, row) for at, row in enumerate(ROWS, start=1)),
    "quoted in a mail": "".join(f"> {line}\n" for line in MARKDOWN.splitlines()),
}


def read(text: str) -> Parsed:
    data = text.encode()
    parsed = parse_bytes(data, "paste.txt")
    assert_sound(parsed, len(data))
    return parsed


def rows(parsed: Parsed, kind: str) -> list[dict[str, Any]]:
    return parsed.frames[kind].to_dicts()


@pytest.mark.parametrize("text", PROCESSLISTS.values(), ids=PROCESSLISTS.keys())
def test_a_processlist_reads_the_same_in_any_clothes(text: str) -> None:
    parsed = read(text)
    assert (parsed.format, parsed.problems, parsed.receipt.bytes_skipped) == ("processlist", [], 0)
    found = [
        (row["session_id"], row["user"], row["db"], row["command"], row["time_s"], row["query"])
        for row in rows(parsed, "session")
    ]
    assert found == [
        (41, "app", "shop", "Query", 12.0, "update orders set n = 1"),
        (42, "batch", None, "Sleep", 301.0, None),
    ]


def test_the_lines_are_those_of_the_paste() -> None:
    assert [row["line_first"] for row in rows(read(MARKDOWN), "session")] == [3, 4]
    one_line = read(PROCESSLISTS["html on one line"])
    assert {row["line_first"] for row in rows(one_line, "session")} == {1}


def test_a_statement_of_several_lines_in_a_csv_is_one_cell() -> None:
    text = lines(
        ",".join(NAMES), '7,app,h,shop,Query,3,updating,"update t', ' set a = ""x"", b = 1"'
    )
    (session,) = rows(read(text + "8,app,h,shop,Sleep,4,,\n"), "session")[:1]
    assert session["query"] == 'update t\n set a = "x", b = 1'
    assert len(rows(read(text + "8,app,h,shop,Sleep,4,,\n"), "session")) == 2


def test_a_cell_that_never_ends_costs_its_length_once() -> None:
    names = "".join(f"<th>{name}</th>" for name in NAMES)
    text = f"<table><tr>{names}</tr><tr><td>"

    def read_lines(many: int) -> None:
        reader = pasted_tables.choose_reader([text])
        assert reader is not None
        for line in (text, *["x" * 50] * many):
            reader(line)

    assert growth(lambda: read_lines(2_000), lambda: read_lines(16_000)) < 24


STATUS = (("Aborted_clients", "12"), ("Threads_running", "44"), ("wsrep_flow_control_sent", "3"))


@pytest.mark.parametrize(
    "text",
    [
        lines('"Variable_name","Value"', *(quoted(row, ",", '"') for row in STATUS)),
        lines("# Variable_name, Value", *(quoted(row, ", ", "'") for row in STATUS)),
        lines(*map(bars, STATUS)),
        lines(bars(("Variable_name", "Value")), "|:--|--:|", *map(bars, STATUS)),
    ],
    ids=["csv", "workbench", "rows alone", "markdown"],
)
def test_status_variables(text: str) -> None:
    samples = rows(read(text), "sample")
    assert {sample["series"]: sample["value"] for sample in samples} == {
        "mysql.Aborted_clients": 12.0,
        "mysql.Threads_running": 44.0,
        "mysql.wsrep_flow_control_sent": 3.0,
    }


def test_a_replication_status_without_its_line_of_stars() -> None:
    text = lines(
        "Slave_IO_State: Waiting for master to send event",
        "Master_Host: db0.example.net",
        "Slave_IO_Running: Yes",
        "Slave_SQL_Running: Yes",
        "Seconds_Behind_Master: 144",
    )
    parsed = read(text)
    assert parsed.format == "replication"
    found = {sample["series"]: sample["value"] for sample in rows(parsed, "sample")}
    assert found["replication.seconds_behind"] == 144.0


@pytest.mark.parametrize("indent", ["", "     "])
def test_a_processlist_whose_first_line_of_stars_is_cut_off(indent: str) -> None:
    first = lines(f"{indent}Id: 7", "Command: Query", "Time: 91", "State: init", "Info: SELECT 1")
    two = lines("     Id: 8", "Command: Query", "   Time: 90", "  State: NULL", "   Info: SELECT 2")
    text = f"{first}{'*' * 27} 2. row {'*' * 27}\n{two}"
    found = [(each["session_id"], each["query"]) for each in rows(read(text), "session")]
    assert found == [(7, "SELECT 1"), (8, "SELECT 2")]


def test_any_table_of_markdown_or_unicode_is_a_result() -> None:
    names, row = ("MEMBER_HOST", "MEMBER_STATE"), ("db-0.example.net", "UNREACHABLE")
    markdown = lines(bars(names), "|---|---|", bars(row), bars(row))
    ruled = lines("┌──┬──┐", bars(names, "│"), *["├──┼──┤", bars(row, "│")] * 2, "└──┴──┘")
    for text in (markdown, ruled):
        (table,) = rows(read(text), "table")
        assert (table["columns"], len(table["rows"])) == ([*names], 2)


TRANSACTION = lines(
    "---TRANSACTION 4439, ACTIVE 3 sec",
    "1 lock struct(s), heap size 1136, 1 row lock(s)",
    "MySQL thread id 5, OS thread handle 1, query id 7 localhost app updating",
    "update orders set n = 1",
)
WAIT = lines(
    "--Thread 139852 has waited at row0ins.cc line 2400 for 3.00 seconds the semaphore:",
    "X-lock on RW-latch at 0x7f31b0b8 created in file buf0buf.cc line 1460",
)
DEADLOCK = lines(
    "*** (1) TRANSACTION:",
    "TRANSACTION 421, ACTIVE 3 sec starting index read",
    "MySQL thread id 5, OS thread handle 1, query id 7 localhost app updating",
    "update orders set n = 1",
    "*** (1) WAITING FOR THIS LOCK TO BE GRANTED:",
    "RECORD LOCKS space id 2 page no 3 n bits 72 index PRIMARY of table `shop`.`orders` "
    "trx id 421 lock_mode X waiting",
    "*** WE ROLL BACK TRANSACTION (1)",
)


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        (TRANSACTION, "transaction", "TRANSACTIONS"),
        (WAIT, "semaphore_wait", "SEMAPHORES"),
        (DEADLOCK, "deadlock", "LATEST DETECTED DEADLOCK"),
    ],
)
def test_a_section_of_a_dump_alone(text: str, kind: str, title: str) -> None:
    rule = "-" * len(title)
    for part in (text, lines(title) + text, lines(rule, title, rule) + text):
        parsed = read(part)
        assert (parsed.format, parsed.receipt.bytes_skipped) == ("innodb-status", 0)
        (found,) = rows(parsed, kind)
        assert found["wall_us"] is None
        assert found["line_first"] == part[: part.index(text)].count("\n") + 1


def test_a_log_that_was_cut_inside_of_a_wait_stays_a_log() -> None:
    text = WAIT + "2026-01-02 10:00:00 0 [Warning] InnoDB: A long semaphore wait:\n" + WAIT
    assert read(text).format == "error-log"


@pytest.mark.parametrize("escape", ["\x1b[H\x1b[J", "\x1b[1\x1b[2", "\x1b[" * 2000 + "1m" * 2000])
def test_what_else_a_terminal_was_told_stays(escape: str) -> None:
    """``watch`` and ``top`` move the cursor; nested sequences come of damage."""
    parsed = parse_bytes(f"{escape}a\n{escape}b\n{escape}c\n".encode())
    assert (parsed.receipt.lines, parsed.crashed) == (3, False)


def test_colours_of_docker_compose() -> None:
    text = "".join(
        f"\x1b[36mdb_1   |\x1b[0m 2026-01-28  3:58:5{at} 0 [Note] InnoDB: step {at}\n"
        for at in range(4)
    )
    parsed = read(text)
    assert parsed.format == "error-log"
    assert [row["message"] for row in rows(parsed, "event")][3] == "InnoDB: step 3"


def stacks(text: str) -> list[tuple[Any, ...]]:
    parsed = read(text)
    assert parsed.format == "gdb"
    return [
        (
            [(thread["number"], thread["lwp"], thread["name"]) for thread in stack["threads"]],
            [(frame["function"], frame["file"], frame["line"]) for frame in stack["frames"]],
        )
        for stack in rows(parsed, "stack")
    ]


@pytest.mark.parametrize("mark", ["", "`"])
@pytest.mark.parametrize("head", ["Count | Stack", "**Threads** | **Stack trace**", "n | frames"])
def test_a_table_of_counts_and_stacks_is_stacks(head: str, mark: str) -> None:
    stacks = {
        31: "__lll_lock_wait,pthread_mutex_lock,innobase_xa_prepare,ha_commit_trans",
        2: "fsync,os_file_fsync,ha_innobase::index_read",
    }
    rows = [f"| {count} | {mark}{stack}{mark} |" for count, stack in stacks.items()]
    parsed = parse_bytes(lines(f"| {head} |", "|---:|---|", *rows).encode(), "x")
    assert parsed.frames["stack"]["count"].to_list() == list(stacks)
    plain = lines(*(f"{count:7} {stack}" for count, stack in stacks.items()))
    names = parse_bytes(plain.encode(), "x").frames["stack"]["frames"]
    assert parsed.frames["stack"]["frames"].to_list() == names.to_list()
    columns = lines("| n | columns |", "|---|---|", "| 3 | user_id,created_at |")
    assert "stack" not in parse_bytes(columns.encode(), "x").frames


def test_lldb() -> None:
    text = lines(
        "(lldb) bt all",
        "* thread #1, queue = 'com.apple.main-thread', stop reason = signal SIGSTOP",
        "  * frame #0: 0x00000001a9e2da9c libsystem_kernel.dylib`poll + 8",
        "    frame #1: 0x0000000104c1ab20 mysqld`wait(this=0x00006) at os0event.cc:18:14 [opt]",
        "  thread #2: tid = 0x1f, 0x00000001a9e libsystem_kernel.dylib`kevent + 8, name = 'io'",
        "    frame #0: 0x00000001a9e2da9c libsystem_kernel.dylib`kevent + 8",
    )
    assert stacks(text) == [
        ([(1, None, None)], [("poll", None, None), ("wait", "os0event.cc", 18)]),
        ([(2, 31, "io")], [("kevent", None, None)]),
    ]


def test_coredumpctl() -> None:
    text = lines(
        "           PID: 8500 (mariadbd)",
        "                Stack trace of thread 8509:",
        "                #0  0x00007f3a1e2797e9 __futex_wait (libc.so.6 + 0x6d7e9)",
        "                #1  0x0000556d255ec300 handle_manager (mariadbd + 0x227300)",
        "",
        "                Stack trace of thread 8510:",
        "                #0  0x00007f3a1e2797e9 poll (libc.so.6 + 0x6d7e9)",
    )
    assert stacks(text) == [
        ([(8509, 8509, None)], [("__futex_wait", None, None), ("handle_manager", None, None)]),
        ([(8510, 8510, None)], [("poll", None, None)]),
    ]


def test_a_crash_report_of_macos() -> None:
    text = lines(
        "Process:               mysqld [1234]",
        "",
        "Thread 0:: main",
        "0   libsystem_kernel.dylib        \t0x00007fff8ffd4132 poll + 10",
        "1   mysqld                        \t0x00007fff90f1fdf1 wait(Vio*, int) + 16 (vio.cc:12)",
        "",
        "Thread 17 Crashed:",
        "0   mysqld      \t0x000000011567b649 lock_wait(que_thr_t*) + 881",
    )
    assert stacks(text) == [
        ([(0, None, "main")], [("poll", None, None), ("wait", "vio.cc", 12)]),
        ([(17, None, None)], [("lock_wait", None, None)]),
    ]


def test_a_thread_after_the_other_by_hand() -> None:
    text = lines(
        "(gdb) thread 5",
        "[Switching to thread 5 (Thread 0x7f01 (LWP 77))]",
        "#0  0x00007f852bf5b1fd in __lll_lock_wait () from /lib64/libpthread.so.0",
        "(gdb) bt",
        "#0  0x00007f852bf5b1fd in __lll_lock_wait () from /lib64/libpthread.so.0",
        "#1  0x00007f852bf54025 in enter (mutex=0x1) at sync.h:80",
    )
    frames = [("__lll_lock_wait", None, None), ("enter", "sync.h", 80)]
    assert stacks(text) == [([(5, 77, None)], frames)]


def test_a_part_of_a_stack_says_that_its_inner_frames_are_missing() -> None:
    text = lines(
        "#3  <signal handler called>",
        "#4  0x0000000000a04765 in lock (that=0x51) at sql/rpl_gtid.h:659",
        "#5  0x0000000000a05857 in Gtid_state::lock (this=0x1d53290) at sql/rpl_gtid.h:652",
    )
    (problem,) = read(text).problems
    assert "begins at frame 3" in problem.message
    ((_, frames),) = stacks(text)
    assert [name for name, _, _ in frames][1:] == ["lock", "Gtid_state::lock"]


CRASH = lines(
    "11:40:21 UTC - mysqld got signal 11 ;",
    "This could be because you hit a bug.",
    *(f"setting_{at}={at}" for at in range(30)),
    "Attempting backtrace. You can use the following information to find out",
    *(f"/usr/sbin/mysqld(_ZN{at}+0x3b)[0xf2bb6b]" for at in range(30)),
    "Query (7edfbc0048d0): UPDATE orders SET n = 1",
)


@pytest.mark.parametrize("before", ["", "Sat, Jan 28 2023 3:58:58 am | ", "[pod/db-0/mysql] "])
def test_a_crash_alone_is_kept_with_its_stack_and_its_statement(before: str) -> None:
    parsed = read("".join(f"{before}{line}\n" for line in CRASH.splitlines()))
    assert (parsed.format, parsed.receipt.bytes_skipped) == ("error-log", 0)
    (event,) = rows(parsed, "event")
    assert (event["kind"], event["wall_us"]) == ("crash", None)
    assert "_ZN29+0x3b" in event["message"]
    assert event["message"].endswith("UPDATE orders SET n = 1")


def test_top_without_its_first_line() -> None:
    text = lines(
        "Tasks: 152 total,   2 running, 150 sleeping,   0 stopped,   0 zombie",
        "%Cpu(s): 48.5 us,  6.1 sy,  0.0 ni, 45.4 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st",
        "    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND",
        "   1103 mysql     20   0 1827484 517084  12124 S  93.8   6.3  22:29.12 mysqld",
    )
    assert read(text).format == "top"


def test_metrics_and_columns_stay_what_they_are() -> None:
    """No table of the server's, and nothing around the lines."""
    assert read("time,qps\n2026-01-01 00:00:00,5\n2026-01-01 00:00:01,6\n").format == "metric-csv"
    counted = "      3 poll,vio_io_wait\n      1 futex,os_event_wait\n"
    assert rows(read(counted), "stack")[0]["count"] == 3


UNDATED = ("mysqld: ready for connections", "[Warning] Aborted connection 12 to db", "InnoDB: slow")
DATED = tuple(f"2026-11-20T22:17:04.{n}23456Z {n} [Warning] [MY-010056] [Server] b" for n in "123")


WRAPPERS: dict[str, Callable[[str, str], str]] = {
    "docker logs -t": lambda at, line: f"{at} {line}",
    "docker compose logs -t": lambda at, line: f"db-1  | {at} {line}",
    "CRI": lambda at, line: f"{at} stderr F {line}",
    "json-file": lambda at, line: json.dumps({"log": f"{line}\n", "stream": "stderr", "time": at}),
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("many", [1, 3])
def test_times_of_a_container_stay_where_a_line_has_none(wrapper: str, many: int) -> None:
    """And are dropped where the server prints its own: with few lines and with many."""
    stamps = [f"2026-11-20T22:18:0{second}.500000000Z" for second in range(3)]

    def events(lines: tuple[str, ...]) -> list[tuple[object, ...]]:
        wrapped = [WRAPPERS[wrapper](at, line) for at, line in zip(stamps, lines, strict=True)]
        parsed = parse_bytes("".join(f"{line}\n" for line in wrapped * many).encode())
        columns = ("wall_us", "clock", "severity", "message")
        return parsed.frames["event"].select(columns).unique(maintain_order=True).rows()

    minute = 1_795_213_080_500_000
    assert [row[0] for row in events(UNDATED)] == [minute + n * 1_000_000 for n in range(3)]
    plain = parse_bytes("\n".join(DATED).encode()).frames["event"]
    assert events(DATED) == plain.select("wall_us", "clock", "severity", "message").rows()


@pytest.mark.parametrize(
    ("lines", "padded"),
    [
        (["a ", "b ", "c "], True),
        (["a ", "", "b ", "", "", "c "], True),  # lines without anything are not counted
        (["a ", "b ", "c ", "d"], True),  # the last one is often cut
        (["a ", "b ", "c", "d"], False),
        (["a ", "b "], False),
        (["a", "b ", "c ", "d "], False),
        ([" ", " ", " "], False),
    ],
)
def test_blanks_stand_behind_every_line_that_holds_something(
    lines: list[str], padded: bool
) -> None:
    assert pasted_text._are_padded(lines) is padded
