"""Direct calls of functions that read text: a value on each number that they compare with."""

from __future__ import annotations

import tarfile
from collections import Counter
from typing import Any

import polars as pl

from pileup.formats.bench import mstat
from pileup.formats.bundle import pieces
from pileup.formats.config import my_cnf, settings_diff
from pileup.formats.innodb.parts import counters, semaphores
from pileup.formats.machine import netstat, uptime, vmstat
from pileup.formats.metrics import csv_table, metric_csv
from pileup.formats.metrics.parts import csv_cells, csv_mapping, metric_csv_blocks
from pileup.formats.reading import archive
from pileup.formats.stacks.parts import folded_lines, function_names, pmp_lines
from pileup.formats.tables import result_json
from pileup.formats.tables.layouts import aligned, reader
from pileup.formats.tables.meanings import server_variables, sessions, status
from pileup.formats.unwrapping import (
    one_line,
    open_boxes,
    pasted_stacks,
    pasted_text,
    wrapped_logs,
)
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import Scenes, always, given, instead

_DIGITS = [str(10**many - 1) for many in (1, 8, 9, 12, 13, 15, 18, 19, 20, 21)]


def long_numbers() -> object:
    most = [str(2**64 - 1), str(2**64)]
    words = [
        "0",
        "7fffffff",
        "80000000",
        "ffffffff",
        "fffffffff",
        "7fffffffffffffff",
        "8000000000000000",
        "ffffffffffffffff",
        "1" + "0" * 16,
        "fff",
    ]
    return [
        [str(counters._whole(text)) for text in [*_DIGITS, "1.5"]],
        [semaphores._is_thread(text) for text in [*_DIGITS, *most, "x"]],
        [semaphores.whole(text) for text in _DIGITS],
        [semaphores.signed(word) for word in words],
        [status._integer(text) for text in [*_DIGITS, "-1", ""]],
        [pmp_lines.is_count(text) for text in [*_DIGITS, "٣", "x"]],
        [
            server_variables.parse_value(text)
            for text in (
                "",
                "x",
                "1,234",
                "1,23",
                "1_0",
                "-1.5",
                str(2**63),
                str(2**62),
                f"-{2**63}",
                ".5",
                "0x1",
            )
        ],
        [function_names.pmp_frame(f"f(a.cc:{text})") for text in [*_DIGITS[:4], "9" * 10]],
        [
            function_names.pmp_frame(text)
            for text in ("f", "f(lib.so)", "x::??(libaio.so.1)", "f(a.cc:1) ", "f(:1)", "f(word)")
        ],
    ]


def sockets() -> object:
    """Lines of netstat and ss, of as many cells as a line needs, and one less."""

    def found(lines: tuple[str, ...], columns: list[str] | None = None) -> object:
        peers: list[Any] = []
        known: Any = given(
            _counts=Counter(), _columns=columns or ["Proto"], _peer=lambda *each: peers.append(each)
        )
        known._socket = lambda *each: netstat._Reader._socket(known, *each)
        kinds = [
            netstat._Reader._ss(known, line.split(), line)
            if columns
            else netstat._Reader._inet(known, line.split())
            for line in lines
        ]
        return [kinds, sorted(known._counts.items(), key=repr), peers]

    inet = (
        "tcp 24 0 127.0.0.1:3306 10.0.0.1:45230 ESTABLISHED 29642/mysqld",
        "tcp 0 9 h:32767 p:1 VERBUNDEN",
        "tcp 1 0 h:32768 p:1 ESTABLISHED -",
        "tcp 0 1 h:32768 p:1 ESTABLISHED -",
        "tcp 1 0 h:32767 p:1 ESTABLISHED -",
        "tcp 5 128 *:3306 *:* LISTEN",
        "tcp 0 0 h:1 p:1 TIME_WAIT",
        "udp 7 0 h:53 p:9",
        "udp 7 0 h:53",
        "tcp x 0 h:1 p:1 ESTABLISHED",
        "unix 2 0 a b c",
        "tcp 1 x h:1 p:1 ESTABLISHED",
        "tcp 1 1 h:word p:1 ESTABLISHED",
        "tcp 9 9 h:1 p:1 TIME_WAIT",
        "tcp 1 1 h:50000 p:1 ESTABLISHED 1/mysqld:",
        f"tcp 1 1 h:50000 p:1 ESTABLISHED 1/{'m' * 50}",
        f"tcp 1 1 h:{'0' * 45}1 p:1 ESTABLISHED",
        f"tcp {'1' * 20} {'1' * 20} h:{'2' * 45} p:1 LISTEN",
    )
    ss = (
        'tcp ESTAB 3 4 10.0.0.1:3306 10.0.0.2:45230 users:(("mysqld",pid=1,fd=3))',
        "tcp LISTEN 2 80 *:3306 *:*",
        "udp UNCONN 0 0 *:53",
        "tcp ESTAB 0 0",
        "nl x 1 1 a b",
        "xx ESTAB 1 1 a b",
        "tcp ESTAB x 1 a b",
        "tcp ESTAB 1 x a b",
    )
    bare = ("ESTAB 3 4 h:3306 p:45230", "ESTAB 3 4 h:3306", "ESTAB 3 4", "SYN-SENT 0 1 h:32767 p:2")
    return [found(inet), found(ss, ["Netid"]), found(bare, ["State"])]


