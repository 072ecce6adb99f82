import io
import random
from unittest import mock

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup.formats.driver import parse_stream
from pileup.formats.stacks import pmp
from pileup.formats.stacks.parts import folded_lines, frame_runs, pmp_reader
from tests.formats.checks import parse_bytes, samples


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
    monkeypatch.setattr(pmp_reader, "_MOST_PLACES", 50)
    monkeypatch.setattr(frame_runs, "_MOST_FRAMES", 3)
    assert_equal(parse_stream(io.BytesIO(text)), whole)


def assert_equal(item, other):
    assert item.receipt == other.receipt
    assert item.problems == other.problems
    assert item.sections == other.sections
    assert item.frames.keys() == other.frames.keys()
    for kind, frame in other.frames.items():
        assert_frame_equal(item.frames[kind], frame)


def line_by_line(data):
    with (
        mock.patch.object(pmp.Reader, "plain_lines", lambda _reader, _first, _lines, at: at),
        mock.patch.object(folded_lines, "read", return_value=None),
    ):
        return parse_stream(io.BytesIO(data), format="pmp")


FOLDED = "".join(
    f"mysqld;worker_{n % 13};{'start_thread;do_command' if n % 3 else 'a;b<c,d>;poll(libc.so.6)'};"
    f"f{n % 5} {n * 7919 % 1000}\n"
    for n in range(300)
)

COLLAPSED = "".join(
    f"{n * 7919 % 1000:7d} f{n % 5},"
    f"{'do_command,start_thread' if n % 3 else 'b<c,d>,poll(libc.so.6)'},"
    f"worker_{n % 13}{'(a.cc:7)' if n % 2 else ''}\n"
    for n in range(300)
)


def test_runs_of_collapsed_lines_are_what_the_lines_are():
    text = COLLAPSED.replace("b<c,d>,", "b,").encode()
    with mock.patch.object(pmp, "parts", wraps=pmp.parts) as parts:
        together = parse_stream(io.BytesIO(text))
    assert_equal(together, line_by_line(text))
    assert together.frames["stack"].height == 300
    assert parts.call_count < 300 + 5  # to sniff, and the first
    row = together.frames["stack"].row(1, named=True)
    assert [frame["function"] for frame in row["frames"]] == [
        "f1",
        "do_command",
        "start_thread",
        "worker_1",
    ]
    assert row["frames"][-1]["file"] == "a.cc"
    assert (row["line_first"], row["count"]) == (2, 919)


def test_runs_of_folded_lines_are_what_the_lines_are():
    with mock.patch.object(pmp, "parts", wraps=pmp.parts) as parts:
        together = parse_stream(io.BytesIO(FOLDED.encode()))
    assert_equal(together, line_by_line(FOLDED.encode()))
    assert together.frames["stack"].height == 300
    assert parts.call_count < 300 + 5  # to sniff, and the first
    row = together.frames["stack"].row(2, named=True)
    assert [frame["function"] for frame in row["frames"]] == [
        "f2",
        "do_command",
        "start_thread",
        "worker_2",
        "mysqld",
    ]
    assert (row["line_first"], row["count"]) == (3, 838)


