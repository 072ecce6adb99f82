"""Conditions of several parts: a call for each part that decides by itself."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import polars as pl
import pytest

from pileup.analysis.clock import hosts
from pileup.analysis.findings import summary, triage
from pileup.analysis.findings.rules import commit
from pileup.analysis.stalls import row_work
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import always, given, instead


@pytest.mark.parametrize(
    ("files", "rank"),
    [
        (["timed of_servers vmstat"], 4),
        (["timed of_servers prometheus"], 2),
        (["timed"], 1),
        (["of_servers"], 0),
        ([""], 0),
        (["settings"], hosts._NAMED),
        (["timed settings"], hosts._NAMED),
        (["timed of_servers vmstat settings"], 4),
        (["timed", "timed of_servers vmstat", "settings"], 4),
        (["settings", "timed"], hosts._NAMED),
    ],
)
def test_how_surely_a_host_is_the_server(files: list[str], rank: int) -> None:
    shas = [f"s{number}" for number in range(len(files))]

    def those(word: str) -> set[str]:
        return {sha for sha, file in zip(shas, files, strict=True) if word in file}

    several: Any = [
        given(sha256=sha, format="monitoring" if "prometheus" in file else None)
        for sha, file in zip(shas, files, strict=True)
    ]
    several.append(given(sha256="unnamed", format=None))
    names = {**dict.fromkeys(shas, "db-1"), "unnamed": None}
    monitoring = given(MONITORING=given(search=lambda text: text == "monitoring"))
    with instead(hosts, metrics_hosts=monitoring):
        found = hosts._ranks(
            several, names, {*those("timed"), "unnamed"}, those("of_servers"), those("settings")
        )
    assert found == {"db-1": rank}


@pytest.mark.parametrize(
    ("check", "verdict", "why", "kernel_log", "collect", "said"),
    [
        ("hardware", "ok", "x", False, triage.gaps.NO_KERNEL_LOG, "x"),
        ("hardware", "suspect", "x", False, triage.gaps.NO_KERNEL_LOG, "x"),
        ("hardware", "ok", "x", True, "", "x"),
        ("saturated_resources", "ok", "x", True, triage.gaps.NO_DEVICES, "x"),
        ("saturated_resources", "ok", "the disk rests", True, "", "the disk rests"),
        ("saturated_resources", "suspect", "x", True, "", "x"),
        ("locking", "ok", "x", False, "", "x"),
        ("hardware", "no_data", "x", False, "run hardware", "x"),
        ("saturated_resources", "no_data", "x", True, "run saturated_resources", "x!"),
        ("shared_storage", "no_data", "x", True, "run shared_storage", "x!"),
        ("locking", "no_data", "x", True, "run locking", "x"),
    ],
)
def test_what_to_collect_for_a_check(
    check: str, verdict: str, why: str, *, kernel_log: bool, collect: str, said: str
) -> None:
    doc = triage._doc(check, verdict, why)
    with (
        instead(triage, _has_kernel_log=always(kernel_log), _without_time=always("!")),
        instead(triage.gaps, command_for=lambda name: f"run {name}"),
    ):
        found = triage._with_command(doc, given())
    assert (found.collect, found.why) == (collect, said)


@pytest.mark.parametrize(
    ("format_", "has"),
    [
        ("kernel-log", True),
        ("syslog", True),
        ("syslog-json", True),
        ("vmstat", False),
        (None, False),
    ],
)
def test_a_kernel_log_is_known_by_its_format(format_: str | None, *, has: bool) -> None:
    files = [given(format=None), given(format=format_)]
    context: Any = given(evidence=given(artifacts=files))
    assert triage._has_kernel_log(context) is has


@pytest.mark.parametrize(
    ("queues", "acknowledged", "flushes", "silent", "said"),
    [
        ([], False, False, None, 0),
        ([], False, False, given(), 1),
        ([], False, True, given(), 0),
        ([], True, False, None, 1),
        (["queue:semisync"], False, False, None, 1),
        (list(commit._EARLIER), False, True, given(), len(commit._EARLIER)),
        (list(commit._EARLIER), True, False, given(), len(commit._EARLIER) + 1),
    ],
)
def test_what_commits_wait_for_before_the_disk(
    queues: list[str], *, acknowledged: bool, flushes: bool, silent: Any, said: int
) -> None:
    asked: list[str] = []
    observed: Any = given(queues=queues, level=lambda name: asked.append(name) or silent)
    with instead(commit, _acknowledged=always(acknowledged)):
        found = commit._earlier(observed, flushes=flushes)
    assert len(found) == said
    assert asked == ([] if flushes else ["unreachable_members"])
    if silent and not flushes:
        assert found[-1].startswith("A member of the replication group does not reply")


@pytest.mark.parametrize(
    ("busy", "said"),
    [
        (None, []),
        ((35.0, None, 0), ["The CPUs were mostly idle (35% busy): sessions waited."]),
        ((36.0, 90.0, 0), []),
        ((89.0, None, 0), []),
        ((90.0, None, 0), ["The CPUs were busy (90%)."]),
        ((95.0, 20.0, 0), ["The CPUs were busy (95%, 20% before)."]),
        ((95.0, 0.0, 0), ["The CPUs were busy (95%, 0% before)."]),
    ],
)
def test_what_is_said_of_the_cpus(busy: Any, said: list[str]) -> None:
    with instead(summary, machine_checks=given(cpu_busy=always(busy))):
        assert summary._idle(given()) == said


def test_the_work_of_a_host_is_its_own() -> None:
    rows = [
        {"id": f"{series}@{host}", "series": series, "labels": labels, "host": host,
         "time": T0 + at * S, "value": value}
        for series, labels, host, value in (
            ("reads", "", None, 1.0), ("reads", "", "a", 2.0), ("reads", "", "a", 4.0),
            ("reads", "x=1", "a", 9.0), ("other", "", "a", 9.0),
        )
        for at in (2, 0, 1)
    ]  # fmt: skip
    values = pl.DataFrame(rows)
    found: dict[Any, Any] = defaultdict(list)
    with instead(row_work, LEAST=3):
        for host in (None, "a", "b"):
            signal = row_work._signal(values, "reads", host)
            found[host] = signal and (signal.id, signal.host, signal.role, signal.values)
    with instead(row_work, LEAST=4):
        assert row_work._signal(values, "reads", None) is None
        assert row_work._signal(values, "reads", "a") is not None
    assert found == {
        None: ("reads@None", None, "throughput", [1.0] * 3),
        "a": ("reads@a", "a", "throughput", [3.0] * 3),
        "b": None,
    }
