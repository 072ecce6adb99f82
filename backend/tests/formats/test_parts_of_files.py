"""Parts of files without what says what they are, and evidence among what people say in a chat."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from pileup.formats.driver import _has_evidence
from pileup.formats.unwrapping.cut_json import complete
from tests.formats.checks import assert_sound, parse_bytes, samples
from tests.formats.test_pastes import counts, read
from tests.formats.unwrapping.test_layouts import records
from tests.support.rounds import Rounds

DISK = "nvme0n1 1812.00 9912.00 {} {} 0.00 812.00 0.00 7.57 0.31 1.12 11.66 16.00 16.00 0.09 99.60"
VMSTAT = (
    "64  1      0 812344 120384 9412300    0    0    12   980 41200 98211 71 27  1  1  0\n"
    "71  0      0 811200 120384 9412312    0    0     0  1044 43911 101922 73 26  1  0  0\n"
)
# name: the text, the kind of record or the series, and how many there must be
PARTS: dict[str, tuple[str, str, int]] = {
    "lines of meminfo that grep chose": (
        "Cached:         41233440 kB\nSwapCached:      1223344 kB\nDirty:            812344 kB\n",
        "meminfo.Dirty",
        1,
    ),
    "the same lines again are the next copy": (
        "Dirty:   812344 kB\nWriteback:   91 kB\nDirty:   912344 kB\nWriteback:   92 kB\n",
        "meminfo.Dirty",
        2,
    ),
    "the end of meminfo, from inside a line": (
        "  568204 kB\nSReclaimable:     511812 kB\nPageTables:        10864 kB\nPercpu: 976 kB\n",
        "meminfo.PageTables",
        1,
    ),
    "the middle of /proc/vmstat": (
        "pswpout 0\nallocstall_normal 12\npgmajfault 12772\noom_kill 0\n",
        "procvmstat.allocstall_normal",
        1,
    ),
    "the end of /proc/stat": (
        "ctxt 11444105\nbtime 1795208453\nprocesses 57205\nprocs_running 54\nprocs_blocked 0\n",
        "procstat.procs_running",
        1,
    ),
    "lines of netstat -s that grep chose": (
        (
            "    8123 times the listen queue of a socket overflowed\n"
            "    8123 SYNs to LISTEN sockets dropped\n    91233 segments retransmitted\n"
        ),
        "netstat.tcpext_times_the_listen_queue_of_a_socket_overflowed",
        1,
    ),
    "rows of vmstat": (VMSTAT, "vmstat.r", 2),
    "a row of iostat": (f"{DISK.format('28992.00', '158592.00')}\n", "iostat.util", 1),
    "a status line of a script in a chat": (
        (
            "**bot** \u2014 Today at 10:11\n```\ndb-7 threads_running=412 threads_connected=1900 "
            "innodb_row_lock_current_waits=380\n```\n"
        ),
        "mysql.Threads_running",
        1,
    ),
    "names of status without their capital": (
        "threads_running: 412\nthreads_connected: 1900\ninnodb_row_lock_current_waits: 380\n",
        "mysql.Threads_connected",
        1,
    ),
    "times, names and numbers": (
        (
            "2026-11-20 10:11:01 Threads_running 12 Threads_connected 100\n"
            "2026-11-20 10:11:02 Threads_running 388 Threads_connected 400\n"
        ),
        "mysql.Threads_connected",
        2,
    ),
    "times of day and a number behind an equals sign": (
        "10:11:01 queue_depth=12\n10:11:02 queue_depth=388\n10:11:03 queue_depth=512\n",
        "metric.queue_depth",
        3,
    ),
    "rows of a CSV without their heading": (
        "2026-11-20 10:11:12,412,1900,31.2\n2026-11-20 10:11:22,433,1912,28.9\n",
        "metric.value3",
        2,
    ),
    "times, a host, names and numbers": (
        (
            "2026-11-20 10:11:12.000 UTC [db-7] Threads_running=412 cpu=99.1\n"
            "2026-11-20 10:11:22.000 UTC [db-7] Threads_running=433 cpu=99.4\n"
        ),
        "metric.cpu",
        2,
    ),
    "counters in the text of an alert": (
        json.dumps(
            {
                "labels": {"alertname": "running", "instance": "db-7:9104"},
                "annotations": {
                    "description": "Threads_running 412\nThreads_connected 1900\n"
                    "Innodb_row_lock_current_waits 380\nQuestions 91233"
                },
                "startsAt": "2026-11-20T10:11:12Z",
            }
        ),
        "mysql.Threads_running",
        1,
    ),
    "a CSV between remarks": (
        (
            "[29/11/2026 14:03] Marta Silva\nsee below\n\n"
            "date,qps,running\n2026-11-20 10:19:10,2100,2\n2026-11-20 10:19:20,216,391\n\n"
            "[29/11/2026 14:05] Jonas Berg\nok\n"
        ),
        "metric.running",
        2,
    ),
    "rows of tabs between remarks": (
        (
            "Priya Nair  3:42 PM\nhave a look\nschema_name\ttables\napp\t14\nmysql\t38\n"
            "Tom Weber  3:44 PM\nthanks\n"
        ),
        "table",
        1,
    ),
    "statements below the name of a person": (
        (
            "[29/11/2026 14:03] Marta Silva\nthis query please\n\n"
            "SELECT p.id\nFROM players p\nWHERE p.account = 'acme'\nLIMIT 50\n\n"
            "[29/11/2026 14:05] Jonas Berg\nok\n"
        ),
        "table",
        1,
    ),
    "a box whose hyphens became dashes": (
        (
            "+\u2013\u2013\u2013+\u2013\u2013\u2013-+\u2013\u2013\u2013+\n"
            "| Id  | User | db  |\n+\u2013\u2013\u2013+\u2013\u2013\u2013-+\u2013\u2013\u2013+\n"
            "| 101 | app  | s   |\n+\u2013\u2013\u2013+\u2013\u2013\u2013-+\u2013\u2013\u2013+\n"
        ),
        "table",
        1,
    ),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_gives_its_records(part: str) -> None:
    text, kind, many = PARTS[part]
    parsed = read(text)
    assert counts(parsed).get(kind, 0) == many, (parsed.format, counts(parsed))


def values(text: str) -> dict[str, list[float]]:
    frame = read(text).frames["sample"].drop_nulls("value")
    return {
        series: frame.filter(frame["series"] == series)["value"].to_list()
        for series in frame["series"].unique()
    }


@pytest.mark.parametrize(
    ("rates", "read_kib"),
    [(("28992.00", "158592.00"), 28992.0), (("28.31", "154.88"), 28.31 * 1024)],
)
def test_the_unit_of_a_disk_follows_from_the_size_of_its_requests(
    rates: tuple[str, str], read_kib: float
) -> None:
    assert values(DISK.format(*rates) + "\n")["iostat.rkB/s"] == [pytest.approx(read_kib)]


def test_rows_of_vmstat_without_a_heading_are_no_disks() -> None:
    assert values(VMSTAT)["vmstat.us"] == [71.0, 73.0]
    numbers = "64 1 0 812344 120384 9412300 0 0 12 980 41200 98211 71 27 9 9 9\n"
    assert not {"vmstat.us", "diskstats.reads"} & values(numbers * 2 + "Uptime 3\n").keys()


@pytest.mark.parametrize(
    "text",
    [
        "12:30 we met Anna\n12:40 we met Bob\n",
        "Anna Berg  3:42 PM\nthe server is slow again\nTom Weber  3:44 PM\nthanks, checking\n",
        "10:11:01 Killed 5\n10:11:02 Started 3\n",
        "Cached:         41233440 kB\n",
        '{"name": "x", "colours": ["re',
    ],
)
def test_what_is_no_part_stays_text(text: str) -> None:
    assert "sample" not in read(text).frames


def _documents(dice: random.Random) -> Any:
    kinds = [
        lambda: dice.randint(-5, 10**6),
        lambda: dice.choice(["a", 'q"]}', "x, y", "\\", ""]),
        lambda: dice.choice([None, True, 1.5]),
        lambda: [_documents(dice) for _ in range(dice.randint(0, 3))],
        lambda: {f"k{at}": _documents(dice) for at in range(dice.randint(1, 3))},
    ]
    return dice.choices(kinds, [2, 2, 1, 2, 3])[0]()


@pytest.mark.seeds(20, 400)
def test_a_document_cut_at_its_end_is_its_beginning(seed: int) -> None:
    """What is completed is JSON, and each value in it was in the document at that place."""
    dice = random.Random(seed)
    whole = {"rows": [_documents(dice) for _ in range(4)], "more": _documents(dice)}
    text = json.dumps(whole, indent=dice.choice([None, 1]))
    for end in range(len(text)):
        completed = complete(text[:end])
        assert completed is None or _is_part(json.loads(completed), whole), text[:end]


def _is_part(part: Any, whole: Any) -> bool:
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and _is_part(value, whole[key]) for key, value in part.items()
        )
    if isinstance(part, list):
        return (
            isinstance(whole, list)
            and len(part) <= len(whole)
            and all(map(_is_part, part, whole[: len(part)]))
        )
    return bool(part == whole)


@pytest.mark.seeds(20, 400)
def test_a_document_without_its_beginning_invents_nothing(seed: int) -> None:
    """Whatever is cut from it, its numbers and texts were in the document."""
    dice = random.Random(seed)
    text = json.dumps([_documents(dice) for _ in range(5)], indent=dice.choice([None, 1]))
    known = set(_leaves(json.loads(text)))
    for _ in range(40):
        low, high = sorted(dice.randrange(len(text) + 1) for _ in range(2))
        if text[:low].count('"') % 2 or (completed := complete(text[low:high])) is None:
            continue
        try:
            found = json.loads(completed)
        except ValueError:
            continue  # it begins inside of a text: a reader refuses it
        assert set(_leaves(found)) <= known, text[low:high]


def _leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in _leaves(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner)]
    return [repr(value)]


JSON_SAMPLES = [
    path
    for name in ("prometheus-json", "result-json", "processlist-json", "json-series", "aws-output")
    for path in samples(name)
    if path.suffix == ".json"
]


@pytest.mark.parametrize("path", JSON_SAMPLES, ids=lambda path: path.name)
def test_a_cut_export_gives_what_is_whole_in_it(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    for share in (0.6, 0.8, 0.95):
        part = text[: int(len(text) * share)]
        parsed = parse_bytes(part.encode(), "x")
        assert_sound(parsed, len(part.encode()))
        assert _has_evidence(parsed.frames), part


SPACED = ("dstat", "processlist", "variables", "vmstat", "lock-tables")


@pytest.mark.parametrize("name", SPACED)
def test_an_empty_line_behind_each_line_changes_no_record(name: str, rounds: Rounds) -> None:
    for path in rounds.in_turn(samples(name), 3):
        text = path.read_bytes()[:6_000].decode("utf-8", "replace").rpartition("\n")[0]
        if "\n\n\n" in text or not text:
            continue
        plain = parse_bytes(f"{text}\n".encode(), "x")
        spaced = parse_bytes(f"{text}\n".replace("\n", "\n\n").encode(), "x")
        assert spaced.format == plain.format, path.name
        kinds = plain.frames.keys() - {"table"}
        found, wanted = records(spaced), records(plain)
        assert {kind: len(found.get(kind, ())) for kind in kinds} == {
            kind: len(wanted[kind]) for kind in kinds
        }, path.name
