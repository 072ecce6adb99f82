"""Direct calls outside of the engine: a value exactly on each number that they compare with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import UTC
from typing import Any
from unittest import mock
from zoneinfo import ZoneInfo

import httpx
import polars as pl
import sqlalchemy as sql

from pileup.analysis.evidence.context import Span
from pileup.formats.logs import general_log
from pileup.formats.machine.parts import sysstat
from pileup.formats.metrics import openmetrics
from pileup.formats.reading import date_lines
from pileup.formats.reading import text as reading
from pileup.formats.stacks import gdb
from pileup.knowledge import latch_identity, series_names, source_sites
from pileup.records import zones
from pileup.report import checks, ticket
from pileup.report.redaction import known_values, quotes
from pileup.report.render import figures, scripts, time_axis
from pileup.report.text import event_table, prefill, stall_choice
from pileup.runtime import doctor
from pileup.storage.accounts import accounts
from pileup.storage.errors import Refused
from pileup.storage.files import file_sets
from pileup.storage.lifecycle import bundle_checks
from pileup.views.artifacts import artifact_records
from pileup.views.evidence import queries
from pileup.views.reasoning import matrix, predicted, result_table
from pileup.views.reports import case
from pileup.worker import digest, webhooks
from tests.analysis.frames import T0, S
from tests.analysis.turning.tools import Scenes, always, given, instead


def _answer(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return what a call answers, or the sentence of its refusal."""
    try:
        return function(*arguments, **named)
    except Refused as refused:
        return str(refused)


def remarks_on_a_section() -> object:
    """A template wants a text, a length and one of some blocks."""

    def found(
        text: str,
        *,
        required: bool = False,
        most: int | None = None,
        edited: bool = True,
        wants: tuple[str, ...] = ("::lane", "raw", "::graph"),
    ) -> object:
        part: Any = given(
            key="k", required=required, max_lines=most, wants=wants, prompt="Say how."
        )
        return list(checks._lint(part, text, edited))

    return [
        found("", required=True),
        found(" \n\n"),
        found("a\n\nb", most=2),
        found("a\nb\nc", most=2),
        found("see ::graph"),
        found("raw"),
        found("see"),
        found("see", edited=False),
        found("see", wants=()),
    ]


def cut_texts() -> object:
    found: list[Any] = []
    for cut, most in ((checks._short, 90), (event_table._first_line, 160)):
        found += [
            (len(cut("x" * many)), cut("x" * many)[-2:]) for many in (most - 1, most, most + 1)
        ]
    return [*found, event_table._first_line("a\nb"), event_table._first_line("")]


def first_paths() -> object:
    return [prefill._first_paths([f"p{n}" for n in range(many)]) for many in (0, 1, 5, 6, 7)]


def telling_values() -> object:
    values = [
        "ab",
        "abc",
        "abcd",
        "x1y",
        "x1yz",
        "123456",
        "1234567",
        "12:30:00",
        "table",
        "Table",
        "Zanzibar7",
        "qwzrt",
        "QWZ_RT",
        "x" * known_values._LONGEST,
        "x9" * known_values._LONGEST,
        "10.0.0.1",
        "localhost",
        "zebra",
        "Zebra",
        "zEbra",
        "zebra1",
        "Straße",
        "REPORT",
    ]
    kinds = [*sorted(known_values._NAMES)[:1], "literal"]
    return [[known_values.is_telling(kind, value) for value in values] for kind in kinds]


def quoted_values() -> object:
    lines = [
        "'a1'",
        "a'b1'",
        "x = 'v1'",
        "'a b'",
        "'abc'",
        "'é9' 'x",
        "say 'it''s 5'",
        "('u1')",
        "'",
        "''",
        "a 'x1",
        "'x1'y",
        "'x1'_",
        "'x@y.z'",
        "db.'t1'",
        "'1'",
        "`t`.'c1'",
        "'a 'b2' c'",
        "key='s3', 'k4'",
        "'x1'y22'",
        "'x1'_22'",
        "a'b1' c",
        "''a1''",
    ]
    return [[list(quotes._of_line(line, 100, raw=raw)) for line in lines] for raw in (False, True)]


