"""A stall of one host among many: what is said of it is of that host alone."""

from __future__ import annotations

from pileup.analysis import analyse
from pileup.analysis.contract import Analysis
from pileup.records import Setting
from tests.analysis.frames import evidence, gauge

CALM, STALL = 60, 60


def fleet(bad: str = "db-03") -> Analysis:
    files = {}
    for number in range(6):
        host = f"db-{number:02}"
        stalls = host == bad
        running = [4.0, 5.0] * 30 + [90.0 if stalls else 4.0] * STALL + [4.0, 5.0] * 30
        rate = [3000.0] * CALM + [100.0 if stalls else 3000.0] * STALL + [3000.0] * CALM
        version = "5.7.30" if stalls else "8.0.36"
        files[f"{host}/m.csv"] = [
            gauge("metric.threads_running", running, host=host),
            gauge("metric.qps", rate, host=host),
        ]
        files[f"{host}/variables.txt"] = [
            Setting(line_first=1, line_last=1, host=host, name=k, value=v, source="SHOW VARIABLES")
            for k, v in (("hostname", host), ("version", version))
        ]
    return analyse(evidence(files))


def test_the_arrival_rate_is_that_of_the_host_that_stalled() -> None:
    found = fleet()
    assert [stall.host for stall in found.stalls if stall.kind == "stall"] == ["db-03"]
    assert "Less work was done" in found.headline.arrival
    assert "3000 to 100" in found.headline.arrival


def test_its_version_is_its_own() -> None:
    """The last of the fleet by name does not speak for the one that stalled."""
    assert fleet().server["version"] == "5.7.30"
