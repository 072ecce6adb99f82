"""SHOW VARIABLES: every layout, values over several lines, and the tables pt-stalk adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from pileup.formats.driver import parse_path
from pileup.formats.tables import variables
from pileup.records import Rows, Setting, Skipped, Table
from tests.formats.checks import SAMPLES, parse_bytes, samples

FOLDER = SAMPLES / "variables"


@pytest.mark.parametrize("path", samples("variables"), ids=lambda p: p.stem)
def test_sample(path, check_sample):
    check_sample(path)


def items(name: str) -> list[object]:
    return list(variables.parse((FOLDER / name).read_text().split("\n")))


def test_a_value_over_several_lines_and_the_vertical_layout() -> None:
    found = items("8.0-box-multi-line-then-vertical.txt")
    settings = {item.name: item for item in found if isinstance(item, Setting)}
    assert settings["caching_sha2_password_public_key"].value == "(hidden)"
    key = settings["caching_sha2_password_public_key"]
    assert (key.line_first, key.line_last) == (5, 8)
    assert settings["innodb_adaptive_hash_index_parts"].value == "1"
    assert settings["innodb_thread_concurrency"].value == "32"
    assert settings["innodb_thread_sleep_delay"].line_first == 20
    assert not [item for item in found if isinstance(item, Skipped)]


def test_a_session_s_own_value_is_told_once_and_does_not_replace_the_global_one() -> None:
    found = items("8.0-pt-stalk-with-threads.txt")
    settings = [item for item in found if isinstance(item, Setting)]
    assert [s.value for s in settings if s.name == "sort_buffer_size"] == ["262144"]
    own = [(s.name, s.value, s.section) for s in settings if s.name.startswith("session.")]
    assert own == [("session.sort_buffer_size", "67108864", "thread 58")]
    (status,) = [item for item in found if isinstance(item, Table)]
    assert status.name.startswith("select * from performance_schema.status_by_thread")
    assert status.rows[1] == ("58", "Bytes_received", "98112")
    assert [s.value for s in settings if s.name == "pt_summary.now"] == ["2026-11-20 22:20:00"]
    assert [s.line_first for s in settings if s.name == "max_connections"] == [8, 28]
    assert not [item for item in found if isinstance(item, Skipped)]


def test_the_corpus_agrees_with_a_count_of_its_rows(corpus) -> None:
    paths = sorted((corpus / "variables").glob("captured-*_tab.txt"))
    assert paths
    for path in paths:
        agrees(path)


def test_samples_agree_with_a_count_of_their_rows() -> None:
    tabs = [path for path in samples("variables") if path.read_text().startswith("Variable_name\t")]
    assert tabs
    for path in tabs:
        agrees(path)


def agrees(path: Path) -> None:
    """Compare a tab-separated list with a plain count of its rows."""
    parsed = parse_path(path, name="upload")
    lines = path.read_text().split("\n")
    expected = sum("\t" in line and not line.startswith("Variable_name") for line in lines)
    assert parsed.frames["setting"].height == expected, path.name
    assert parsed.receipt.bytes_skipped == 0


def test_status_rows_behind_the_variables_are_counters() -> None:
    """A box as wide as 8.0's ends the head before them; a header begins each table anew."""
    lines = [
        "Variable_name\tValue",
        "activate_all_roles_on_login\tOFF",
        "admin_port\t33062",
        "max_connections\t151",
        "wsrep_sync_wait\t0",
        "Variable_name\tValue",
        "Aborted_clients\t7",
        "Threads_running\t95",
        "Uptime\t1000",
        "Compression\tOFF",
        "wsrep_local_recv_queue\t3",
        "Variable_name\tValue",
        "tmp_table_size\t16777216",
    ]
    found = list(variables.parse(lines))
    settings = {item.name: item.value for item in found if isinstance(item, Setting)}
    rows = {
        series: (value, line)
        for item in found
        if isinstance(item, Rows)
        for series, value, line in item.frame.select("series", "value", "line_first").iter_rows()
    }
    assert rows == {
        "mysql.Aborted_clients": (7.0, 7),
        "mysql.Threads_running": (95.0, 8),
        "mysql.Uptime": (1000.0, 9),
        "mysql.wsrep_local_recv_queue": (3.0, 11),
    }
    assert settings == {
        "activate_all_roles_on_login": "OFF",
        "admin_port": "33062",
        "max_connections": "151",
        "wsrep_sync_wait": "0",
        "status.compression": "OFF",
        "tmp_table_size": "16777216",
    }
    # The whole of both in less than a head: claimed as status, and the same is read.
    again = parse_bytes("\n".join(lines).encode(), "upload", "status")
    assert dict(again.frames["setting"].select("name", "value").iter_rows()) == settings
    assert set(again.frames["sample"]["series"]) == rows.keys()
    assert again.receipt.bytes_skipped == 0


def test_a_password_among_the_variables_of_a_status_file_is_hidden() -> None:
    text = (
        "Aborted_clients\t7\nThreads_running\t9\nauto_increment_increment\t1\nreport_password\tx\n"
    )
    settings = parse_bytes(text.encode(), "upload", "status").frames["setting"]
    assert dict(settings.select("name", "value").iter_rows())["report_password"] == "(hidden)"