def names_in_quotes() -> object:
    cases = [
        ("'a1'", 0, 3),
        ("'1'", 0, 2),
        ("'12'", 0, 3),
        ("table 't1'", 6, 9),
        ("x='a1'", 2, 5),
        ("'a b1'", 0, 5),
        ("'ab'", 0, 3),
        ("'a@'", 0, 3),
    ]
    return [[quotes._is_name(*each, raw=raw) for each in cases] for raw in (False, True)]


@dataclass
class _Drawn:
    nodes: list[Any]


@dataclass
class _Circle:
    transactions: str


@dataclass
class _Table:
    columns: str


def widths_of_pages() -> object:
    with instead(figures, GraphDrawing=_Drawn, DeadlockDrawing=_Circle, MatrixDrawing=_Table):
        drawings: list[Any] = [
            *(
                _Drawn([given(depth=int(depth)) for depth in depths])
                for depths in ("0123", "01234", "001234", "0001234", "012345", "012349")
            ),
            *map(_Circle, ("ab", "abc")),
            *map(_Table, ("abcd", "abcde")),
            "another",
        ]
        return [figures.page_width(drawing) for drawing in drawings]


def letters_without_a_font() -> object:
    with instead(scripts, _have=always({ord("é")})):
        return [
            scripts.unseen(texts) for texts in (["abc"], ["aé\x7f\x80ßß", "ক", "ខខខ"], ["\u200b"])
        ]


def ends_of_lines() -> object:
    texts = [
        "abcdef",
        "ab cdef",
        "a bcdef",
        "ab-cdef",
        "a b-c/d",
        "漢字漢字",
        "a漢b",
        "",
        "abc def",
        "a",
        "-abcde",
        "abcdefgh",
        " a-bcd",
        " a-bc",
    ]
    return [[scripts._end_of_line(text, most) for text in texts] for most in (1, 3, 4, 6)]


_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400)


def ticks_of_an_axis() -> object:
    return [
        time_axis._ticks(float(first), float(last), most)
        for first, last, most in (
            (0, 0, 4),
            (0, 4000, 4),
            (0, 4001, 4),
            (500, 9500, 5),
            (0, 3 * 86_400_000, 2),
            (1, 86_400_000, 12),
            (7_000, 67_000, 6),
            *((0, 3000 * step, 3) for step in _STEPS),
        )
    ]


def axes_of_time() -> object:
    def scale(*stretches: tuple[float, float, float], cut: bool = False) -> Any:
        return given(
            stretches=[given(first=a, last=b, left=left) for a, b, left in stretches],
            is_cut=cut,
            x=lambda at: at / 1e6,
        )

    day = 86_400_000.0
    return [
        time_axis.time_axis(each, 90, 3, UTC)
        for each in (
            scale((0, day - 1, 0)),
            scale((0, day, 0)),
            scale((0, 1e6, 0), (2e9, 3e9, 9)),
            scale((0, 1, 0), (day, 2, 50), (day, 3, 77), (day, 4, 76.9), cut=True),
        )
    ] + [time_axis.time_axis(scale((1e12, 1e12 + 9e6, 0)), 90, 3, ZoneInfo("America/Vancouver"))]


def stalls_by_name() -> object:
    def found(
        captures: int,
        episodes: int,
        *,
        at: int | None = 0,
        host: str | None = "h",
        known: bool = True,
    ) -> object:
        listed = [given(host=host, first=f"c{n}") for n in range(captures)]
        stalls = [given(stall=given(onset=f"e{n}")) for n in range(episodes)]
        of: Any = given(analysis=given(captures=listed, episodes=stalls) if known else None)
        shown: Any = given(capture=listed[-1], episode=None if at is None else stalls[at])
        with instead(
            stall_choice,
            _nth=lambda every, one: f"{every.index(one) + 1} of {len(every)}",
            when=str,
        ):
            return stall_choice.named(of, shown)

    return [
        found(1, 1),
        found(2, 1),
        found(1, 2),
        found(2, 0, at=None),
        found(2, 1, host=None),
        found(2, 2, known=False),
        stall_choice.named(given(analysis=1), None),
    ]


