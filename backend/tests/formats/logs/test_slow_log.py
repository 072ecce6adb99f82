"""The slow query log: exact values of every header form, and that chunks change nothing."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pileup.formats.driver import parse_path
from pileup.formats.logs import slow_log
from pileup.formats.reading.text import Chunk, decode_lines
from pileup.records import Problem, Rows, Setting
from tests.formats.checks import SAMPLES, parse_bytes, samples

OLD = SAMPLES / "slow-log" / "5.0-to-5.6-every-header.log"
EXTRA = SAMPLES / "slow-log" / "8.0-log-slow-extra.log"
MARIADB = SAMPLES / "slow-log" / "mariadb-10.11-explain.log"


@pytest.mark.parametrize("path", samples("slow-log"), ids=lambda p: p.stem)
def test_sample(path, check_sample):
    check_sample(path)


def test_every_header_of_the_old_logs() -> None:
    parsed = parse_path(OLD)
    queries = parsed.frames["query"].to_dicts()
    assert [q["query_time_s"] for q in queries] == [
        4.0, 3.0, 0.000017, 0.25, 0.914377, 0.000021, 51.321092,
    ]  # fmt: skip
    assert [q["user"] for q in queries] == ["root", "app", "SQL_SLAVE", "go", None, "app", "app"]
    assert [q["client_host"] for q in queries] == [
        "localhost", "web03", None, "1.2.3.4", None, "localhost", "localhost",
    ]  # fmt: skip
    assert [q["session_id"] for q in queries] == [None, None, 10, 11, None, 169, 56601]
    assert [q["db"] for q in queries] == ["test", None, "db1", "db2", None, None, "shop"]
    assert (queries[3]["lock_time_s"], queries[3]["rows_sent"]) == (None, None)  # damaged digits
    assert queries[3]["rows_examined"] == 8
    insert = queries[1]["query"]
    assert insert.startswith("INSERT INTO t (a)\nVALUES ('# Time:")
    assert insert.endswith("('x;')")
    assert queries[5]["administrator"]
    assert queries[5]["query"] == "administrator command: Quit"
    last = queries[6]
    assert (last["errno"], last["rows_affected"]) == (1205, 3)
    assert (last["innodb_rec_lock_wait_s"], last["innodb_queue_wait_s"]) == (50.9, 0.01)
    assert last["innodb_io_r_wait_s"] == 0.0041
    assert _counts(last) == {
        "Killed": 0,
        "Bytes_sent": 14,
        "Tmp_tables": 0,
        "Tmp_disk_tables": 0,
        "Tmp_table_sizes": 0,
        "InnoDB_IO_r_ops": 2,
        "InnoDB_IO_r_bytes": 32768,
        "InnoDB_pages_distinct": 12,
    }
    # a time is printed only when the second has changed; SET timestamp is absolute
    assert [(q["clock"], q["wall_us"]) for q in queries] == [
        ("local", 1194073960_000000),
        ("utc", 1194073961_000000),
        ("local", 1199874093_000000),
        ("local", 1199874093_000000),
        ("local", 1199874093_000000),
        ("utc", 1397417652_000000),
        ("utc", 1397417700_000000),
    ]
    assert [p.line for p in parsed.problems] == [1, 33]
    assert parsed.receipt.bytes_skipped == len("UPDATE cut SET off=1;\n") + sum(
        len(line) + 1 for line in OLD.read_text().split("\n")[32:34]
    )


def test_the_end_of_a_statement_is_its_time_and_its_zone_is_kept() -> None:
    first, second = parse_path(EXTRA).frames["query"].to_dicts()
    assert (first["clock"], first["wall_us"]) == ("utc", 1795213378_255330)
    assert (second["clock"], second["wall_us"]) == ("utc", 1795213380_500000)
    assert (second["errno"], second["session_id"], second["client_host"]) == (1317, 163, "app-7")
    assert second["query"] == "SELECT *\n  FROM orders\n WHERE note LIKE '%x%'"
    assert (second["line_first"], second["line_last"]) == (10, 16)


def test_every_count_of_log_slow_extra_is_read() -> None:
    first, second = parse_path(EXTRA).frames["query"].to_dicts()
    assert len(_counts(first)) == 16
    assert _counts(first)["Bytes_received"] == 240
    assert _counts(second) == {"Killed": 1317, "Bytes_received": 0, "Bytes_sent": 0}


def test_a_field_that_is_no_number_stays_as_text() -> None:
    text = (
        "# User@Host: a[a] @ h []\n# QC_Hit: No  Full_scan: Yes  Full_join: Maybe\n"
        "# Query_time: 1  Lock_time: 0\n# Pages_read: 1x2  Pages_updated: 1.2.3  Bytes_sent: 7\n"
        "SELECT ' Rows_read: 5 ';\n"
    )
    (query,) = parse_bytes(text.encode()).frames["query"].to_dicts()
    assert _counts(query) == {"QC_Hit": 0, "Full_scan": 1, "Bytes_sent": 7}
    assert _texts(query) == {"Full_join": "Maybe", "Pages_read": "1x2", "Pages_updated": "1.2.3"}


def entry(more: str = "", statement: str = "SELECT 1;", time: str = "0.5") -> str:
    return (
        f"# User@Host: app[app] @ web-3 [10.0.0.3]\n# Query_time: {time}  Lock_time: 0.25 "
        f"Rows_sent: 1  Rows_examined: 2\n{more}SET timestamp=1795213380;\n{statement}\n"
    )


def test_a_field_of_any_server_is_kept_under_its_name() -> None:
    text = entry("# InnoDB_trx_id: 5A3F1\n# Stored_routine: shop.pay  Foo_count: 3\n") + entry()
    first, second = parse_bytes(text.encode()).frames["query"].to_dicts()
    assert (first["trx_id"], first["client_host"], first["client_ip"]) == (
        "5A3F1",
        "web-3",
        "10.0.0.3",
    )
    assert (_counts(first), _texts(first)) == ({"Foo_count": 3}, {"Stored_routine": "shop.pay"})
    assert (second["trx_id"], second["counts"], second["weight"]) == (None, [], None)


@given(st.dictionaries(st.from_regex(r"[A-Z][a-z]{1,9}_[a-z]{1,9}", fullmatch=True),
                       st.integers(0, 10**9), max_size=6))  # fmt: skip
@settings(max_examples=25)
def test_no_field_vanishes(fields: dict[str, int]) -> None:
    line = "".join(f"# {name}: {value}\n" for name, value in fields.items())
    (query,) = parse_bytes(entry(line).encode(), format_name="slow-log").frames["query"].to_dicts()
    known = {"Rows_affected", "Thread_id"}
    assert _counts(query) == {name: value for name, value in fields.items() if name not in known}


def test_a_sampled_log_counts_by_its_rate() -> None:
    rate = "# Log_slow_rate_type: query  Log_slow_rate_limit: 1000\n"
    parsed = parse_bytes((entry(rate) * 2 + entry(rate, time="12.5")).encode())
    assert parsed.frames["query"]["weight"].to_list() == [1000, 1000, None]  # always written
    sums = parsed.frames["sample"].rows_by_key("series", named=True, unique=True)
    assert sums["slow_log.queries"]["value"] == 2001
    assert sums["slow_log.query_time"]["value"] == 0.5 * 2000 + 12.5
    assert [p.line for p in parsed.problems] == [1]
    assert "1 of 1000 statements" in parsed.problems[0].message


def test_sampled_sessions_are_reported_and_not_multiplied() -> None:
    rate = "# Log_slow_rate_type: session  Log_slow_rate_limit: 10\n"
    parsed = parse_bytes((entry(rate) * 2).encode())
    assert parsed.frames["query"]["weight"].to_list() == [None, None]
    assert "1 of 10 sessions" in parsed.problems[0].message


@pytest.mark.parametrize(
    ("more", "statement", "db"),
    [
        ("# Schema: old\n", "SELECT 1;", "old"),
        ("# Schema: old\nuse new;\n", "SELECT 1;", "new"),
        ("", "use `new`;", "new"),
        ("# Schema: old\n", "USE new", "new"),
        ("# Schema: old\n", "SELECT 1 -- use new", "old"),
    ],
)
def test_use_names_the_database(more: str, statement: str, db: str) -> None:
    (query,) = parse_bytes(entry(more, statement).encode()).frames["query"].to_dicts()
    assert query["db"] == db


def test_the_plan_of_mariadb_is_kept() -> None:
    plans = [
        _texts(query).get("explain") for query in parse_path(MARIADB).frames["query"].to_dicts()
    ]
    assert plans[0] is not None
    assert plans[0].split("\n")[0].split()[:2] == ["id", "select_type"]


def _texts(query: dict[str, Any]) -> dict[str, str]:
    return {count["name"]: count["text"] for count in query["counts"] if count["value"] is None}


def _counts(query: dict[str, Any]) -> dict[str, float]:
    return {count["name"]: count["value"] for count in query["counts"] if count["text"] is None}


def test_seconds_in_which_nothing_ended_are_zero() -> None:
    samples_ = parse_path(EXTRA).frames["sample"]
    sums = samples_.filter(pl.col("series") == "slow_log.query_time")
    assert sums["value"].to_list() == [0.580467, 0.0, 2.5]
    counts = samples_.filter(pl.col("series") == "slow_log.queries")
    assert counts["wall_us"].to_list() == [1795213378_000000, 1795213379_000000, 1795213380_000000]
    assert counts["value"].to_list() == [1.0, 0.0, 1.0]


def test_mariadb_prints_its_zone_by_an_epoch_beside_a_local_time() -> None:
    frames = parse_path(MARIADB).frames
    (query,) = frames["query"].to_dicts()
    assert (query["clock"], query["wall_us"]) == ("utc", 1795212987_250001)
    assert (query["db"], query["rows_affected"]) == ("shop", 1)
    (clock,) = frames["event"].to_dicts()
    assert (clock["kind"], clock["original"]) == ("clock", "2026-11-20 22:16:27")
    assert _counts(query) == {
        "QC_hit": 0,
        "Bytes_sent": 0,
        "Pages_accessed": 3,
        "Pages_read": 0,
        "Pages_prefetched": 0,
        "Pages_updated": 2,
        "Old_rows_read": 0,
        "Pages_read_time": 0,
        "Engine_time": 501.8776,
    }
    (version,) = frames["setting"].to_dicts()
    assert version["value"] == "10.11.6-MariaDB-log"


@pytest.mark.parametrize("path", samples("slow-log"), ids=lambda p: p.stem)
@pytest.mark.parametrize("size", [1, 2, 7])
def test_where_chunks_end_changes_nothing(path: Path, size: int) -> None:
    lines = list(decode_lines(io.BytesIO(path.read_bytes())))
    chunks = [
        Chunk(
            at + 1, "".join(f"{line}\n" for line in lines[at : at + size]), len(lines[at:][:size])
        )
        for at in range(0, len(lines), size)
    ]
    found = list(slow_log.parse_chunks(chunks))
    whole = list(slow_log.parse(lines))
    for kind in ("query", "sample"):
        apart = pl.concat([i.frame for i in found if isinstance(i, Rows) and i.kind == kind])
        assert_frame_equal(
            apart, pl.concat([i.frame for i in whole if isinstance(i, Rows) and i.kind == kind])
        )
    for other in (Problem, Setting):
        assert [i for i in found if isinstance(i, other)] == [
            i for i in whole if isinstance(i, other)
        ]


def test_a_statement_of_many_mebibytes_is_cut_and_the_next_entry_found() -> None:
    head = (
        "# User@Host: a[a] @ h []\n# Query_time: 1  Lock_time: 0  Rows_sent: 0  Rows_examined: 0\n"
    )
    text = f"{head}INSERT INTO t VALUES\n" + "(1,2,3),\n" * 2_000_000 + f"(4);\n{head}SELECT 2;\n"
    frame = parse_bytes(text.encode()).frames["query"]
    assert frame["query"].str.len_chars().to_list() == [slow_log.MOST_QUERY + 1, 8]
    assert frame["line_first"].to_list() == [1, 2_000_005]


def test_a_report_of_it_is_not_the_log() -> None:
    assert slow_log.sniff("# Query_time distribution\n#   1us\n") is False


def test_the_corpus_agrees_with_a_count_of_query_time_lines(corpus: Path) -> None:
    """Every Query_time line that begins a line is one query, in thirty logs of other people."""
    paths = [p for p in sorted((corpus / "slow_log").glob("*.*")) if p.name != "INDEX.tsv"]
    assert sum(map(agreed, paths)) > 100


def test_samples_agree_with_a_count_of_query_time_lines() -> None:
    paths = [path for path in samples("slow-log") if not path.name.startswith("fluent")]
    assert sum(map(agreed, paths)) > 5


def agreed(path: Path) -> int:
    """Compare a log with a plain count of its lines; return how many queries it has."""
    parsed = parse_path(path, name="upload")
    assert parsed.format == "slow-log", path.name
    text = path.read_text(errors="replace")
    expected = sum(line.startswith("# Query_time: ") for line in text.split("\n"))
    assert parsed.receipt.records.get("query", 0) == expected, path.name
    return expected
