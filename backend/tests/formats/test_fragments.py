"""Parts of files, as bug reports and articles print them, give their records at once."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pileup.formats.driver import _has_evidence, parse_path
from pileup.formats.errors import FormatError
from pileup.formats.parsed import Parsed
from pileup.formats.tables import event_counts
from tests.formats.checks import assert_sound, parse_bytes, samples
from tests.support.rounds import Rounds

_CASES = Path(os.environ.get("PILEUP_CASES", Path(__file__).parents[4] / "shared/cases"))
_PRINTED = sorted((_CASES / "printed").glob("*/*"))
# Prose: a person selects the numbers in it.
_TEXTS = {"results.txt"}


@pytest.mark.skipif(not _PRINTED, reason="no folder of published cases (PILEUP_CASES)")
@pytest.mark.parametrize("path", _PRINTED, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_a_published_case_prints_is_read(path: Path) -> None:
    parsed = parse_path(path)
    assert _has_evidence(parsed.frames) == (path.name not in _TEXTS)
    assert parsed.receipt.bytes_skipped <= 0.3 * path.stat().st_size or path.name in _TEXTS


_COUNTED = [*samples("semaphore-counts"), *samples("event-counts")]


@pytest.mark.parametrize("path", _COUNTED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_sample(path: Path, check_sample: Callable[..., Parsed]) -> None:
    check_sample(path, shared=("result-set",) if path.parent.name == "event-counts" else ())


def read(text: str, name: str = "pasted.txt") -> Parsed:
    parsed = parse_bytes(text.encode(), name)
    assert_sound(parsed, len(text.encode()))
    return parsed


def rows(parsed: Parsed, kind: str) -> list[dict[str, Any]]:
    return parsed.frames[kind].to_dicts()


def test_a_count_of_waits_is_as_many_waits_of_threads_that_are_not_named() -> None:
    parsed = read("count  lock\n2   btr0sea.ic line 98 X-lock\n3\ttrx0trx.cc line 1201 Mutex\n")
    found = [
        (wait["file"], wait["line"], wait["mode"], wait["thread_id"], wait["waited_s"])
        for wait in rows(parsed, "semaphore_wait")
    ]
    assert found == [
        *[("btr0sea.ic", 98, "X", None, None)] * 2,
        *[("trx0trx.cc", 1201, "mutex", None, None)] * 3,
    ]
    (table,) = rows(parsed, "table")
    assert table["rows"][0] == ["2", "btr0sea.ic", "98", "X"]


def test_a_qps_log_below_a_title_is_no_syslog() -> None:
    """'Oct 24 22:27:19 UTC 2012: 18660' has the shape of a line of a program named 2012."""
    lines = "".join(f"Wed Oct 24 22:27:{at} UTC 2012: 18{at}0\n" for at in range(19, 29))
    parsed = read(f"Queries per second\n-------------------\n{lines}")
    assert parsed.format == "qps-log"
    assert [row["value"] for row in rows(parsed, "sample")][:2] == [18190.0, 18200.0]


def test_no_count_is_larger_than_a_server() -> None:
    parsed = read("999999999 btr0sea.ic line 98 X-lock\n5 buf0buf.cc line 12 S-lock\n")
    assert len(rows(parsed, "semaphore_wait")) == 5
    assert len(parsed.problems) == 1


SECTIONS = {
    "LOG": "Log sequence number 12345678\nLast checkpoint at  12340000\n",
    "BUFFER POOL AND MEMORY": "Buffer pool size   8192\nFree buffers       0\nPending reads 12\n",
    "ROW OPERATIONS": "8 queries inside InnoDB, 31 queries in queue\n",
    "FILE I/O": "Pending normal aio reads: 1 [1, 0, 0, 0] , aio writes: 3 [3, 0, 0, 0] ,\n",
    "SEMAPHORES": "OS WAIT ARRAY INFO: reservation count 71\nMutex spin waits 1, rounds 2\n",
}


@pytest.mark.parametrize("title", SECTIONS)
@pytest.mark.parametrize(
    "end", ["", "-" * 28 + "\nEND OF INNODB MONITOR OUTPUT\n" + "=" * 28 + "\n"]
)
def test_one_section_with_or_without_its_title(title: str, end: str) -> None:
    body = SECTIONS[title]
    rule = "-" * len(title)
    for text in (
        body,
        f"{rule}\n{title}\n{rule}\n{body}",
        f"see this:\n\n{rule}\n{title}\n{rule}\n{body}",
    ):
        parsed = read(text + end)
        assert parsed.format == "innodb-status"
        values = {sample["series"]: sample["value"] for sample in rows(parsed, "sample")}
        assert any(value is not None for value in values.values()), values


def test_an_end_without_a_section_counts_as_not_read() -> None:
    parsed = read("END OF INNODB MONITOR OUTPUT\n============================\n")
    assert parsed.receipt.bytes_understood == 0 or parsed.format is None


@pytest.mark.parametrize(
    "wait",
    [
        "--Thread 13 has waited at row0ins.cc line 30x3 for 0 seconds the semaphore:",
        "--Thread 13 has waited at row0ins.cc line 30",
        "...",
    ],
)
def test_a_wait_that_cannot_be_read_is_not_zero_waits(wait: str) -> None:
    text = (
        "-" * 10 + f"\nSEMAPHORES\n{'-' * 10}\nOS WAIT ARRAY INFO: reservation count 71\n{wait}\n"
        "Mutex spin waits 1, rounds 2, OS waits 3\n" + "-" * 28 + "\nEND OF INNODB MONITOR OUTPUT\n"
    )
    values = {sample["series"]: sample["value"] for sample in rows(read(text), "sample")}
    assert values["innodb.semaphore_waits"] is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("datasync,my_sync,MYSQL_LOG::write\n", ["datasync", "my_sync", "MYSQL_LOG::write"]),
        (
            "pthread_mutex_lock (from /lib/libpthread.so.0), enter (a/types.h:483), btr_x ...\n",
            ["pthread_mutex_lock", "enter", "btr_x"],
        ),
    ],
)
def test_a_stack_without_a_count_is_one_thread(text: str, names: list[str]) -> None:
    (stack,) = rows(read(text), "stack")
    assert (stack["count"], [frame["function"] for frame in stack["frames"]]) == (1, names)


@pytest.mark.parametrize("text", ["time,qps,latency\n1,2,3\n", "red,green,blue\n", "a, b, c\n"])
def test_a_list_of_words_is_no_stack(text: str) -> None:
    assert read(text).format != "pmp"


def test_frames_without_addresses_from_the_middle_of_a_stack() -> None:
    text = (
        "#3  buf_page_get_gen (page_id=..., rw_latch=2) at storage/innobase/buf/buf0buf.cc:4123\n"
        "#4  btr_cur_search (index=0x7f, level=0) at storage/innobase/btr/btr0cur.cc:1019\n"
    )
    (stack,) = rows(read(text), "stack")
    assert [frame["function"] for frame in stack["frames"]] == [
        "buf_page_get_gen",
        "btr_cur_search",
    ]


@pytest.mark.parametrize("name", ["my.cnf", "pasted.txt"])
def test_options_without_their_group(name: str) -> None:
    parsed = read("innodb_thread_concurrency = 0\nlog_bin\n", name)
    assert [(setting["name"], setting["value"]) for setting in rows(parsed, "setting")] == [
        ("innodb_thread_concurrency", "0"),
        ("log_bin", None),
    ]
    assert read("color = red\nsize = 3\n").format is None
    assert read("color = red\nsize = 3\n", "client.cnf").format == "my-cnf"


@pytest.mark.parametrize("before", ["", "db-0 | ", "> ", "May  6 07:08:09.123 shop/db: "])
def test_lines_of_an_error_log_without_their_time(before: str) -> None:
    lines = (
        "InnoDB: Warning: a long semaphore wait:",
        "--Thread 139852 has waited at row0ins.cc line 2400 for 241.00 seconds the semaphore:",
        "X-lock on RW-latch at 0x7f31b0b8 created in file buf0buf.cc line 1460",
        "InnoDB: ###### Starts InnoDB Monitor for 30 secs to print diagnostic info:",
        "[Warning] InnoDB: Difficult to find free blocks in the buffer pool",
    )
    parsed = read("".join(f"{before}{line}\n" for line in lines))
    assert parsed.format == "error-log"
    assert [wait["waited_s"] for wait in rows(parsed, "semaphore_wait")] == [241.0]
    events = rows(parsed, "event")
    assert [event["kind"] for event in events] == ["semaphore_warning", "log", "log"]
    assert events[2]["severity"] == "warning"
    assert {event["wall_us"] for event in events} == {None}


def test_a_fault_of_the_kernel_without_its_stamp() -> None:
    text = 'INFO: task mysqld:1234 blocked for more than 120 seconds.\n"echo 0 > /proc" ...\n'
    assert rows(read(text), "event")[0]["kind"] == "hung_task"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("InnoDB: ready\nVersion: '5.6.16-log'  socket: '/run/s'  port: 3306\n", "5.6.16-log"),
        ("#0  poll () at /build/mysql-5.6.34/vio/vio.c:1\n#1  f () at a.cc:2\n", "5.6.34"),
        (
            "#0  f () at /a/mariadb-10.5.9/sql/a.cc:1\n#1  g () at /a/mariadb-10.5.9/sql/a.cc:2\n",
            "10.5.9-MariaDB",
        ),
        (
            "#0  f () at /b/Percona-Server-5.5.27-rel28.1/sql/a.cc:1\n#1  g () at a.cc:2\n",
            "5.5.27-rel28.1",
        ),
    ],
)
def test_the_version_is_read_where_it_is_printed(text: str, version: str) -> None:
    found = {setting["name"]: setting for setting in rows(read(text), "setting")}
    assert found["version"]["value"] == version
    line = text.splitlines()[found["version"]["line_first"] - 1]
    assert version.removesuffix("-MariaDB") in line


def test_a_client_or_a_library_is_no_server() -> None:
    stacks = "#0  f () at a.cc:1\n#1  g () from /opt/mysql-5.6.34/lib/libmysqlclient.so\n"
    assert "setting" not in read(stacks).frames


def test_waits_are_read_wherever_a_paste_put_them(rounds: Rounds) -> None:
    """A wait between the lines of another section is a wait, and that section keeps its records."""
    wait = (
        "--Thread 14025{} has waited at btr0sea.ic line 128 for 1.00 seconds the semaphore:\n"
        "S-lock on RW-latch at 0x7f created in file btr0sea.cc line 202\n"
        "a writer (thread id 1402) has reserved it in mode  exclusive\n"
        "number of readers 0, waiters flag 1, lock_word: 0"
    )
    sections = (
        "---\nLOG\n---\nLog sequence number 12345678",
        "--------------\nROW OPERATIONS\n--------------\n8 queries inside InnoDB",
        (
            "------------\nTRANSACTIONS\n------------\nTrx id counter 9\n"
            "---TRANSACTION 8, ACTIVE 12 sec\n"
            "MySQL thread id 41, OS thread handle 1, query id 7 localhost app updating"
        ),
    )
    for seed in range(rounds.times(6, 100)):
        dice = random.Random(f"{seed} {rounds.turn}")
        count = dice.randint(1, 4)
        texts = dice.sample(sections, k=3)
        for number in range(count):
            at = dice.randrange(len(texts) + 1)
            texts.insert(at, wait.format(number))
        text = "\n".join(texts) + "\n"
        parsed = parse_bytes(text.encode(), "pasted.txt")
        assert parsed.format == "innodb-status", text
        assert parsed.receipt.records["semaphore_wait"] == count, text
        assert parsed.receipt.records["transaction"] == 1, text
        assert parsed.frames["transaction"]["session_id"].to_list() == [41], text


def test_wait_events_without_sessions_are_refused() -> None:
    with pytest.raises(FormatError, match="a wait event and a number"):
        list(event_counts.parse(["wait/io/file/sql/binlog, often"]))


def test_a_number_of_a_wait_that_counts_no_sessions_is_left_out() -> None:
    assert not event_counts.sniff("88123311 wait/io/file/sql/binlog\n7 wait/io/table/sql/handler\n")
    text = "EVENT_NAME  COUNT\n120 wait/io/table/sql/handler\n7 wait/io/file/sql/binlog\n"
    assert not event_counts.sniff(text)