def blocks_of_a_ticket() -> object:
    def capture(n: int) -> Any:
        return given(
            host=None if n else "h",
            first=f"f{n}" if n else None,
            last=None if n else "l",
            verdict="stall",
            text="t",
        )

    def episode(n: int) -> Any:
        findings = [given(title="Commits wait", score=0.5)] if n == 1 else []
        return given(
            findings=findings,
            analysed=n == 0,
            same_as="e9" if n == 3 else None,
            stall=given(host="h" if n else None, onset=f"o{n}", duration_s=None if n else 2.5),
        )

    found: list[object] = []
    with instead(ticket, _silence=always(" quiet")):
        found += [ticket._captures([capture(n) for n in range(many)]) for many in (1, 2)]
        found += [ticket._episodes([episode(n) for n in range(many)]) for many in (1, 2, 4)]
    for many in (1, 2):
        with instead(ticket, active_time=given(scope_rows=always([("a",)] * many))):
            found.append(ticket._time_by_scope(given(captures=[], episodes=[])))
    return found


def records_at_a_line() -> object:
    rows = pl.DataFrame(
        {"line_first": [5, 1, 9, 4, 30], "line_last": [5, 9, 9, 6, 31], "n": range(5)}
    )
    far = pl.DataFrame(
        {
            "line_first": [1, *[50] * 4999, 1, 1],
            "line_last": [9, *[60] * 4999, 9, 5],
            "n": range(5002),
        }
    )
    none = pl.DataFrame({"line_first": [1], "line_last": [2], "n": [0]})
    found: list[object] = []
    for frame, first, last, most in (
        (rows, 5, 5, 9),
        (rows, 5, 5, 2),
        (rows, 9, 30, 9),
        (rows, 7, 8, 9),
        (rows, 32, 40, 9),
        (far.head(5001), 1, 9, 9),
        (far, 1, 9, 9),
        (none, 3, 4, 9),
    ):
        with instead(artifact_records, MOST_AT=most, _rows=lambda kind, of: of["n"].to_list()):
            found.append(artifact_records._at(frame.lazy(), "event", first, last))
    return found


def high_percentiles() -> object:
    def found(values: list[float | None], weights: list[int | None]) -> object:
        frame = pl.DataFrame(
            {"x": values, "weight": weights}, schema={"x": pl.Float64, "weight": pl.Float64}
        )
        return frame.select(queries._p95("x")).item()

    many = [float(n) for n in range(40, 0, -1)]
    return [
        found(many, [1] * 40),
        found(many, [None] * 40),
        found(many[:12], [None] * 12),
        found([9.0, 8.0, 7.0], [1, 1, 18]),
        found([9.0, 8.0, 7.0], [1, 1, 19]),
        found([None, 9.0, 8.0], [5, 1, 19]),
        found([], []),
    ]


def words_of_a_matrix() -> object:
    names = {"z": "Zeta", "a": "Alpha"}
    turns: Any = [given(text=f"turn {n}") for n in range(8)]
    return [
        matrix._sensitivity(turns[:many], given(leaders=leaders), names)
        for many, leaders in (
            (0, ()),
            (0, ("z",)),
            (1, ("z", "a")),
            (6, ("z",)),
            (7, ("z",)),
            (8, ("a",)),
        )
    ]


def typed_numbers() -> object:
    return [
        predicted._typed(value)
        for value in (1e15, 999_999_999_999_999.0, -1e15, 0.125, 1_900_000.0, 1 / 3, -4.0)
    ]


def pasted_tables() -> object:
    tables = [
        "",
        "a b",
        "a  b\n1  2",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "|| a || b ||\n| 1 | x\\|y |",
        "> a,b\n> 1,2",
        "> a,b\n1,2",
        "> > a,b\n> > 1,2",
        "a,b\n   \n1,2\n",
        "a,b\n---,---\n1,2",
        "a;b\n1;2;3\n4;5",
        "a\tb\n1\t2\n\n3\t4",
        "a,b\n1",
        "one\ntwo",
        "a,,a\n1,2,3",
        "a,b\n=,=\n1,2",
        "a,b\n1,2\n3,4\n5,6",
    ]
    found: list[object] = []
    for columns, rows in ((40, 400), (2, 2), (3, 3)):
        with instead(result_table, MOST_COLUMNS=columns, MOST_ROWS=rows):
            found.append([_answer(result_table.cells_of, text) for text in tables])
    return found


