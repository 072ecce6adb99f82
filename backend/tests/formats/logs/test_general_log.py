"""The general query log: arrivals per second, whatever a statement holds."""

from __future__ import annotations

import polars as pl
import pytest

from pileup.formats.logs import general_log
from tests.formats.checks import SAMPLES, parse_bytes, samples

FOLDER = SAMPLES / "general-log"


@pytest.mark.parametrize("path", samples("general-log"), ids=lambda p: p.stem)
def test_sample(path, check_sample):
    check_sample(path)


def rates(name: str) -> dict[str, list[tuple[int, float]]]:
    """By command: seconds from the first, and the rate."""
    frame = parse_bytes((FOLDER / name).read_bytes(), "upload").frames["sample"]
    begun = frame["wall_us"].min()
    return {
        labels.removeprefix("command="): [
            ((wall - begun) // 1_000_000, value)
            for wall, value in part.filter(pl.col("value") > 0)
            .select("wall_us", "value")
            .iter_rows()
        ]
        for (labels,), part in frame.group_by("labels")
    }


def test_commands_are_counted_in_their_seconds() -> None:
    name = "8.0-statement-over-three-lines.log"
    assert rates(name) == {
        "Connect": [(0, 1), (3, 1)],
        "Query": [(0, 2)],
        "Close stmt": [(3, 1)],
        "Quit": [(3, 1)],
    }
    frame = parse_bytes((FOLDER / name).read_bytes(), "upload").frames["sample"]
    assert set(frame["clock"]) == {"utc"}
    queries = frame.filter(pl.col("labels") == "command=Query")
    assert queries["value"].to_list() == [2, 0, 0, 0]  # nothing came: a true zero


def test_a_time_is_printed_once_a_second_up_to_5_6() -> None:
    """The line below a statement that only looks like an entry has no command of the server."""
    found = rates("5.1-time-once-a-second.log")
    half_a_day = 12 * 3600
    assert {name: len(every) for name, every in found.items()} == {
        "Connect": 1,
        "Init DB": 1,
        "Query": 2,
        "Quit": 1,
    }
    assert found["Quit"][0][0] - found["Query"][-1][0] == half_a_day
    parsed = parse_bytes((FOLDER / "5.1-time-once-a-second.log").read_bytes(), "upload")
    assert [item.line_first for item in parsed.receipt.skipped] == [1]


@pytest.mark.parametrize(
    "text",
    [
        (
            "Time                 Id Command    Argument\n"
            "# Time: 2026-11-20T22:22:58.255330Z\n# User@Host: a[a] @ b []  Id: 8\n"
            "# Query_time: 2.0  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 0\nSELECT 1;\n"
        ),
        "Tcp port: 3306  Unix socket: /tmp/mysql.sock\n",
        "2026-11-20T22:22:58.255330Z\t    8 Query\tSELECT 1\nand then they wrote\n",
        "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n8\ta\tb\tt\tQuery\t1\tupdate\tSELECT 1\n",
    ],
)
def test_what_only_looks_like_one(text: str) -> None:
    assert general_log.sniff(text) is False
