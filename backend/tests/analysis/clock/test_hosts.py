"""One host under many names: spellings, exporters' labels, and what stays two servers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from pileup.analysis import ClockOverride, Evidence, analyse, gather
from pileup.analysis.clock.host_names import spellings
from pileup.records import Record, Session
from tests.analysis.frames import T0, S, Samples, artifact, evidence, frames, gauge, moment, setting

RUNNING = [4.0] * 60 + [160.0] * 40 + [4.0] * 30
FORMS = ["shop-db:9104", "SHOP-DB", "shop-db.example.net", "shop-db.example.net.:9104"]


@pytest.mark.parametrize(
    ("names", "hosts"),
    [
        (["shop-db", *FORMS], 1),
        (["10.0.0.5:9104", "10.0.0.5:9100", "10.0.0.5"], 1),
        (["http://shop-db:9104/", "shop-db"], 1),
        (["[fd00::5]:9104", "fd00::5"], 1),
        (["db1.eu.example.net", "db1.us.example.net"], 2),
        (["db1", "db1.eu.example.net", "db1.us.example.net"], 3),
        (["db1", "db2", "db10"], 3),
        (["10.0.0.5", "10.0.0.50"], 2),
        (["10", "10.0.0.5"], 2),
    ],
)
def test_the_spellings_of_one_host(names: list[str], hosts: int) -> None:
    for seed in range(3):
        shuffled = random.Random(seed).sample(names, len(names))
        assert len(set(spellings(shuffled).values())) == hosts
        assert spellings(shuffled) == spellings(names)


def sessions(host: str | None = None) -> list[Record]:
    rows: list[Record] = []
    for at in range(0, 130, 10):
        when = {"wall_us": T0 + at * S, "clock": "utc", "snapshot": at}
        rows.append(replace(moment("processlist", T0 + at * S, "utc"), snapshot=at))
        rows += [
            Session(
                line_first=at + 1, line_last=at + 1, session_id=number, user="app", host=host,
                command="Query", time_s=3, state="updating", query="UPDATE t SET a = 1", **when,
            )
            for number in range(40 if 60 <= at < 100 else 2)
        ]  # fmt: skip
    return rows


def files(name: str | None, metrics: str | None) -> dict[str, Sequence[Record | Samples]]:
    """A server's processlists and settings under one name, an exporter's series under another."""
    return {
        "variables.txt": [setting("hostname", name)] if name else [setting("version", "8.0.36")],
        "processlist.txt": sessions(name),
        "series.csv": [
            gauge("metric.threads_running", RUNNING, host=metrics),
            gauge("metric.queries_per_second", [900.0] * 130, host=metrics),
        ],
    }


def of_format(parts: Mapping[str, Sequence[Record | Samples]], **more: object) -> Evidence:
    formats = {"csv": "metric-csv", "txt": "processlist"}
    parsed = []
    for name, items in parts.items():
        described = artifact(name)
        object.__setattr__(described, "format", formats[name.rpartition(".")[2]])
        parsed.append((described, frames(*items)))
    return gather(parsed, **more)  # type: ignore[arg-type]


def shown(given: Evidence) -> tuple[object, ...]:
    """What must not depend on a host's name."""
    document = analyse(given)
    return (
        [(stall.onset, stall.end, stall.peak_waiters) for stall in document.stalls],
        [(finding.id, finding.score) for finding in document.findings],
        len(document.captures),
        {doc.host is None for doc in document.artifacts},
    )


@pytest.mark.parametrize("metrics", ["shop-db", *FORMS, "10.0.0.5:9104", "mysql-exporter-7f", None])
def test_an_alias_changes_no_stall_and_no_finding(metrics: str | None) -> None:
    """Ports, domains, case, an address: the exporter's name of the only server."""
    plainly = shown(of_format(files("shop-db", "shop-db")))
    assert plainly[0]
    assert shown(of_format(files("shop-db", metrics))) == plainly


@pytest.mark.parametrize("metrics", ["shop-db:9104", "10.0.0.5:9104"])
def test_files_without_a_host_belong_to_the_only_server(metrics: str) -> None:
    """Processlists of nobody beside one exporter, in any order of files."""
    parts = files(None, metrics)
    expected = shown(of_format(parts))
    assert expected[3] == {False}
    assert expected[2] == 1
    shuffled = dict(random.Random(1).sample(list(parts.items()), len(parts)))
    assert shown(of_format(shuffled)) == expected


def test_a_join_says_so() -> None:
    document = analyse(of_format(files("shop-db", "10.0.0.5:9104")))
    (series,) = [doc for doc in document.artifacts if doc.path == "series.csv"]
    assert series.host == "shop-db"
    assert series.clock is not None
    assert "10.0.0.5 has only metrics" in series.clock.host_how


