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
