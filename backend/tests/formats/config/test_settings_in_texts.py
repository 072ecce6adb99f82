"""Differences of settings keep both sides; sentences give the settings that they state."""

from __future__ import annotations

import difflib
import random

import pytest

from pileup.formats.config import named_settings, settings_diff
from pileup.formats.errors import FormatError
from pileup.records import Problem, Samples, Setting, Skipped, Table
from tests.formats.checks import parse_bytes, samples


@pytest.mark.parametrize("path", samples(settings_diff.NAME), ids=lambda path: path.stem)
def test_sample_of_a_diff(path, check_sample):
    check_sample(path)


@pytest.mark.parametrize("path", samples(named_settings.NAME), ids=lambda path: path.stem)
def test_sample_of_a_sentence(path, check_sample):
    check_sample(path)


NAMES = (
    "binlog_order_commits",
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_size",
    "innodb_io_capacity",
    "innodb_lru_scan_depth",
    "max_connections",
    "sync_binlog",
    "table_open_cache",
)


@pytest.mark.seeds(8, 200)
def test_a_diff_of_any_two_servers_names_what_differs(seed: int) -> None:
    dice = random.Random(seed)
    both = {name: str(dice.randrange(10**6)) for name in NAMES}
    changed = set(dice.sample(NAMES, dice.randint(1, 4)))
    other = {name: f"{value}1" if name in changed else value for name, value in both.items()}
    mark = dice.choice(["\t", " = "])
    sides = [[f"{name}{mark}{value}" for name, value in side.items()] for side in (both, other)]
    if dice.random() < 0.5:
        lines = [*difflib.unified_diff(*sides, "db-6", "db-7", lineterm="")]
    else:
        lines = []
        for at, (left, right) in enumerate(zip(*sides, strict=True), start=1):
            lines += [f"{at}c{at}", f"< {left}", "---", f"> {right}"] if left != right else []
    parsed = parse_bytes(("\n".join(lines) + "\n").encode(), "x")
    assert parsed.format == settings_diff.NAME
    (table,) = parsed.frames["table"].to_dicts()
    assert {row[0]: row[1:] for row in table["rows"]} == {
        name: [both[name], other[name]] for name in changed
    }
    settings = parsed.frames.get("setting")
    same = {} if settings is None else dict(settings.select("name", "value").rows())
    assert all(both[name] == value and name not in changed for name, value in same.items())
    assert not parsed.problems


def test_a_name_of_one_side_has_no_value_on_the_other() -> None:
    lines = [
        "@@ -1,2 +1,2 @@",
        "-sync_binlog\t1",
        "+innodb_io_capacity\t200",
        " max_connections\t9",
    ]
    table, setting = settings_diff.parse(lines)
    assert isinstance(table, Table)
    assert table.rows == (("sync_binlog", "1", None), ("innodb_io_capacity", None, "200"))
    assert isinstance(setting, Setting)
    assert (setting.name, setting.value) == ("max_connections", "9")


def test_a_diff_of_source_code_is_none_of_settings() -> None:
    text = (
        "--- a/x.c\n+++ b/x.c\n@@ -1,3 +1,3 @@\n int x;\n-  return innodb_sync(1);\n+  return 2;\n"
    )
    assert not settings_diff.sniff(text)
    with pytest.raises(FormatError, match="No setting"):
        list(settings_diff.parse(text.split("\n")))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "we run with innodb_buffer_pool_size=64G and sync_binlog is 1.",
            {"innodb_buffer_pool_size": "64G", "sync_binlog": "1"},
        ),
        (
            "innodb_adaptive_hash_index is ON; max_connections is set to 4000",
            {"innodb_adaptive_hash_index": "ON", "max_connections": "4000"},
        ),
        ("We raised innodb_io_capacity from 200 to 2000.", {"innodb_io_capacity": "2000"}),
        ("The pool has `innodb_buffer_pool_size` = 64 GB.", {"innodb_buffer_pool_size": "64G"}),
        ("it has --innodb-flush-method=O_DIRECT here", {"innodb_flush_method": "O_DIRECT"}),
        ("Should we set innodb_io_capacity=2000?", {}),
        ("The manual recommends innodb_io_capacity=2000.", {}),
        ("It was max_connections=100 last year.", {}),
        ("sync_binlog=0 on the replicas", {}),
        ("user_id=12 and page_size is 3", {}),
    ],
)
def test_a_sentence_states_a_setting_or_none(sentence: str, expected: dict[str, str]) -> None:
    assert bool(named_settings.sniff(sentence)) == bool(expected)
    try:
        items = list(named_settings.parse([sentence]))
    except FormatError:
        items = []
    assert {i.name: i.value for i in items if isinstance(i, Setting)} == expected


def test_a_text_without_a_setting_is_refused() -> None:
    with pytest.raises(FormatError, match="No setting"):
        list(named_settings.parse(["nothing here"]))
    assert not named_settings.sniff('[{"text": "Threads_running 412"}]')


def test_an_alert_gives_its_counters() -> None:
    text = "FIRING db-7: Threads_running 412, Threads_connected=1,900 thread_id 8 wsrep_ready 1"
    found = {i.series: i.values for i in named_settings.parse([text]) if isinstance(i, Samples)}
    assert found == {"mysql.Threads_running": [412.0], "mysql.Threads_connected": [1900.0]}


def test_two_values_of_a_name_are_none() -> None:
    lines = ["db-6 has sync_binlog=1.", "nothing here", "db-7 has sync_binlog=0."]
    skipped, problem = named_settings.parse(lines)
    assert isinstance(skipped, Skipped)
    assert skipped.line_first == 2
    assert isinstance(problem, Problem)
    assert problem.found == "1, 0"


def test_an_option_file_has_no_sentences_as_values() -> None:
    text = (
        "we use innodb_thread_concurrency=0, and\nmax_connections = 4000. Also sync_binlog=1 now.\n"
    )
    parsed = parse_bytes(text.encode(), "x")
    assert dict(parsed.frames["setting"].select("name", "value").rows()) == {
        "innodb_thread_concurrency": "0",
        "max_connections": "4000",
        "sync_binlog": "1",
    }