def rows_of_numbers() -> object:
    rows = [
        "-1 -2 x",
        "12 34 x",
        "1x 2y z",
        "1 2 x",
        "1 2 x y",
        "x 1 2",
        "-1 x",
        "1 x",
        "1 -2 x y z",
        "1",
    ]
    return [vmstat._is_row(row.split()) for row in rows]


def seconds_of_days() -> object:
    times = ["23:59:59", "24:00:00", "12:30am", "12:30pm", "1:05pm", "24:00", "00:00", "23:59"]
    return [uptime._second_of_day(time) for time in times]


def unquoted_values() -> object:
    return [
        my_cnf._unquoted(value) for value in ("'a'", "''", "'", "\"a'", " 'a b' ", "", '""', "a")
    ]


def settings_side_by_side() -> object:
    def sides(line: str) -> tuple[str, str] | None:
        if line.startswith(("port", "same")):
            return "a", "a"
        return ("a", "b") if "|" in line else None

    def found(same: int, other: int, prose: int, *, equal: int = 0, first: str = "") -> object:
        lines = [
            first,
            *["port  3306        port  3306"] * same,
            *["size  1      |  size  2"] * other,
            *["same  1      |  same  1"] * equal,
            *["words only"] * prose,
        ]
        with instead(settings_diff, _sides=sides, _LEAST_SIDES=3):
            return settings_diff._are_side_by_side(lines)

    return [
        *(
            found(*counts)
            for counts in ((2, 1, 3), (2, 1, 4), (1, 1, 0), (3, 0, 0), (2, 1, 0), (0, 0, 0))
        ),
        found(2, 1, 0, first="| a"),
        found(2, 0, 0, equal=1),
        found(2, 1, 0, equal=1),
    ]


def delimiters() -> object:
    def found(rows: int, prose: int) -> object:
        return csv_table._likely_delimiter(
            ["some words"] * prose + ["2026-11-20 22:00:00;1"] * rows
        )

    mixed = [
        "2026-11-20 22:00:00,1",
        "x",
        "2026-11-20 22:00:00,1",
        "2026-11-20 22:00:00,1",
        "2026-11-20 22:00:00,1",
    ]
    stamp = "2026-11-20 22:00:00"
    return [
        [
            csv_table._likely_delimiter(lines)
            for lines in (
                ["", f"{stamp};1", " ", *[f"{stamp};1"] * 6],
                [*["a"] * 3, *[f"{stamp};1"] * 58, *["words"] * 9],
                [f"{'1;' * 7}{stamp}"] * 6,
                [f"{'1;' * 8}{stamp}"] * 6,
                ["2026-11-20;22:00:00;1"] * 6,
                [*[f"{stamp};1"] * 4, "1;2", f"{stamp};1"],
                [*[f"{stamp};1"] * 3, "1;2", f"{stamp};1", f"{stamp};1"],
                ["a 1"] * 6,
            )
        ],
        [
            metric_csv._is_long_header(f"{first}{',a' * 101}")
            for first in ('"time"', ' "time" ', "a")
        ],
        [
            metric_csv._delimiter(["time,a", *[f"{stamp},1"] * many, *["x,1"] * more])
            for many, more in ((7, 0), (7, 9), (6, 1), (5, 2))
        ],
        found(6, 0),
        found(5, 1),
        found(4, 1),
        found(4, 2),
        found(3, 2),
        csv_table._likely_delimiter(mixed),
        csv_table._likely_delimiter([]),
        [
            metric_csv._delimiter(lines)
            for lines in (
                ["time", "2026-11-20 22:00:00"],
                ["time,a", "2026-11-20 22:00:00,1"],
                ["a;b", "1;2"],
                [],
            )
        ],
        [
            metric_csv._is_long_header(f"{first}{',a' * many}")
            for first in ("time", "value")
            for many in (100, 101)
        ],
    ]


