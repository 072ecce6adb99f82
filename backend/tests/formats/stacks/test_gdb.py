import pytest

from tests.formats.checks import SAMPLES, parse_bytes, samples


@pytest.mark.parametrize("path", samples("gdb"), ids=lambda path: path.stem)
def test_gdb(path, check_sample):
    check_sample(path)


def test_quickstack_counts_frames_from_one_as_well() -> None:
    text = (
        "Thread 139719055636224 (LWP 4242):\n"
        "#01  0x00007f1267fff700 in pthread_cond_wait () from libpthread.so.0\n"
        "#02  0x0000000000a1b2c3 in os_event_wait_low () from mysqld\n\n"
        "Thread 139719055636225 (LWP 4243):\n"
        "#01  0x00007f1267fff700 in poll () from libc.so.6\n"
    )
    parsed = parse_bytes(text.encode(), "upload")
    assert (parsed.format, parsed.receipt.problems, parsed.receipt.bytes_skipped) == ("gdb", 0, 0)
    stacks = parsed.frames["stack"]
    assert [[frame["function"] for frame in frames] for frames in stacks["frames"]] == [
        ["pthread_cond_wait", "os_event_wait_low"],
        ["poll"],
    ]


def test_quickstack_prints_the_place_where_gdb_prints_the_library() -> None:
    text = (SAMPLES / "gdb" / "quickstack-with-debug-info.txt").read_bytes()
    stacks = parse_bytes(text).frames["stack"]
    frames = stacks["frames"].to_list()[0]
    assert frames[1] == {
        "function": "os_event_wait_low",
        "file": "/src/storage/innobase/os/os0sync.cc",
        "line": 217,
        "library": None,
    }
    assert (frames[2]["file"], frames[2]["line"]) == ("srv0srv.cc", None)


def test_parts_of_stacks_without_their_innermost_frames_are_threads_of_their_own() -> None:
    """Frames from #3 on, without headers: each part begins where the level falls."""
    part = "#3 os_event_wait_low\n#4 sync_array_wait_event\n#5 btr_search_guess_on_hash\n\n"
    stacks = parse_bytes((part * 6).encode()).frames["stack"]
    assert stacks["count"].to_list() == [6]


def test_a_frame_below_a_semaphore_wait_is_no_table() -> None:
    """A text of a status dump's lines whose other lines are frames alone."""
    text = (
        "#0  foo () at /builddir/mysql-5.6.34/storage/innobase/btr/btr0sea.cc:930\n"
        "--Thread 140211 has waited at btr0cur.cc line 545 for 12.00 seconds the semaphore:\n"
        "S-lock on RW-latch at 0x7f88 created in file dict0dict.cc line 2687\n"
    )
    assert parse_bytes(text.encode()).frames["semaphore_wait"].height == 1


STACK = """Thread 2 (Thread 0x7f1c2a7fc700 (LWP 9122)):
#0  0x00007f2a1f9d9360 in pthread_cond_wait () from /lib64/libpthread.so.0
#1  0x0000000001b4c7f8 in MYSQL_BIN_LOG::ordered_commit (this=0x3f2) at sql/binlog.cc:9204

Thread 1 (Thread 0x7f1c2a7fd700 (LWP 9121)):
#0  0x00007f2a1f9d9360 in poll () from /lib64/libc.so.6
"""
EU = """PID 4197 - process
TID 4198:
#0  0x00007f2a1f9d9360 pthread_cond_wait
#1  0x0000000001b4c7f8 MYSQL_BIN_LOG::ordered_commit
"""
PMP = """     12 pthread_cond_wait,MYSQL_BIN_LOG::ordered_commit,trans_commit,handle_connection
      7 __GI___poll,vio_io_wait,do_command
      2 syscall,io_getevents,fil_aio_wait
"""


@pytest.mark.parametrize("text", [STACK, EU, PMP], ids=["gdb", "eu-stack", "pmp"])
@pytest.mark.parametrize(
    "dates",
    [
        ("# 2026-11-29 19:13:52", "# 2026-11-29 19:14:02"),
        ("Sun Nov 29 19:13:52 UTC 2026", "Sun Nov 29 19:14:02 UTC 2026"),
        ("-- 2026-11-29T19:13:52Z", "-- 2026-11-29T19:14:02Z"),
        ("1795979632", "1795979642"),
    ],
)
def test_a_date_above_a_sample_is_its_time(text: str, dates: tuple[str, str]) -> None:
    parsed = parse_bytes("".join(f"{date}\n{text}" for date in dates).encode(), "upload")
    times = parsed.frames["snapshot"]["wall_us"].to_list()
    assert times == [1795979632 * 1_000_000, 1795979642 * 1_000_000]
    assert set(parsed.frames["stack"]["wall_us"]) == set(times)
