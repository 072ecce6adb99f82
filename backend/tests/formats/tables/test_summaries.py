"""Summaries of a server or a proxy: units as printed become seconds and bytes."""

from __future__ import annotations

import pytest

from pileup import quantities
from pileup.analysis.evidence import digests
from pileup.formats.parsed import Parsed
from tests.formats.checks import parse_bytes

SLABTOP = """\
 Active / Total Objects (% used)    : 25212345 / 26123456 (96.5%)
 Minimum / Average / Maximum Object : 0.01K / 0.26K / 8.00K

  OBJS ACTIVE  USE OBJ SIZE  SLABS OBJ/SLAB CACHE SIZE NAME
12345678 12345001  99%    0.19K 587889       21   2351556K dentry
7654321 7654001  99%    1.06K 255144       30   8164608K ext4_inode_cache
 981234  98123   10%    0.10K  25159       39    100636K buffer_head
"""
FILES = """\
file\ttotal\ttotal_latency\tcount_read\tcount_write\twrite_latency
@@datadir/ibdata1\t812345\t{total}\t812\t80012\t{write}
"""
MEMORY = """\
EVENT_NAME\tCURRENT_COUNT_USED\tCURRENT_NUMBER_OF_BYTES_USED\tHIGH_NUMBER_OF_BYTES_USED
memory/sql/THD\t412\t52428800\t104857600
memory/sql/unused\t0\t0\t0
"""


def values(parsed: Parsed) -> dict[tuple[str, str], float]:
    rows = parsed.frames["sample"].select("series", "labels", "value").rows()
    return {(series, labels): value for series, labels, value in rows}


@pytest.mark.parametrize(
    ("total", "write"), [("1.20 min", "900.00 ms"), ("72000000000000", "9e11")]
)
def test_times_have_one_unit_whatever_is_printed(total: str, write: str) -> None:
    write = "900000000000" if write == "9e11" else write
    found = values(parse_bytes(FILES.format(total=total, write=write).encode()))
    assert found["ps_file_io.total_latency", "file=@@datadir/ibdata1"] == pytest.approx(72)
    assert found["ps_file_io.write_latency", "file=@@datadir/ibdata1"] == pytest.approx(0.9)


def test_an_instrument_that_was_never_used_has_no_series() -> None:
    parsed = parse_bytes(MEMORY.encode())
    assert {labels for _, labels in values(parsed)} == {"event_name=memory/sql/THD"}
    assert len(parsed.frames["table"]["rows"][0]) == 2


@pytest.mark.parametrize("cell", ["NULL", "", "many", "N/A"])
def test_a_cell_that_is_no_number_has_no_sample_and_the_others_have(cell: str) -> None:
    text = MEMORY.replace("52428800", cell) + "memory/sql/TABLE\t0\t7\t9\n"
    parsed = parse_bytes(text.encode())
    rows = parsed.frames["sample"].select("series", "labels", "value", "line_first").rows()
    assert sorted(rows) == [
        ("ps_memory.current_count_used", "event_name=memory/sql/TABLE", 0.0, 4),
        ("ps_memory.current_count_used", "event_name=memory/sql/THD", 412.0, 2),
        ("ps_memory.current_number_of_bytes_used", "event_name=memory/sql/TABLE", 7.0, 4),
        ("ps_memory.high_number_of_bytes_used", "event_name=memory/sql/TABLE", 9.0, 4),
        ("ps_memory.high_number_of_bytes_used", "event_name=memory/sql/THD", 104857600.0, 2),
    ]


def test_slabtop_with_counts_that_have_no_room() -> None:
    found = values(parse_bytes(SLABTOP.encode()))
    assert found["slabinfo.size", "slab=dentry"] == 2351556
    assert found["slabinfo.objects", "slab=ext4_inode_cache"] == 7654321


def test_sessions_of_a_proxy_are_sessions() -> None:
    columns = "ThreadID SessionID user db cli_host cli_port hostgroup command time_ms info"
    row = "3 812 app shop 10.0.0.7 50122 0 Query 42012 UPDATE"
    text = "\n".join("\t".join(line.split()) for line in (columns, row)) + "\n"
    (session,) = parse_bytes(text.encode()).frames["session"].to_dicts()
    assert (session["session_id"], session["time_s"]) == (812, 42.012)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1.20 min", 72), ("812.10 us", 8.121e-4), ("5 ps", 5e-12), ("1,200 ms", 1.2), ("12", 12)],
)
def test_seconds(text: str, seconds: float) -> None:
    assert quantities.seconds(text) == pytest.approx(seconds)


def test_what_is_no_quantity() -> None:
    assert quantities.seconds("12 apples") is None
    assert quantities.seconds("") is None
    assert quantities.size("1.5 GiB") == 1.5 * 2**30
    assert quantities.size("12 s") is None


def test_digests_of_sys_have_their_seconds() -> None:
    table = {
        "columns": ["query", "exec_count", "total_latency", "lock_latency"],
        "rows": [["UPDATE `stock` SET `n` = ?", "812", "1.20 min", "55.20 s"]],
    }
    (digest,) = digests._rows(table)
    assert (digest.calls, digest.total_s, digest.lock_s) == (812, 72, 55.2)
