"""INNODB_METRICS, SHOW ENGINE INNODB MUTEX and processlists as JSON."""

from __future__ import annotations

import pytest

from tests.formats.checks import parse_bytes, samples

FORMATS = ("innodb-metrics", "innodb-mutex", "processlist-json")
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample) -> None:
    check_sample(path)


def values(name: str, stem: str) -> dict[str, list[float]]:
    (path,) = (path for path in samples(name) if path.stem == stem)
    frame = parse_bytes(path.read_bytes()).frames["sample"]
    found: dict[str, list[float]] = {}
    for row in frame.sort("wall_us").iter_rows(named=True):
        found.setdefault(row["series"] + "|" + row["labels"], []).append(row["value"])
    return found


def test_a_disabled_counter_is_no_zero() -> None:
    found = values("innodb-metrics", "8.0-vertical-two-samples")
    assert found == {
        "innodb_metrics.lock_deadlocks|": [17, 19],
        "innodb_metrics.trx_rseg_history_len|": [4212, 4377],
    }
    assert "innodb_metrics.buffer_flush_sync_pages|" not in values(
        "innodb-metrics", "mariadb-10.6-tab"
    )


def test_latches_of_one_kind_are_one_series() -> None:
    """17 + 361 of two indexes; from 5.7 on, the type of the latch is printed too."""
    found = values("innodb-mutex", "5.6-box-and-9.7-box")
    assert found["innodb_mutex.os_waits|latch=dict0dict.cc:2606"] == [378]
    assert found["innodb_mutex.os_waits|latch=dict0dict.cc:2606,type=rwlock"] == [400]
    assert found["innodb_mutex.os_waits|latch=buf0buf.cc:1021"] == [1379]
    assert found["innodb_mutex.os_waits|latch=buf0buf.cc:1021,type=rwlock"] == [1781]


def test_a_processlist_as_json_is_one_as_text() -> None:
    (path,) = (p for p in samples("processlist-json") if p.stem == "mysqlsh-array-two-listings")
    parsed = parse_bytes(path.read_bytes())
    session = parsed.frames["session"].row(0, named=True)
    assert session["query"] == "ALTER TABLE orders\n  ADD COLUMN note TEXT -- {not a row}"
    assert (session["session_id"], session["time_s"], session["db"]) == (4711, 12.0, "shop")
    assert parsed.frames["session"]["snapshot"].to_list() == [0, 0, 1]
    assert parsed.frames["session"]["query"].to_list()[1] is None
    assert parsed.frames["session"]["line_first"].to_list() == [2, 12, 24]


def test_a_background_thread_is_no_session() -> None:
    (path,) = (p for p in samples("processlist-json") if p.stem == "ps-threads-lines")
    sessions = parse_bytes(path.read_bytes()).frames["session"]
    assert sessions.select("session_id", "os_tid", "time_s").rows() == [(21, 18657, 4.0)]


def test_mutex_status_of_5_0_and_latches_without_their_build_path() -> None:
    found = values("innodb-mutex", "5.0-mutex-status-then-5.7-build-path")
    assert found["innodb_mutex.os_waits|latch=&kernel_mutex srv0srv.c"] == [2]
    assert found["innodb_mutex.spin_rounds|latch=&kernel_mutex srv0srv.c"] == [345]
    assert found["innodb_mutex.os_waits|latch=log0log.cc:846,type=rwlock"] == [36]
    (path,) = (path for path in samples("innodb-mutex") if path.stem.startswith("5.0-"))
    assert [problem.line for problem in parse_bytes(path.read_bytes()).problems] == [7]