def cells_between_bars() -> object:
    return [
        result_table._cells_of_bars(line)
        for line in ("|| a || b ||", "||||", "|||", "||a||", "||  ||", "| a | b", "a \\| b | *c*")
    ]


def roles_of_columns() -> object:
    def cells(*columns: tuple[str, list[str]]) -> Any:
        return result_table.Cells(
            [head for head, _ in columns],
            [list(row) for row in zip(*(c for _, c in columns), strict=True)],
            [],
            [],
        )

    given_tables = [
        cells(("threads", ["1", "2"]), ("tps", ["10", "20 ms"]), ("note", ["x", ""])),
        cells(("build", ["a", "b"]), ("threads", ["1", "2"]), ("qps (1/s)", ["5 s", "6 s"])),
        cells(("threads", ["1", "2"]), ("tps", ["10", "20"]), ("mix", ["1", "x"])),
        cells(
            ("threads", ["1", "2"]), ("at", ["2026-11-20 22:00:00", "x"]), ("x", ["failed", "1 s"])
        ),
        cells(("a", ["1", "2"]), ("b", ["3", "4"]), ("c", ["5", "6"]), ("verdict", ["u", "v"])),
        cells(("mix", ["1", "x"]), ("more", ["1", "2"])),
        cells(("name", ["1", "2"]), ("p95", ["1 ms", "2 ms"])),
        cells(
            ("threads", ["1", "1"]),
            ("time", ["2026-11-20 22:00:00", "2026-11-20 22:01:00"]),
            ("empty", ["", ""]),
        ),
        cells(
            ("threads", ["4", "8"]),
            ("tps", ["1", "2"]),
            ("result", ["ok", "stall"]),
            ("other", ["u", "v"]),
        ),
    ]
    return [
        [(each.name, each.role, each.unit) for each in result_table.guessed_columns(table)]
        for table in given_tables
    ]


def moments_of_a_capture() -> object:
    first, last = "2026-11-20T22:00:00Z", "2026-11-20T22:00:09Z"
    capture: Any = given(first=first, last=last)
    at = [T0 - 1, T0, T0 + 9 * S, T0 + 9_999_999, T0 + 10 * S]
    return [
        [case._holds(each, moment) for moment in at]
        for each in (capture, given(first=None, last=last), given(first=first, last=None))
    ]


def names_and_addresses() -> object:
    addresses = [None, " ", "A@B.c", "ab", "a b@c", "a" * 252 + "@b", "a" * 253 + "@b"]
    return [
        [_answer(accounts._address, each) for each in addresses],
        [len(_answer(accounts._name, each)) for each in (" ", "x" * 200, "x" * 201)],
    ]


def rows_of_a_bundle() -> object:
    columns: list[tuple[Any, list[Any]]] = [
        (sql.Column("n", sql.Integer()), [0, -1, 2**31 - 1, 2**31, True, 1.0, "1"]),
        (sql.Column("n", sql.BigInteger()), [2**63 - 1, 2**63, -1]),
        (sql.Column("x", sql.Float()), [1, 0.5, 1e300, -1e300, 9.9e299, float("inf"), True, "x"]),
        (sql.Column("j", sql.JSON()), [{}, [], "x", None]),
        (sql.Column("s", sql.String()), ["", "x" * 20, "x" * 21, 1]),
    ]
    with instead(bundle_checks, _LONGEST=20):
        return [
            [bundle_checks._problem(column, value) for value in values]
            for column, values in columns
        ]


