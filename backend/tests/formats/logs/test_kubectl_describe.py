"""kubectl describe pod: why a container ended, and what it may use."""

from __future__ import annotations

import pytest

from pileup.formats.logs import kubectl_describe
from pileup.records import Event, Setting
from tests.formats.checks import SAMPLES, samples


@pytest.mark.parametrize("path", samples("kubectl-describe"), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def test_a_kill_for_lack_of_memory_has_its_kind_and_its_time() -> None:
    text = (SAMPLES / "kubectl-describe" / "1.28-killed-for-memory.txt").read_text()
    items = list(kubectl_describe.parse(text.split("\n")))
    (kill,) = (i for i in items if isinstance(i, Event) and i.kind == "oom_kill")
    assert (kill.wall_us, kill.clock) == (1795210018_000000, "utc")
    settings = {(i.section, i.name): i.value for i in items if isinstance(i, Setting)}
    assert settings["mysql", "limits.memory"] == "4Gi"
    assert settings["exporter", "restarts"] == "12"
    probe = next(i for i in items if isinstance(i, Event) and i.code == "Unhealthy")
    assert (probe.severity, probe.wall_us) == ("warning", None)
