import io

import pytest
from polars.testing import assert_frame_equal

from pileup.formats import pmp
from pileup.formats.driver import parse_stream
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("pmp"), ids=lambda path: path.stem)
def test_pmp(path, check_sample):
    check_sample(path)


def test_stacks_that_lost_their_line_ends_are_told_apart():
    text = (
        b"187 __lll_lock_wait(libpthread.so.0),open_table(sql_base.cc:2790) 33 poll,operator new,"
        b"vio_io_wait(viosocket.c:771) 12 nanosleep,srv_master_sleep\n"
    )
    rows = list(parse_stream(io.BytesIO(text)).frames["stack"].iter_rows(named=True))
    assert [(row["count"], [frame["function"] for frame in row["frames"]]) for row in rows] == [
        (187, ["__lll_lock_wait", "open_table"]),
        (33, ["poll", "operator new", "vio_io_wait"]),
        (12, ["nanosleep", "srv_master_sleep"]),
    ]


def test_stacks_are_handed_on_in_the_middle_of_a_sample(monkeypatch):
    text = "".join(f"{1000 - n} f{n % 7},g,main\n" for n in range(900)).encode()
    whole = parse_stream(io.BytesIO(text))
    monkeypatch.setattr(pmp, "_MOST_PLACES", 50)
    monkeypatch.setattr(pmp, "_MOST_FRAMES", 3)
    parts = parse_stream(io.BytesIO(text))
    assert parts.receipt == whole.receipt
    for kind, frame in whole.frames.items():
        assert_frame_equal(parts.frames[kind], frame)