def buckets_of_points() -> object:
    """The maximum of each bucket; of equals the first; none for fewer than two points."""

    def points(*rows: tuple[int, float | None]) -> pl.DataFrame:
        return pl.DataFrame(
            {"time": [T0 + at * S for at, _ in rows], "value": [value for _, value in rows]},
            schema={"time": pl.Int64, "value": pl.Float64},
        )

    def found(*rows: tuple[int, float | None], window: Span | None = None, most: int = 3) -> object:
        with instead(digest, SPARK_POINTS=most):
            buckets = digest._buckets(points(*rows), window)
        return None if buckets is None else [(at - T0, *rest) for at, *rest in buckets.rows()]

    rows = [(9, 1.0), (0, 5.0), (1, 5.0), (2, 7.0), (5, None), (6, 3.0), (4, 7.0), (8, 2.0)]
    return [
        found(),
        found((1, 1.0)),
        found((1, 1.0), (3, 2.0)),
        found(*rows),
        found(*rows, most=9),
        found((1, 1.0), (1, 2.0)),
        found(*rows, window=Span(T0 + S, T0 + 4 * S)),
        found(*rows, window=Span(T0 + 9 * S, T0 + 9 * S)),
    ]


def classes_of_a_sparkline() -> object:
    def found(many: int, *, capture: str = "c") -> object:
        times = [f"2026-11-20T22:00:0{n}Z" for n in range(many)]
        classes = [
            given(id=name, title=name.upper(), values=values[:many])
            for name, values in (("a", [1.26, 2, 3, 0]), ("b", [0, 0, 0, 0]), ("d", [0, 0, 4, 9]))
        ]
        active = given(times=times, level=[1.0, 5.0, 4.0, 9.0][:many], classes=classes)
        document: Any = given(
            captures=[given(id="c", first=None, last=None, active_sessions=active)]
        )
        return digest._spark_classes(document, given(capture=capture))

    return [found(1), found(2), found(3), found(4), found(4, capture="x")]


def latches_created_near_a_line() -> object:
    """The nearest, if no other one is near, or four times as far: twice the noise at least."""

    def found(*sites: tuple[str, str, int, int], line: int = 1000, known: bool = False) -> object:
        rows: Any = [
            {"latch": latch, "version": version, "line": first, "end_line": last, "type": "mutex"}
            for latch, version, first, last in sites
        ]
        wait = latch_identity.Wait(mode="mutex", created=("a.cc", line))
        with instead(
            latch_identity,
            places=always(rows),
            near_versions=lambda rows, *_: rows,
            _is_type=always(True),
            _reads=always(known),
        ):
            latch, near, why = latch_identity._by_creation(wait)
        return latch, sorted(near), why

    def at(
        latch: str, line: int, version: str = "1", *, more: int = 0
    ) -> tuple[str, str, int, int]:
        return latch, version, line, line + more

    tolerance, noise = latch_identity._TOLERANCE, latch_identity._NOISE
    clear = latch_identity._CLEARER
    return [
        found(),
        found(at("buf_block_debug_latch", 1000)),
        found(at("a", 1000 + tolerance)),
        found(at("a", 1000 + tolerance + 1)),
        found(at("a", 1000 - tolerance)),
        found(at("a", 1000 - tolerance - 1)),
        found(at("a", 1001), at("b", 1000 + tolerance)),
        found(at("b", 999), at("a", 1001)),
        # none exactly there: the other one is far enough, or not
        *(
            found(at("a", 1000 + noise - 1), at("b", 1000 + clear * noise + more))
            for more in (0, 1)
        ),
        *(found(at("a", 1000 + 40), at("b", 1000 + clear * 40 + more)) for more in (0, 1)),
        *(found(at("a", 1000 - 40), at("c", 2000), at("b", 1000 + 160 + more)) for more in (0, 1)),
        # exactly there: of every version, of one that is read, or of one of several
        found(at("a", 1000)),
        found(at("a", 1000), at("b", 1000 + clear * noise)),
        found(at("a", 1000), at("b", 1000 + clear * noise), known=True),
        found(at("a", 1000), at("b", 1000 + clear * noise + 1)),
        found(at("a", 1000), at("a", 1000, "2"), at("b", 1001, "2")),
        found(at("a", 1000), at("a", 1002, "2"), at("b", 1001, "2")),
        found(at("a", 1000), at("b", 1000), known=True),
        found(at("a", 990, more=10), at("b", 1001, more=10), known=True),
        found(at("a", 1009, "1"), at("a", 1000, "2")),
    ]