def time_columns() -> object:
    def found(
        times: int, words: int, *, header: tuple[str, ...] = ("a", "b"), complete: bool = True
    ) -> object:
        rows = [["1", "2026-11-20 22:00:00"]] * times + [["1", "x"]] * words
        return metric_csv._time_column(header, rows, complete=complete)

    of_day = [["22:00:00", "1"]] * 9
    short = [["x", "22:00:00"]] * 9 + [["x"]]
    return [
        metric_csv._time_column(
            ("a", "b"), [["1", "2026-11-20 22:00:00"]] * 9 + [["1"]], complete=True
        ),
        metric_csv._time_column(("b", "time"), short, complete=True),
        found(9, 1),
        found(8, 1),
        found(18, 2),
        found(1, 0),
        found(9, 2),
        found(9, 2, complete=False),
        found(0, 0),
        found(9, 0, header=("2026-11-20 22:00:00", "b")),
        *(
            metric_csv._time_column(
                ("time", "b"), [*of_day[:many], *[["x", "1"]] * more], complete=True
            )
            for many, more in ((1, 0), (2, 0), (3, 0), (5, 0), (9, 1), (9, 2), (9, 0))
        ),
    ]


def times_of_cells() -> object:
    epoch = T0 // S
    cells = [
        "",
        "0",
        "-1",
        "999999999",
        "1000000000",
        "1,5",
        "1,5,5",
        "nan",
        "inf",
        "x",
        str(epoch),
        f"{epoch}000000000",
        f'"{epoch}"',
        "45000.5",
        "1e308",
        str(csv_cells._LATEST // S),
        str(csv_cells._EARLIEST // S),
        "32874",
        "32873",
        "73051",
        "73052",
        f"{epoch}123456789",
        "2026-11-20 22:00:00",
        "20/11/2026 22:00:00",
        "11/20/2026 22:00:00",
        "11/10/2026 22:00:00",
        ' "7" ',
        "5".zfill(csv_cells._LONGEST),
        "5".zfill(csv_cells._LONGEST + 1),
        "1" * csv_cells._LONGEST,
        "1" * (csv_cells._LONGEST + 1),
    ]
    return [
        [csv_cells.read_time(cell, how) for cell in cells]
        for how in ("auto", "dmy", "mdy", "elapsed_s", "excel", "epoch_s", "epoch_ms", "epoch_ns")
    ]


def roles_in_a_table() -> object:
    def role(name: str, *cells: str, time: Any = None) -> object:
        return csv_mapping._role(0, name, [[cell] for cell in cells], ".", time)

    roles = [
        role("a", "1", "2", "3", "x", "y"),
        role("a", "1", "2", "x", "y"),
        role("a", "x" * 100),
        role("a", "x" * 101),
        role("a"),
        role("a", "", "NULL"),
        role("host", "1", "x"),
        role("host", "1", "2"),
        role("a", "1", time=given(columns=(0,))),
    ]

    roles.append(role("a", "x" * 101, "y"))
    roles.append(role("a", "1", time=given(columns=(1,))))
    roles.append(csv_mapping._role(0, "a", [["1"], []], ".", None))

    def verdict(
        columns: int = 2,
        rows: int = 2,
        *,
        headed: bool = True,
        values: int = 1,
        sure: bool = True,
        timed: bool = True,
    ) -> object:
        mapping: Any = given(
            columns=[given(name=f"c{n}") for n in range(columns)],
            positions=lambda _: list(range(values)),
        )
        return csv_mapping._verdict(
            mapping, given(columns=(0,), sure=sure) if timed else None, rows, headed
        )  # type: ignore[arg-type]

    return [
        roles,
        verdict(),
        verdict(1),
        verdict(rows=1),
        verdict(rows=1, headed=False),
        verdict(rows=0),
        verdict(values=0),
        verdict(sure=False),
        verdict(timed=False),
        verdict(values=3),
    ]


def series_in_turn() -> object:
    def found(walls: list[int], keys: str) -> object:
        times: Any = given(wall_us=pl.Series(walls, dtype=pl.Int64))
        return metric_csv_blocks.cyclic(times, pl.DataFrame({"k": list(keys)}))

    return [
        found([1, 1, 2, 2], "abab"),
        found([1, 1], "ab"),
        found([1, 1, 2, 2], "abba"),
        found([1, 1, 2], "aba"),
        found([1, 2, 3], "aaa"),
        found([1, 1, 2, 3], "abab"),
        found([1], "a"),
    ]


def moments_of_mstat() -> object:
    rows = [
        ("timer", "0"),
        ("timer", "-1"),
        ("timer", "999999999"),
        ("timer", "1000000000"),
        ("counter", "5.5"),
        ("x", "1"),
        ("timestamp", "2026-11-20 22:00:00"),
        ("timer", "x"),
    ]
    return [mstat._moment([name], [cell]) for name, cell in rows]


def sentences() -> object:
    words = "the server was slow and nobody knew why it took so long today".split()  # noqa: SIM905
    lines = [
        "Hello,",
        "we saw it then",
        "one two  three four five",
        "Hello",
        "we saw:",
        "",
        *(
            " ".join([*words[: many - other], *["x9_y"] * other])
            for many in (5, 8, 10, 11, 20)
            for other in (0, 1, 2)
        ),
        "a\tb c d e f g h",
        "\tthe server was slow\t",
        "> * Hello,",
        "  > the server was slow x_1",
        "   ",
        "> " + " ".join(words),
        "one  two  three  four",
        " ".join([*words, *words[:7], "x_1", "y_2"]),
    ]
    return [pieces.is_prose(line) for line in lines]


def heads_of_tar() -> object:
    head = tarfile.TarInfo("a.txt").tobuf(tarfile.USTAR_FORMAT)
    return [
        archive._is_tar(first)
        for first in (
            head,
            head[:511],
            head + b"x",
            bytes(512),
            head[:148] + b" " * 8 + head[156:],
            b"y" + head[1:],
            b"",
        )
    ]


def frames_that_are_no_prose() -> object:
    frames = [
        "a;b",
        "a b c d e;f",
        "a b c d e f g;h",
        "a b c d e f g h;i",
        "a b c d e",
        "a b c d e f",
        "a  b;c",
        "x" * folded_lines._HEAD_CHARS,
        f"a {'x' * (folded_lines._HEAD_CHARS - 2)}",
        f"a {'x' * (folded_lines._HEAD_CHARS - 1)}",
    ]
    names = [folded_lines._FRAMES.meta.root_names()[0]]
    table = pl.DataFrame({names[0]: frames})
    pmp = [
        "a",
        "a|b",
        "a,b",
        "a b c d,e f",
        "a b c d e f g,h",
        "a b c d e f g h,i",
        "a b,c  d",
        "it's a,b",
        "rows in set a,b",
        "a b",
        "a<b c d e f g h> i j,k",
        "a\tb",
    ]
    return [
        table.select(folded_lines._is_no_prose()).to_series().to_list(),
        [pmp_lines._plausible(each) for each in pmp],
    ]


def aligned_rows() -> object:
    places: Any = [given(is_number=number) for number in (False, True, True)]
    rows = ["a 1 2", "a 1 x", "a x y", "a b c d"]

    def split(text: str, _: Any) -> list[str]:
        return {"a b c d": ["a", "", ""], "e": ["a", "", "2"], "f": ["", "", ""]}[text]

    with instead(aligned, _split=split):
        found = [aligned.cells(row, places) for row in (*rows, "e", "f")]
    four: Any = [given(is_number=number) for number in (False, True, True, False)]
    for many in (1, 2):
        with instead(aligned, _split=always([*"a1"[:many], *[""] * (4 - many)])):
            found.append(aligned.cells("x", four))
    return found


def precise_seconds() -> object:
    pairs = [
        ("5", "5999"),
        ("5", "6000"),
        ("5", "6001"),
        ("5", "4000"),
        ("5", "3999"),
        (None, "1500"),
        (None, None),
        ("5", None),
        ("", "1500"),
        ("x", "x"),
    ]
    return [sessions.precise(*each) for each in pairs]


def rows_between_bars() -> object:
    tabs = [
        "a\tb",
        "a\t",
        "a\tNULL",
        "a\t1",
        "a\tA",
        "\ta\tb",
        "ab",
        f"a\t{'b' * 128}",
        f"a\t{'b' * 129}",
        f"a\t{'b' * 19_998}",
        f"a{' ' * 19_998}\tb",
        f"a{' ' * 19_997}\tb",
    ]
    return [
        [reader._bars(text) for text in ("| a | b |", "||", "|a|", "| |", "|||", "| a", " |a|b| ")],
        [reader._looks_like_header(text) for text in tabs],
    ]


def line_ends_as_tags() -> object:
    pages = [
        ["a<br>b<br>"],
        ["a<br>"],
        ["a<br>", "b<br>", "c"],
        ["a<br>", "b<br>", "c", "d"],
        ["say 'x<br>y'<br>z"],
        [],
        ["a<br>b<br>", "", "c"],
        ["a<br>b<br>", "  ", "c", "d"],
        ["'a'<br>'b<br>'<br>"],
        ["'a<br>b'<br>", "c<br>"],
    ]
    return [one_line._ends_in_breaks(page) for page in pages]


def open_tables() -> object:
    def found(*lines: str, **changes: Any) -> object:
        with instead(open_boxes, **{"_LEAST_ROWS": 2, "_LEAST_BARE": 3} | changes):
            closer = open_boxes.choose_box_closer(list(lines))
        return closer and (closer._columns, closer._has_left, closer._has_right)

    bare = ["1 | a | b |", "2 | c | d |", "3 | e | f |"]
    return [
        found("| a | b |", "| 1 | 2 |"),
        found("+---+---+", "| a | b |", "+---+---+", "| 1 | 2 |", "+---+---+"),
        found("a | b", "---+---", "1 | 2", "3 | 4"),
        found("a | b |", "---+---+", "1 | 2 |", "3 | 4"),
        found(*bare),
        found(*bare, "words"),
        found(*bare, "words", "words"),
        found(*bare, "words", "words", "words"),
        found("| a | b |", "---+---", "1 | 2"),
        found("1 | a | b", "2 | c | d", "3 | e | f"),
        found("1 | a | b", "2 | c|d", "3 | e | f"),
        found(*bare, _LEAST_BARE=4),
        found(*bare, _LEAST_ROWS=3),
        found(*bare, _LEAST_ROWS=4),
        found("x|", "y|"),
        found("x |", "--+", "y |"),
    ]


def numbered_lines() -> object:
    def found(*lines: str) -> object:
        with instead(pasted_text, _LEAST_NUMBERED=2):
            unwrap = pasted_text._counted(list(lines))
        return unwrap and [unwrap(line) for line in lines]

    return [
        found("1\talpha", "2\tbeta"),
        found("1\ta\tb", "2\tc"),
        found("     1\talpha", "     2\tbeta\tx"),
        found(" 1 | alpha beta", " 2 | gamma delta"),
        found(" 1 alpha beta", " 2 gamma delta"),
        found("1 alpha beta", "2 gamma delta"),
        found(" 1: alpha beta", " 3: gamma delta"),
        found("2\talpha", "3\tbeta"),
        found("1\talpha"),
        found("1\talpha", "beta"),
        found(" 9: alpha beta", "10: gamma delta"),
    ]


def right_edges() -> object:
    edge = pasted_text._EDGES[0]
    return [
        pasted_text._have_right_edge([f"text {edge}"] * inside + ["text"] * other)
        for inside, other in (
            (3, 3),
            (1, 0),
            (2, 0),
            (1, 1),
            (2, 1),
            (2, 2),
            (9, 1),
            (18, 2),
            (17, 2),
            (17, 3),
            (8, 1),
            (0, 0),
        )
    ]


def times_of_docker() -> object:
    stamp = "2026-11-20T22:00:00.123456789Z "

    def found(stamped: int, other: int, *, need: bool = False) -> object:
        with instead(wrapped_logs, _need_times=always(need)):
            return (
                wrapped_logs.without_docker_times([f"{stamp}text"] * stamped + ["text"] * other)
                is not None
            )

    return [found(1, 1), found(1, 2), found(2, 3), found(3, 3), found(0, 1), found(2, 0, need=True)]


def alike_objects() -> object:
    pairs: list[tuple[tuple[str, ...], tuple[str, ...] | None]] = [
        (("a", "b"), ("a", "c")),
        (("a", "b", "c"), ("a", "d", "e")),
        (("a", "b", "c", "d"), ("a", "b")),
        (("a",), None),
        (("a",), ()),
        (("a", "b", "c"), ("a",)),
    ]
    return [result_json._are_alike(*each) for each in pairs]


def chains_of_calls() -> object:
    def long(more: int) -> str:
        """Return a chain of as many characters as are read, and more."""
        return "->".join([f"f_{'x' * 76}"] * 99 + [f"f_{'x' * (78 + more)}"])

    assert len(long(0)) == pasted_stacks._LONGEST_CHAIN
    chains = [
        "12 a_b,c_d",
        "my_main->do_command->dispatch",
        "do_command() <- my_main() <- start",
        "a -> b -> c",
        "a_b -> c -> d",
        "a_b -> c_d -> e -> f",
        "stack: a_b,c_d,e",
        "a_b",
        "my_a → my_b",
        "my_a → my_b → my_c",
        "x::a -> x::b -> x::c",
        "12 a_b,c_d,e_f,g_h",
        "stack: a_b,c_d,e_f,g_h",
        "stack: 12 a_b,c_d,e_f,g_h",
    ]
    return [
        *(pasted_stacks._calls(chain) for chain in chains),
        *(pasted_stacks._calls(long(more)) is None for more in (0, 1)),
    ]


SCENES: Scenes = {
    "formats.bench.mstat _moment": moments_of_mstat,
    "formats.bundle.pieces is_prose": sentences,
    "formats.config.my_cnf _unquoted": unquoted_values,
    "formats.config.settings_diff _are_side_by_side": settings_side_by_side,
    "formats.innodb.parts.counters _whole": long_numbers,
    "formats.innodb.parts.semaphores _is_thread": long_numbers,
    "formats.innodb.parts.semaphores signed": long_numbers,
    "formats.innodb.parts.semaphores whole": long_numbers,
    "formats.machine.netstat _Reader._inet": sockets,
    "formats.machine.netstat _Reader._socket": sockets,
    "formats.machine.netstat _Reader._ss": sockets,
    "formats.machine.uptime _second_of_day": seconds_of_days,
    "formats.machine.vmstat _is_row": rows_of_numbers,
    "formats.metrics.csv_table _likely_delimiter": delimiters,
    "formats.metrics.metric_csv _delimiter": delimiters,
    "formats.metrics.metric_csv _is_long_header": delimiters,
    "formats.metrics.metric_csv _time_column": time_columns,
    "formats.metrics.parts.csv_cells read_time": times_of_cells,
    "formats.metrics.parts.csv_mapping _role": roles_in_a_table,
    "formats.metrics.parts.csv_mapping _verdict": roles_in_a_table,
    "formats.metrics.parts.metric_csv_blocks cyclic": series_in_turn,
    "formats.reading.archive _is_tar": heads_of_tar,
    "formats.stacks.parts.folded_lines _is_no_prose": frames_that_are_no_prose,
    "formats.stacks.parts.function_names pmp_frame": long_numbers,
    "formats.stacks.parts.pmp_lines _plausible": frames_that_are_no_prose,
    "formats.stacks.parts.pmp_lines is_count": long_numbers,
    "formats.tables.layouts.aligned cells": aligned_rows,
    "formats.tables.layouts.reader _bars": rows_between_bars,
    "formats.tables.layouts.reader _looks_like_header": rows_between_bars,
    "formats.tables.meanings.server_variables parse_value": long_numbers,
    "formats.tables.meanings.sessions precise": precise_seconds,
    "formats.tables.meanings.status _integer": long_numbers,
    "formats.tables.result_json _are_alike": alike_objects,
    "formats.unwrapping.one_line _ends_in_breaks": line_ends_as_tags,
    "formats.unwrapping.open_boxes choose_box_closer": open_tables,
    "formats.unwrapping.pasted_stacks _calls": chains_of_calls,
    "formats.unwrapping.pasted_text _counted": numbered_lines,
    "formats.unwrapping.pasted_text _have_right_edge": right_edges,
    "formats.unwrapping.wrapped_logs without_docker_times": times_of_docker,
}
"""By module and function."""
