import io

import pytest

from pileup.formats.driver import parse_stream
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("eu-stack"), ids=lambda path: path.stem)
def test_eu_stack(path, check_sample):
    check_sample(path)


def test_modules_and_sources_become_library_and_line():
    text = (
        b"TID 5:\n"
        b"#0  0x00007ff889c0064a     - /usr/lib/libaio.so.1\n"
        b"#1  0x000000000097bbdf - 1 fil_aio_wait(unsigned long) - /usr/sbin/mysqld\n"
        b"    /b/fil/fil0fil.cc:5753:12\n"
        b"#2  0x00007ff8896a71f5 start_thread\n"
    )
    (row,) = parse_stream(io.BytesIO(text)).frames["stack"].iter_rows(named=True)
    assert [tuple(frame.values()) for frame in row["frames"]] == [
        ("libaio::??", None, None, "/usr/lib/libaio.so.1"),
        ("fil_aio_wait", "/b/fil/fil0fil.cc", 5753, None),
        ("start_thread", None, None, None),
    ]
    assert [thread["lwp"] for thread in row["threads"]] == [5]