def test_two_servers_stay_two() -> None:
    """Both have processlists; or their ids differ; or two ports show the same measures."""
    both = {
        "a.txt": [setting("hostname", "db1"), *sessions("db1")],
        "b.txt": [setting("hostname", "db2"), *sessions("db2")],
        "series.csv": [gauge("metric.threads_running", RUNNING, host="10.0.0.5")],
    }
    assert {doc.host for doc in analyse(of_format(both)).artifacts} == {"db1", "db2", "10.0.0.5"}
    one_name = {
        "a.txt": [setting("server_id", "1"), *sessions("db1.eu")],
        "b.txt": [setting("server_id", "2"), *sessions("db1")],
    }
    assert {doc.host for doc in analyse(of_format(one_name)).artifacts} == {"db1.eu", "db1"}
    ports = {
        "a.csv": [gauge("metric.threads_running", RUNNING, host="db1:3306")],
        "b.csv": [gauge("metric.threads_running", RUNNING[::-1], host="db1:3307")],
    }
    assert {doc.host for doc in analyse(of_format(ports)).artifacts} == {"db1:3306", "db1:3307"}


def test_other_numbers_are_another_server() -> None:
    """The exporter of a replica beside the files of the primary: its sessions differ."""
    parts = files("shop-db", "10.0.0.5")
    status = gauge("mysql.Threads_connected", [400.0] * 130)
    parts["processlist.txt"] = [*parts["processlist.txt"], status]
    connected = gauge("metric.threads_connected", [31.0] * 130, host="10.0.0.5")
    parts["series.csv"] = [*parts["series.csv"], connected]
    assert {doc.host for doc in analyse(of_format(parts)).artifacts} == {"shop-db", "10.0.0.5"}


def test_a_person_s_host_is_final() -> None:
    """It replaces the printed one, names the group, and is never joined to another."""
    parts = files("shop-db", "10.0.0.5:9104")
    sha = artifact("series.csv").sha256
    split = of_format(parts, overrides={sha: ClockOverride(host="10.0.0.5")})
    assert {doc.host for doc in analyse(split).artifacts} == {"shop-db", "10.0.0.5"}
    moved = of_format(parts, overrides={sha: ClockOverride(host="shop-db.example.net")})
    assert {doc.host for doc in analyse(moved).artifacts} == {"shop-db.example.net"}


def test_loopback_names_nobody() -> None:
    document = analyse(of_format(files("shop-db", "localhost:9104")))
    assert {doc.host for doc in document.artifacts} == {"shop-db"}
    samples = evidence({"a": [gauge("metric.qps", [1.0] * 30, host="127.0.0.1")]}).frames["sample"]
    assert samples["host"].null_count() == 30


@pytest.mark.parametrize("other", ["h", "csv", "list", "process", "db"])
def test_a_short_name_is_no_part_of_a_word_in_a_path(other: str) -> None:
    """A file of another host takes none of the files whose names have its letters."""
    parts = {f"db-7-{name}": items for name, items in files("db-7", None).items()}
    alone = shown(of_format(parts))
    old = [gauge("metric.qps", [1.0] * 9, host=other, start=-9_000_000)]
    both = analyse(of_format({**parts, "x.csv": old}))
    assert {doc.host for doc in both.artifacts if doc.path != "x.csv"} == {"db-7"}
    assert shown(of_format({**parts, "x.csv": old}))[:2] == alone[:2]


def test_a_name_in_a_path_is_the_host() -> None:
    parts = {
        "db1/processlist.txt": sessions("db1"),
        "db10/processlist.txt": sessions("db10"),
        "db10_status.txt": [setting("version", "8.0.36")],
    }
    hosts = {doc.path: doc.host for doc in analyse(of_format(parts)).artifacts}
    assert hosts["db10_status.txt"] == "db10"


@pytest.mark.parametrize("other", ["8.0.30", "5.5.5-10.6.12-MariaDB"])
@pytest.mark.parametrize("wall", [T0, None])
def test_variables_of_another_release_lend_nothing(other: str, wall: int | None) -> None:
    """A dump that names no host, but where its server was built; variables of another server."""
    clock = "utc" if wall else None
    dump: list[Record] = [
        replace(moment("innodb_status", wall, clock), snapshot=0, server_version="5.7.29-32"),
        Session(
            line_first=2, line_last=2, session_id=8, user="app", command="Query", time_s=3,
            state="updating", query="UPDATE t SET a = 1", snapshot=0, wall_us=wall,
            clock="utc" if wall else None,
        ),
    ]  # fmt: skip

    def beside(version: str) -> Evidence:
        variables = [setting("hostname", "db1"), setting("version", version)]
        return evidence({"dump.txt": dump, "variables.txt": variables})

    alone, document = analyse(evidence({"dump.txt": dump})), analyse(beside(other))
    assert document.server == alone.server
    assert {doc.path: doc.host for doc in document.artifacts}["dump.txt"] is None
    same = analyse(beside("5.7.29-32-log"))
    assert {doc.path: doc.host for doc in same.artifacts}["dump.txt"] == "db1"
    assert same.server["version"] == "5.7.29-32-log"
