"""perf, dstat, and what is kept unread: exact values from known files."""

from __future__ import annotations

import io

import pytest

from pileup.formats.bundle import stored_only
from pileup.formats.driver import parse_stream
from pileup.formats.machine import dstat
from pileup.formats.stacks import perf_report, perf_script
from pileup.records import Frame, Item, Problem, Samples, Skipped, Snapshot, Stack, Table
from tests.formats.checks import SAMPLES, assert_sound, parse_bytes, samples

FORMATS = ("perf-script", "perf-report", "dstat")
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample):
    check_sample(path, shared=("metric-csv",) if path.suffix == ".csv" else ())


def read(module, folder: str, name: str) -> list[Item]:
    return list(module.parse((SAMPLES / folder / name).read_text().split("\n")))


def test_perf_samples_are_summed_by_stack() -> None:
    items = read(perf_script, "perf-script", "g-two-stacks.txt")
    text = (SAMPLES / "perf-script" / "g-two-stacks.txt").read_text()
    stacks = [i for i in items if isinstance(i, Stack)]
    assert sum(stack.count for stack in stacks) == text.count("cpu-clock:")
    assert [frame.function for frame in stacks[0].frames] == [
        "page_copy",
        "row_search",
        "connection",
        "start_thread",
    ]
    assert {thread.name for thread in stacks[0].threads} == {"my conn"}


def test_perf_in_every_spelling() -> None:
    items = read(perf_script, "perf-script", "every-header-and-damage.txt")
    first, *_ = [i for i in items if isinstance(i, Stack) if i.threads[0].lwp == 2188]
    assert first.frames[1:3] == (
        Frame(function="std::vector::push_back", file="vector.tcc", line=114),
        Frame(function="row_search_mvcc"),
    )
    assert first.frames[0].library == "kernel"
    assert first.frames[3].function == "libc::??"
    writer = next(i for i in items if isinstance(i, Stack) and i.threads[0].lwp == 2170)
    # two ticks of CPU 0, two of CPU 1: this stack was on one CPU all the time
    assert (writer.count, writer.samples, writer.threads[0].name) == (2, 2, "ib_log_writer")
    assert [i.line for i in items if isinstance(i, Problem)] == [14, 15]
    moments = [i for i in items if isinstance(i, Snapshot)]
    assert [(moment.wall_us, moment.kind) for moment in moments] == [(None, "stacks")] * 2
    assert {i.event: i.snapshot for i in items if isinstance(i, Stack)} == {
        "cycles:ppp": 0,
        "cpu-clock:pppH": 1,
    }


def sample(event: str, period: int | None, function: str, *, margin: str = "\t") -> str:
    printed = "" if period is None else f"{period} "
    return (
        f"mysqld 2161 [000] 4066.100000: {printed}{event}:\n{margin}5f3ba2 {function} (mysqld)\n\n"
    )


def perf(text: str) -> list[Stack]:
    items = list(perf_script.parse(text.split("\n")))
    assert not [i for i in items if isinstance(i, Problem | Skipped)]
    return [i for i in items if isinstance(i, Stack)]


def test_events_of_different_kinds_are_not_added_up() -> None:
    first, other = perf(sample("cycles", 100, "row_sel") + sample("page-faults", 1, "row_sel"))
    assert (first.event, first.count, first.snapshot) == ("cycles", 1, 0)
    assert (other.event, other.count, other.snapshot) == ("page-faults", 1, 1)


def test_a_period_that_varies_is_the_weight() -> None:
    stacks = perf(
        sample("page-faults", 72, "handle_intel")
        + sample("page-faults", 1, "row_sel")
        + sample("page-faults", 127, "row_sel")
    )
    assert [(s.frames[0].function, s.count, s.samples, s.by_period) for s in stacks] == [
        ("row_sel", 128, 200, True),
        ("handle_intel", 72, 200, True),
    ]


@pytest.mark.parametrize("period", [None, 10101010])
def test_a_constant_period_counts_samples(period: int | None) -> None:
    (stack,) = perf(sample("cpu-clock", period, "row_sel") * 3)
    assert (stack.count, stack.samples, stack.by_period) == (3, 3, False)


@pytest.mark.parametrize("time", ["4066.100000", "4066.100", "4066.100000000"])
def test_a_time_is_no_event(time: str) -> None:
    (stack,) = perf(sample("cycles", None, "row_sel").replace("4066.100000", time) * 3)
    assert (stack.event, stack.count) == ("cycles", 3)


@pytest.mark.parametrize("margin", ["\t", " ", "        ", ""])
def test_frames_at_any_margin(margin: str) -> None:
    text = sample("cycles", 1, "row_sel", margin=margin) * 3
    assert perf_script.sniff(text)
    assert [s.count for s in perf(text)] == [3]


def test_perf_report_is_a_table_and_a_profile() -> None:
    (table,) = [
        i for i in read(perf_report, "perf-report", "g-children.txt") if isinstance(i, Table)
    ]
    assert table.columns == ("children", "self", "command", "shared object", "symbol")
    assert table.rows[3] == ("78.95%", "78.95%", "my conn", "mysqld", "[.] page_copy")
    other, *rest = read(perf_report, "perf-report", "comma-separated.txt")
    assert isinstance(other, Table)
    assert other.rows[0] == ("78.95%", "my conn", "mysqld", "[.] page_copy")
    stacks = [item for item in rest if isinstance(item, Stack)]
    assert [(each.frames[0].function, each.count, each.samples) for each in stacks] == [
        ("page_copy", 7895, 10_000),
        ("__memset_avx512_unaligned_erms", 2105, 10_000),
    ]
    assert (stacks[0].event, stacks[0].line_first) == ("cpu-clock", other.line_first + 1)