def phrases_of_a_name() -> object:
    return [
        list(series_names._phrases(name))
        for name in ("a", "a.b", "a_b.c", "x.a.b", "x/y.rows_read", "a.b.c.d_e", "")
    ]


def versions_around() -> object:
    versions = ["5.7.30", "8.0.11", "8.0.36", "8.4.0", "mariadb-10.6.1", "mariadb-10.11.2"]
    return [
        sorted(source_sites._around(versions, numbers))
        for numbers in ((8, 0, 36), (8, 0, 35), (5, 0, 1), (99, 0, 0), (10, 6, 1))
    ]


def distances_of_versions() -> object:
    names = ("5.7.30", "mysql", "mariadb", "percona", "goldendb", "other")
    rows = [{"version": f"{name}-8.0.30"} for name in names]
    found: list[object] = []
    for release in ((8, 0, 30, 2), ()):
        with instead(source_sites, _release=always(release)):
            found += [
                source_sites._distance(row, family, numbers)
                for row in rows
                for family in (None, "mysql", "mariadb", "percona")
                for numbers in ((8, 0), (8, 0, 36))
            ]
    return found


def minutes_of_zones() -> object:
    return [
        zones._minutes(name)
        for name in ("+05:30", "-0330", "+05:60", "+05:59", "UTC", "utc", "x", "+14", "-00:00")
    ]


def prefixes_of_containers() -> object:
    def found(named: int, other: int, name: str = "db-1  | ") -> object:
        pattern = reading._prefix_pattern(f"{name}line\n" * named + "plain words\n" * other + "\n")
        return pattern and pattern.pattern

    return [
        found(4, 0),
        found(5, 0),
        found(9, 1),
        found(9, 2),
        found(18, 2),
        found(0, 5),
        found(450, 50),
        found(451, 100),
    ]


def encodings() -> object:
    def wide(zeros: int, rest: int, *, swap: bool = False, spoiled: int = 0) -> bytes:
        pairs = [b"a\0"] * zeros + [b"ab"] * rest
        pairs[:spoiled] = [b"\0\0"] * spoiled
        return b"".join(pair[::-1] if swap else pair for pair in pairs)

    texts = [
        b"",
        b"plain",
        b"\xff\xfea\0",
        b"\xfe\xff\0a",
        wide(7, 0),
        wide(8, 0),
        wide(8, 0, swap=True),
        wide(6, 4),
        wide(7, 3),
        wide(7, 3, swap=True),
        wide(6, 4, swap=True),
        wide(10, 0, spoiled=1),
        wide(10, 0, spoiled=1, swap=True),
        wide(20, 0, spoiled=1),
        wide(20, 0, spoiled=1, swap=True),
        b"\0" * 40,
    ]
    return [reading.encoding_of(text) for text in texts]


def dates_of_sysstat() -> object:
    dates = [
        "11/20/26",
        "20/11/26",
        "11/20/2026",
        "11/12/2026",
        "11/13/2026",
        "12/11/26",
        "13/11/26",
        "2026-11-20",
        "31-11-26",
        "32-11-20",
        "20.11.2026",
        "01/02/100",
        "01/02/99",
        "20 November 2026",
        "x",
        "2026年11月20日",
    ]
    return [
        found and (found.year, found.month, found.day, getattr(found, "unsure", None))
        for each in dates
        for found in [sysstat._read_date(each)]
    ]


def times_of_metrics() -> object:
    printed = [
        None,
        "0",
        "-1",
        "1",
        "1763676000",
        "100000000000",
        "100000000001",
        "1763676000123",
        "4102444800",
        "4102444799.9",
        "4102444800000",
        "4102444799999",
    ]
    return [[openmetrics._time(each, scrape) for each in printed] for scrape in (None, (7, "utc"))]


def days_before_months() -> object:
    texts = [
        "12/11/2026 x",
        "13/11/2026 x",
        "11/12/2026",
        "11/13/2026",
        "11/11/2026",
        "12.11.2026",
        "a 23.11.2026 b",
        "none",
    ]
    return [date_lines._day_first(text) for text in texts]


