"""Every collector, flag, version and wrapper is recognised, and nothing is left out in silence."""

from __future__ import annotations

import functools
from collections.abc import Callable

import pytest

from pileup import formats
from pileup.formats.parsed import Parsed
from tests.formats.checks import parse_bytes
from tests.formats.detection import outputs_of_machines, outputs_of_servers
from tests.formats.detection.outputs_of_machines import IOSTAT, IOSTAT_X, VMSTAT

OUTPUTS = outputs_of_machines.OUTPUTS | outputs_of_servers.OUTPUTS
CASES = [
    pytest.param(name, text, id=f"{name}: {case}")
    for name, cases in OUTPUTS.items()
    for case, text in cases.items()
]


def _each_line(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(change(line) for line in text.splitlines(keepends=True))


WRAPPERS: dict[str, Callable[[str], str]] = {
    **{
        f"{width} blanks in front": _each_line(lambda line, pad=" " * width: pad + line)
        for width in range(1, 9)
    },
    "quoted": _each_line(lambda line: f"> {line}"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "blanks at the end": _each_line(lambda line: line.rstrip("\n") + "  \n"),
    "blank lines above": lambda text: f"\n\n{text}",
    "many blank lines above": lambda text: "\n" * 60 + text,
    "no line feed at the end": lambda text: text.rstrip("\n"),
}


def parse(text: str) -> Parsed:
    return parse_bytes(text.encode(), "upload.bin")


def values(parsed: Parsed, start: str = "") -> dict[tuple[str, str, str | None], list[float]]:
    """The values of each series, by name, labels and unit."""
    found: dict[tuple[str, str, str | None], list[float]] = {}
    if "sample" in parsed.frames:
        columns = ("series", "labels", "unit", "value")
        for series, labels, unit, value in parsed.frames["sample"].select(columns).iter_rows():
            if series.startswith(start):
                found.setdefault((series, labels, unit), []).append(value)
    return found


@pytest.mark.parametrize(("name", "text"), CASES)
def test_it_is_recognised_and_read_whole(name: str, text: str) -> None:
    parsed = parse(text)
    assert parsed.format == name, parsed.detection
    for of_file in ("", "metrics.csv"):
        chosen = formats.detect(text, of_file).format
        assert formats.detect_only(text, of_file).format == chosen
    assert parsed.failed is None
    assert parsed.receipt.bytes_skipped == 0, parsed.receipt.skipped
    assert not parsed.problems
    assert parsed.receipt.records


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(("name", "text"), CASES)
@pytest.mark.dealt(12)
def test_a_wrapper_changes_nothing(name: str, text: str, wrapper: str) -> None:
    parsed = parse(WRAPPERS[wrapper](text))
    assert parsed.format == name, parsed.detection
    assert (parsed.receipt.records, values(parsed)) == _bare(text)


@functools.cache
def _bare(text: str) -> tuple[dict[str, int], dict[tuple[str, str, str | None], list[float]]]:
    """The records and values of a text without a wrapper."""
    parsed = parse(text)
    return parsed.receipt.records, values(parsed)


@pytest.mark.parametrize("case", [name for name in VMSTAT if "gu" not in name])
def test_vmstat_gives_the_same_under_any_flag(case: str) -> None:
    assert values(parse(VMSTAT[case])) == values(parse(VMSTAT["procps 3"]))


@pytest.mark.parametrize(
    ("case", "plain"),
    [(IOSTAT[case], IOSTAT["plain"]) for case in IOSTAT if "discards" not in case]
    + [(IOSTAT_X[case], IOSTAT_X["-dx"]) for case in IOSTAT_X],
)
def test_iostat_gives_the_same_under_any_unit(case: str, plain: str) -> None:
    assert values(parse(case)) == values(parse(plain))


def test_uptime_reads_users_and_uptime_of_every_age() -> None:
    seconds = {
        "50 min,  1 user": 3000,
        "2 days, 5 min,  3 users": 173_100,
        "1 day,  3 users": 86400,
    }
    for up, expected in seconds.items():
        found = values(parse(outputs_of_machines.UPTIME[up]))
        assert found["uptime.up", "", "s"] == [expected]
    for text in outputs_of_machines.UPTIME.values():
        found = values(parse(text))
        assert None not in found["uptime.up", "", "s"]
        assert found["uptime.users", "", "users"]


@pytest.mark.parametrize(
    ("case", "series", "labels", "unit", "expected"),
    [
        ("/proc/net/dev", "netdev.tx_drop", "device=eth0", "packets", 3),
        ("/proc/net/dev", "netdev.rx_bytes", "device=lo", "B", 1_000_000),
        ("/proc/net/sockstat", "sockstat.TCP_tw", "", "sockets", 1204),
        ("/proc/net/netstat", "nstat.TcpExt_ListenOverflows", "", None, 17),
        ("/proc/net/snmp", "nstat.Tcp_CurrEstab", "", None, 55),
        ("/proc/softirqs", "softirqs.count", "softirq=NET_RX", None, 7000),
        ("/proc/PID/status", "procpid.VmSwap", "command=mysqld,pid=2161", "KiB", 500_000),
        ("/proc/PID/stat", "procpid.num_threads", "command=mysqld,pid=2161", "threads", 45),
        ("/proc/PID/io", "procio.read_bytes", "", "B", 4096),
        ("/proc/PID/smaps", "smaps.Rss", "", "KiB", 902_048),
        ("/proc/swaps", "swaps.used", "file=/dev/dm-1", "KiB", 512_000),
        ("/proc/buddyinfo", "buddyinfo.free", "node=0,order=10,zone=Normal", "blocks", 587),
        ("/proc/zoneinfo", "zoneinfo.free", "node=0,zone=Normal", "pages", 39_680),
        (
            "/proc/pagetypeinfo",
            "pagetypeinfo.free",
            "node=0,type=Movable,zone=Normal",
            "pages",
            380,
        ),
    ],
)
def test_a_proc_file_gives_its_values(
    case: str, series: str, labels: str, unit: str | None, expected: float
) -> None:
    found = values(parse(OUTPUTS["procfs"][case]))
    assert found[series, labels, unit] == [expected]


def test_a_heading_without_swap_areas_says_what_it_may_mean() -> None:
    parsed = parse(OUTPUTS["procfs"]["/proc/swaps"].partition("\n")[0] + "\n")
    (problem,) = parsed.problems
    assert "none was in use, or the copy is cut" in problem.message