def series(items: list[Item]) -> dict[tuple[str, str], Samples]:
    found = [i for i in items if isinstance(i, Samples)]
    return {(i.series, i.labels[0][1] if i.labels else ""): i for i in found}


def test_dstat_of_the_screen_and_of_the_file_agree() -> None:
    """One run: the screen leaves out digits and the year."""
    screen = series(read(dstat, "dstat", "dstat-0.8-t-all.txt"))
    file = series(read(dstat, "dstat", "dstat-0.8-t-all.csv"))
    assert screen.keys() == file.keys()
    idle = file["dstat.idl", ""]
    assert [round(value or 0) for value in idle.values] == list(screen["dstat.idl", ""].values)
    assert (idle.clock, screen["dstat.idl", ""].clock) == ("utc", "yearless")
    assert file["dstat.disk_writ", ""].unit == "B/s"


def test_dstat_of_one_cpu_and_one_disk() -> None:
    items = read(dstat, "dstat", "dstat-0.8-cpus-disks-torn.txt")
    found = series(items)
    assert ("dstat.usr", "0") in found
    assert ("dstat.disk_writ", "vda") in found
    assert len([i for i in items if isinstance(i, Problem)]) == 1


@pytest.mark.parametrize("path", samples("kept"), ids=lambda path: path.name)
def test_what_is_not_read_is_named_and_kept(path) -> None:
    data = path.read_bytes()
    parsed = parse_bytes(data, "upload")
    assert_sound(parsed, len(data))
    assert (parsed.format, parsed.failed, dict(parsed.receipt.records)) == ("kept", None, {})
    assert parsed.receipt.bytes_skipped == len(data)
    assert parsed.detection.why.startswith("it is a p")


def test_text_is_never_taken_for_something_to_keep() -> None:
    for text in (b"\n\r\r\n" * 20, b"GIF", b"%PDF", b"RIFF a text of some length that goes on"):
        assert stored_only.recognise(text) is None
    chosen = parse_stream(io.BytesIO(b"my notes\n"), format="kept")
    assert (chosen.format, chosen.failed, chosen.problems) == ("kept", None, [])


@pytest.mark.parametrize(
    ("text", "functions", "counts"),
    [
        (  # -F without the time
            (
                "mysqld  4242 cycles: \n\t  5f3ba2 ut_delay+0x12 (/usr/sbin/mysqld)\n\n"
                "mysqld  4243 cycles: \n\t  5f3ba2 ut_delay+0x12 (/usr/sbin/mysqld)\n\n"
            ),
            ["ut_delay"],
            [2],
        ),
        (  # recorded without -g: the command padded, the frame on its line
            (
                "          mysqld  4242 [003] 12345.678901:     250000 cycles:u:      5f3ba2 "
                "row_search_mvcc+0x12 (/usr/sbin/mysqld)\n"
                "          mysqld  4243 [003] 12345.688901:     250000 cycles:u:      6f3ba2 "
                "ut_delay+0x12 (/usr/sbin/mysqld)\n"
            ),
            ["row_search_mvcc", "ut_delay"],
            [1, 1],
        ),
    ],
)
def test_perf_without_times_and_without_chains(
    text: str, functions: list[str], counts: list[int]
) -> None:
    parsed = parse_bytes(text.encode(), "upload")
    assert parsed.format == "perf-script"
    assert parsed.receipt.problems == parsed.receipt.bytes_skipped == 0
    stacks = parsed.frames["stack"]
    assert [frames[0]["function"] for frames in stacks["frames"]] == functions
    assert stacks["count"].to_list() == counts


def test_opreport_is_a_table_like_that_of_perf() -> None:
    parsed = parse_bytes((SAMPLES / "perf-report" / "opreport-symbols.txt").read_bytes())
    (table,) = parsed.frames["table"].iter_rows(named=True)
    assert table["name"] == "opreport: CPU_CLK_UNHALTED"
    assert table["columns"] == ["samples", "%", "image name", "symbol name"]
    assert table["rows"][2] == ["117932", "4.1071", "mysqld", "row_search_for_mysql"]


def test_a_time_of_another_format_moves_no_value_of_dstat() -> None:
    found = series(read(dstat, "dstat", "times-of-another-format.txt"))
    assert list(found["dstat.usr", ""].values) == [12.0, 55.0]
    assert list(found["dstat.load_1m", ""].values) == [1.02, 4.31]


def test_a_group_with_other_cells_than_its_columns_has_no_values() -> None:
    head = "----system---- --total-cpu-usage--\n     time     |usr sys idl wai stl\n"
    rows = (
        "20-11 10:15:01|  3   1  95   1   0\n20. 11. 10h15|  3   1\nweek 47|  9   1  95   1   0\n"
    )
    found = series(list(dstat.parse((head + rows).split("\n"))))
    assert list(found["dstat.usr", ""].values) == [None, 9.0]