def levels_of_a_stack() -> object:
    def found(*frames: tuple[int, str]) -> bool:
        return gdb._are_levels("".join(f"#{level} {name} ()\n" for level, name in frames))

    return [
        found((0, "a_b"), (1, "c_d")),
        found((0, "a_b"), (1, "c_d"), (2, "e_f")),
        found((0, "a_b"), (1, "plain"), (2, "e::f"), (3, "main")),
        found((0, "a_b"), (1, "plain"), (2, "e::f")),
        found((0, "a_b"), (2, "b_c"), (3, "c_d"), (4, "d_e")),
        found((0, "a_b"), (1, "b_c"), (2, "c_d"), (9, "d_e")),
        found(),
    ]


def seconds_of_a_general_log() -> object:
    stamps = [
        "691231 23:59:59",
        "700101  1:02:03",
        "260120 22:00:00",
        "20261120 22:00:00",
        "2026-11-20T22:00:00.5Z",
        "1763676000123456",
        "99x",
    ]
    found: list[object] = []
    for stamp in stamps:
        try:
            found.append(general_log._second(stamp))
        except ValueError:
            found.append("no time")
    return found


def answers_of_receivers() -> object:
    """The beginning of what a receiver answers, and how much of it was read."""

    asked: list[object] = []
    real = httpx.AsyncClient

    def found(*chunks: bytes, late: bool = False) -> object:
        read: list[bytes] = []

        class Body(httpx.AsyncByteStream):
            async def __aiter__(self) -> AsyncIterator[bytes]:
                for chunk in chunks:
                    read.append(chunk)
                    yield chunk

        async def answer(request: httpx.Request) -> httpx.Response:
            if late:
                await asyncio.sleep(9)
            return httpx.Response(207, stream=Body())

        def client(**named: Any) -> httpx.AsyncClient:
            asked.append(sorted(named.items()))
            return real(**named, transport=httpx.MockTransport(answer))

        with (
            instead(webhooks.httpx, AsyncClient=client),
            instead(webhooks, _ANSWER_BYTES=6, TIMEOUT_S=0.01 if late else 9),
        ):
            try:
                sent = webhooks._exchange("http://127.0.0.1:1/x", b"b", {}, "h", True)  # type: ignore[arg-type]
                return asyncio.run(sent), len(read)
            except webhooks.Unreachable as error:
                return str(error)

    return [
        found(),
        found(b"abc"),
        found(b"abc", b"def", b"ghi"),
        found(b"abc", b"de", b"fgh", b"i"),
        found(b"\xffabcdefghi"),
        found(late=True),
        asked[0],
    ]


def runs_that_nobody_names() -> object:
    """Of a run the newest file counts; one that ``current`` names, or that is new, stays."""
    entries = [
        given(key=key, modified=modified)
        for key, modified in (
            ("i/old/a", 5.0),
            ("i/old/b", 1.0),
            ("i/new/a", 1.0),
            ("i/new/b", 10.0),
            ("i/named/a", 1.0),
            ("i/on/a", 10.0),
            ("i/on/b", 9.0),
            ("j/run/a", 9.9),
            (f"k/{file_sets.CURRENT}", 1.0),
        )
    ]
    sets: Any = given(_objects=given(entries=lambda: entries, read=lambda key: key.encode()))
    with instead(file_sets, _runs=lambda data: ("named",) if data.startswith(b"i/") else ()):
        return [file_sets.BucketSets._unpublished(sets, before) for before in (10.0, 10.1, 5.0)]


def health_of_workers() -> object:
    def found(*rows: tuple[str, float], url: str | None = "postgresql+psycopg://x") -> object:
        connection = mock.MagicMock()
        connection.__enter__.return_value.execute.return_value.fetchall.return_value = list(rows)
        settings: Any = given(database_url=url, worker_heartbeat_s=10)
        with instead(doctor.psycopg, connect=always(connection)):
            return doctor._worker("worker", settings)

    limit = doctor._QUIET_BEATS * 10.0
    return [
        found(url=None),
        found(),
        found(("a", limit), ("b", limit + 0.1)),
        found(("a", limit + 0.6), ("b", 999.0)),
        found(("a", 1.0), ("b", 2.0)),
    ]


