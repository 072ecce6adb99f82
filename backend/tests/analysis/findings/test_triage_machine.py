"""The quick checks over the operating system's artifacts: each answer known by thought."""

from __future__ import annotations

import dataclasses

from pileup.analysis import analyse, gather
from pileup.analysis.contract import TriageDoc
from pileup.records import Event
from tests.analysis.frames import T0, S, artifact, evidence, frames, gauge

CALM, PILEUP = 40, 30


def over(before: float, inside: float) -> list[float]:
    return [before] * CALM + [inside] * PILEUP + [before] * 20


def check(name: str, *items: object) -> TriageDoc:
    """The check of that name, of an incident with a stall from 40 to 70 s and these records."""
    stall = gauge("metric.threads_running", over(2.0, 90.0))
    found = analyse(evidence({"metrics.csv": [stall], "machine.txt": list(items)}))  # type: ignore[arg-type]
    return next(item for item in found.triage if item.check == name)


def test_series_without_a_time_are_not_called_missing() -> None:
    stall = gauge("metric.threads_running", over(2.0, 90.0))
    untimed = gauge("iostat.await", [1.0] * 40, start=0, clock="relative")
    devices = dataclasses.replace(artifact("iostat.txt"), format="iostat")
    found = gather([(artifact("metrics.csv"), frames(stall)), (devices, frames(untimed))])
    (storage,) = (item for item in analyse(found).triage if item.check == "shared_storage")
    assert "iostat.txt has no time and was not used: say when that was." in storage.why


def event(kind: str, message: str, at_s: int | None, severity: str = "error") -> Event:
    return Event(
        line_first=7,
        line_last=7,
        wall_us=None if at_s is None else T0 + at_s * S,
        clock=None if at_s is None else "utc",
        kind=kind,
        severity=severity,
        message=message,
    )


def cpu(number: int, value: float):  # type: ignore[no-untyped-def]
    return gauge("mpstat.usr", over(value, value), labels=(("cpu", str(number)),))


def test_a_long_run_queue_is_measured_by_the_number_of_cpus() -> None:
    queue = gauge("vmstat.r", over(2.0, 41.0))
    crowded = check("saturated_resources", queue, cpu(0, 5.0), cpu(1, 5.0))
    assert (crowded.verdict, "41 processes competed for 2 CPUs" in crowded.why) == (
        "suspect",
        True,
    )
    roomy = check("saturated_resources", queue, *(cpu(n, 5.0) for n in range(64)))
    assert (roomy.verdict, "run queue" in roomy.why) == ("ok", True)


def test_an_unknown_number_of_cpus_judges_no_queue() -> None:
    assert check("saturated_resources", gauge("vmstat.r", over(2.0, 41.0))).verdict == "no_data"


def test_threads_that_wait_for_a_cpu_and_processes_in_disk_wait() -> None:
    waits = gauge(
        "pidstat.threads_wait", over(0.1, 55.0), labels=(("command", "mysqld"), ("pid", "2159"))
    )
    assert "55 server threads" in check("saturated_resources", waits).why
    assert (
        "12 processes wait for a disk at once"
        in check("saturated_resources", gauge("sar.blocked", over(0.0, 12.0))).why
    )


def test_connections_that_nobody_accepts() -> None:
    backlog = gauge("netstat.backlog", over(0.0, 81.0), labels=(("port", "3306"),))
    assert "81 connections to port 3306" in check("saturated_resources", backlog).why


def test_cpu_is_added_up_within_one_collector() -> None:
    """sar's 60 % user and dstat's 35 % system are not 95 % of anything."""
    items = (
        gauge("sar.user", over(5.0, 60.0), labels=(("cpu", "all"),)),
        gauge("sar.system", over(1.0, 5.0), labels=(("cpu", "all"),)),
        gauge("dstat.sys", over(1.0, 35.0)),
    )
    assert check("saturated_resources", *items).verdict == "ok"


def test_another_process_of_pidstat_and_never_a_thread_of_the_server() -> None:
    def process(series: str, command: str, value: float):  # type: ignore[no-untyped-def]
        return gauge(series, over(0.0, value), labels=(("command", command), ("pid", "77")))

    server = process("pidstat.cpu", "mysqld", 190.0)
    thread = gauge(
        "top.thread_cpu", over(0.0, 97.0), labels=(("command", "connection"), ("tid", "9"))
    )
    assert check("other_process", server, thread).verdict == "ok"
    found = check("other_process", server, thread, process("pidstat.cpu", "gzip", 97.0))
    assert (found.verdict, found.why) == ("suspect", "gzip (pid 77) took 97% CPU.")


def test_steal_of_sar_and_dstat() -> None:
    for series in ("sar.steal", "dstat.stl", "mpstat.steal", "vmstat.st"):
        found = check("other_process", gauge(series, over(0.0, 31.0)))
        assert "The hypervisor took 31%" in found.why, series


def test_faults_near_the_stall_are_suspect_and_old_ones_are_not() -> None:
    killed = "Out of memory: Killed process 2159 (mysqld)"
    near = check("hardware", event("oom_kill", killed, 35), event("log", "fine", 36))
    assert (near.verdict, near.why) == ("suspect", "The logs report a fault: 1 oom kill.")
    assert near.evidence[0].line_first == 7
    old = check("hardware", event("oom_kill", killed, -9000), event("log", "fine", 36))
    assert (old.verdict, "1 at other times" in old.why) == ("ok", True)
    untimed = check("hardware", event("io_error", "Buffer I/O error on dev sda", None))
    assert untimed.verdict == "suspect"


def test_a_traced_fsync_of_seconds_is_slow_storage() -> None:
    slow = event("slow_call", "fsync(11) took 1.400 s in thread 21248", 45, "warning")
    found = check("shared_storage", slow)
    assert (found.verdict, "fsync(11) took 1.400 s" in found.why) == ("suspect", True)