@pytest.mark.seeds(1, 40)
@pytest.mark.dealt(2)
@pytest.mark.parametrize(("text", "comma"), [(FOLDED, ";"), (COLLAPSED, ",")])
def test_damage_to_lines_that_are_alike_changes_nothing(text, comma, seed, monkeypatch):
    dice = random.Random(seed)
    lines = text.split("\n")
    words = (
        "",
        " ",
        ";",
        "1",
        "|",
        "\t",
        "  ",
        "operator new",
        "??",
        "<",
        "(",
        ",",
        "f(a,b)",
        "a;b 5",
        "\n",
        "\u0663",
        "12345678901234",
    )
    words += ("Fri Nov 20 22:19:41 UTC 2026", "7 poll,main", "\N{NO-BREAK SPACE}", "x" * 3000)
    for _ in range(dice.randint(1, 12)):
        at = dice.randrange(len(lines))
        line = lines[at]
        cut = dice.choice((0, len(line), line.find(comma) + 1, dice.randrange(len(line) + 1)))
        match dice.randrange(5):
            case 0:
                lines[at] = line[:cut] + dice.choice(words) + line[cut:]
            case 1:
                lines[at] = line[:cut]
            case 2:
                lines[at] = line[cut:]
            case 3:
                lines[at] = dice.choice(words)
            case 4:
                deep = comma.join(["a"] * dice.choice((2, 300, 4094, 5000)))
                lines.insert(at, f"{deep} 3" if comma == ";" else f"  3 {deep}")
    data = "\n".join(lines).encode()
    expected = line_by_line(data)
    assert_equal(parse_stream(io.BytesIO(data), format="pmp"), expected)
    monkeypatch.setattr(pmp_reader, "_MOST_PLACES", dice.choice((1, 50)))
    monkeypatch.setattr(frame_runs, "_MOST_TEXT", dice.choice((1, 1000)))
    monkeypatch.setattr(pmp_reader, "_MOST_TOGETHER", dice.choice((1, 7)))
    assert_equal(parse_stream(io.BytesIO(data), format="pmp"), expected)


def test_folded_stacks_that_have_nothing_in_common() -> None:
    """Each is read as it stands, with what stands between them, and none is lost."""
    stacks = [
        [f"root_{n % 7}", f"f{n}", *(f"g{n}_{at}" for at in range(n % 23)), f"leaf_{n % 11}"]
        for n in range(5000)
    ]
    lines = [f"{';'.join(names)} {n % 97 + 1}" for n, names in enumerate(stacks)]
    odd = {
        1500: "# a remark",
        3000: "root;operator new(unsigned long);malloc 7",
        4000: "prose here",
    }
    for at, line in sorted(odd.items(), reverse=True):
        lines.insert(at, line)
    parsed = parse_bytes("\n".join(lines).encode() + b"\n", "out.folded")
    frame = parsed.frames["stack"]
    assert frame["line_first"].to_list() == [
        n for n, line in enumerate(lines, start=1) if line not in (odd[1500], odd[4000])
    ]
    expected = [[*reversed(names)] for names in stacks]
    expected.insert(3000, ["malloc", "operator new", "root"])
    names = frame["frames"].list.eval(pl.element().struct.field("function")).to_list()
    assert names == expected
    counts = [n % 97 + 1 for n in range(5000)]
    counts.insert(3000, 7)
    assert frame["count"].to_list() == counts
    assert [item.line_first for item in parsed.receipt.skipped] == [4003]


def test_a_stack_of_a_bug_report_without_its_count_is_one_thread() -> None:
    """MySQL bug 100512 has such a line: places of functions, blanks behind commas."""
    line = (
        "__lll_lock_wait(libpthread.so.0), pthread_mutex_lock(libpthread.so.0), "
        "os_event_reset(storage/innobase/os/os0event.cc:576), "
        "sync_array_reserve_cell(storage/innobase/sync/sync0arr.cc:397), "
        "btr_search_x_lock(storage/innobase/include/btr0sea.ic:98)"
    )
    for text in (line, line.replace(", ", ",")):
        parsed = parse_bytes(text.encode(), "upload")
        assert parsed.format == "pmp"
        (stack,) = parsed.frames["stack"].iter_rows(named=True)
        assert stack["count"] == 1
        assert [frame["function"] for frame in stack["frames"]] == [
            "__lll_lock_wait",
            "pthread_mutex_lock",
            "os_event_reset",
            "sync_array_reserve_cell",
            "btr_search_x_lock",
        ]
        assert stack["frames"][4]["line"] == 98
        assert [problem.line for problem in parsed.problems] == [1]
    words = "open(a.c:1) was called, then, as we know, close(b.c:2), and so on"
    assert parse_bytes(words.encode(), "upload").format is None
