"""The seven first checks: each answers, and says what to collect where it had nothing."""

from __future__ import annotations

from pileup.analysis import analyse
from pileup.analysis.contract import TriageDoc
from tests.analysis.frames import evidence, gauge, setting

RUNNING = gauge("metric.threads_running", [2.0] * 40 + [90.0] * 60 + [2.0] * 40)


def checks(**files) -> dict[str, TriageDoc]:  # type: ignore[no-untyped-def]
    found = analyse(evidence({"running": [RUNNING], **files})).triage
    assert len(found) == 7
    return {item.check: item for item in found}


def test_a_check_without_data_says_what_to_collect() -> None:
    for check, doc in checks().items():
        if doc.verdict == "no_data":
            assert doc.collect, check
    assert "SHOW GLOBAL VARIABLES" in checks()["configuration"].collect


def test_a_check_with_data_does_not() -> None:
    found = checks(variables=[setting("sync_binlog", "1")])["configuration"]
    assert (found.verdict, found.collect) == ("ok", "")


def test_cpu_alone_leaves_the_disk_to_be_collected() -> None:
    cpu = [gauge("vmstat.us", [20.0] * 140), gauge("vmstat.sy", [5.0] * 140)]
    found = checks(vmstat=cpu)["saturated_resources"]
    assert found.verdict == "ok"
    assert "iostat" in found.collect


def test_a_full_cpu_is_suspect() -> None:
    cpu = [gauge("vmstat.us", [20.0] * 40 + [95.0] * 60 + [20.0] * 40)]
    found = checks(vmstat=cpu)["saturated_resources"]
    assert found.verdict == "suspect"
    assert found.evidence[0].start is not None