def sparklines() -> object:
    """Of the active sessions, if two moments show them; else of the stall's series or the dumps."""

    def found(many: int, *, evidence: bool = True, series: bool = True, dumps: int = 3) -> object:
        times = [f"2026-11-20T22:00:0{n}Z" for n in range(9)]
        active = given(times=times[:many], level=[float(n) for n in range(many)])
        snapshots = [
            given(time=time if n else None, waiters=None if n == 2 else 40 + n)
            for n, time in enumerate(times[: dumps + 2])
        ]
        document: Any = given(
            captures=[given(id="c", first=None, last=None, active_sessions=active)],
            snapshots=snapshots,
        )
        samples = pl.DataFrame(
            {"id": ["x", "x", "y"], "time": [T0, T0 + S, T0], "value": [70.0, 71.0, 99.0]}
        )
        known: Any = given(frames={"sample": samples} if series else {})
        stall: Any = given(capture="c", evidence=[given(series="x")] if evidence else [])
        return digest._spark(document, stall, known)

    return [
        found(1),
        found(2),
        found(3),
        found(0, evidence=False),
        found(1, series=False),
        found(0, series=False, dumps=0),
    ]


SCENES: Scenes = {
    "formats.logs.general_log _second": seconds_of_a_general_log,
    "formats.machine.parts.sysstat _read_date": dates_of_sysstat,
    "formats.metrics.openmetrics _time": times_of_metrics,
    "formats.reading.date_lines _day_first": days_before_months,
    "formats.reading.text _prefix_pattern": prefixes_of_containers,
    "formats.reading.text encoding_of": encodings,
    "formats.stacks.gdb _are_levels": levels_of_a_stack,
    "knowledge.latch_identity _by_creation": latches_created_near_a_line,
    "knowledge.series_names _phrases": phrases_of_a_name,
    "knowledge.source_sites _around": versions_around,
    "knowledge.source_sites _distance": distances_of_versions,
    "records.zones _minutes": minutes_of_zones,
    "report.checks _lint": remarks_on_a_section,
    "report.checks _short": cut_texts,
    "report.redaction.known_values is_telling": telling_values,
    "report.redaction.quotes _is_name": names_in_quotes,
    "report.redaction.quotes _of_line": quoted_values,
    "report.render.figures page_width": widths_of_pages,
    "report.render.scripts _end_of_line": ends_of_lines,
    "report.render.scripts unseen": letters_without_a_font,
    "report.render.time_axis _ticks": ticks_of_an_axis,
    "report.render.time_axis time_axis": axes_of_time,
    "report.text.event_table _first_line": cut_texts,
    "report.text.prefill _first_paths": first_paths,
    "report.text.stall_choice named": stalls_by_name,
    "report.ticket _captures": blocks_of_a_ticket,
    "report.ticket _episodes": blocks_of_a_ticket,
    "report.ticket _time_by_scope": blocks_of_a_ticket,
    "storage.accounts.accounts _address": names_and_addresses,
    "storage.accounts.accounts _name": names_and_addresses,
    "storage.lifecycle.bundle_checks _problem": rows_of_a_bundle,
    "views.artifacts.artifact_records _at": records_at_a_line,
    "views.evidence.queries _p95": high_percentiles,
    "views.reasoning.matrix _sensitivity": words_of_a_matrix,
    "views.reasoning.predicted _typed": typed_numbers,
    "views.reasoning.result_table _cells_of_bars": cells_between_bars,
    "views.reasoning.result_table cells_of": pasted_tables,
    "views.reasoning.result_table guessed_columns": roles_of_columns,
    "views.reports.case _holds": moments_of_a_capture,
    "runtime.doctor _worker": health_of_workers,
    "storage.files.file_sets BucketSets._unpublished": runs_that_nobody_names,
    "worker.digest _spark": sparklines,
    "worker.webhooks _exchange": answers_of_receivers,
    "worker.digest _buckets": buckets_of_points,
    "worker.digest _spark_classes": classes_of_a_sparkline,
}
"""By module and function."""
