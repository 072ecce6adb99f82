"""Records of status dumps against an independent count of their lines, as awk would count them.

Over the committed samples, and over other people's files and our captures where those are present.
The count below knows nothing of the parser: a line is of the section whose title was last.
"""

from __future__ import annotations

import functools
import json
import random
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup.formats.innodb.parts import counters
from pileup.formats.innodb.parts.semaphores import Waits
from pileup.formats.parsed import Parsed
from pileup.formats.reading import repeated_text
from tests.formats.checks import parse_bytes, samples
from tests.formats.damage import ways
from tests.support.captures import SAMPLES, sample
from tests.support.rounds import Rounds

_TITLE = re.compile(r"(?:## )?([A-Z][A-Z /]+[A-Z])\s*$")
_SAMPLES = samples("innodb-status")
_LINES = {
    "dumps": ("", r".*INNODB MONITOR OUTPUT\s*$"),
    "waits": ("SEMAPHORES", r"--Thread \d+ has waited at .* seconds?\s+the semaphore:"),
    "ended": ("SEMAPHORES", r"wait has ended"),
    "mutexes": ("SEMAPHORES", r"Mutex at "),
    "latches": ("SEMAPHORES", r"\S+(?: \(wait_ex\))? on RW-latch at "),
    "holders": (
        "SEMAPHORES",
        r"a writer \(thread id [1-9]\d*\) has reserved it|Mutex .*locked by \d",
    ),
    "transactions": ("TRANSACTIONS", r"---TRANSACTION "),
    "lock waits": ("TRANSACTIONS", r"LOCK WAIT "),
    "sessions": ("TRANSACTIONS", r"(?:MySQL|MariaDB) thread id \d"),
    "tables": ("TRANSACTIONS", r"mysql tables in use"),
    "table locks": ("TRANSACTIONS", r"TABLE LOCK"),
    "row locks": ("TRANSACTIONS", r"RECORD LOCKS"),
    "history": ("TRANSACTIONS", r"History list length \d"),
    "reads": ("FILE I/O", r"\d+ OS file reads"),
    "pages": ("BUFFER POOL AND MEMORY", r"Free buffers"),
    "instances": ("INDIVIDUAL BUFFER POOL INFO", r"Free buffers"),
    "checkpoints": ("LOG", r"Last checkpoint at"),
    "rows": ("ROW OPERATIONS", r"Number of rows inserted"),
}


def counted(text: str) -> Counter[str]:
    """Lines of each kind; rows of locks: printed rows, and locks without any."""
    found: Counter[str] = Counter()
    patterns = {name: (title, re.compile(pattern)) for name, (title, pattern) in _LINES.items()}
    section, cut, row_lock, pools = "", False, False, 0
    for line in text.split("\n"):
        title = _TITLE.match(line)
        if "INNODB MONITOR OUTPUT" in line:
            section, cut = "", False
        elif title and title[1] in {"RW-LATCH INFO", "MUTEX INFO"}:
            section = "SEMAPHORES"  # debug builds print these inside
        elif title and (
            title[1] in {_line for _line, _ in _LINES.values()} or "LATEST" in title[1]
        ):
            section, cut, pools = title[1], False, 0
        elif line.startswith("---BUFFER POOL"):
            section = "INDIVIDUAL BUFFER POOL INFO"
        elif section == "BUFFER POOL AND MEMORY" and line.startswith("Buffer pool size  "):
            pools += 1
            if pools == 2:  # 5.5.8: instances under no title; we sum them up as the total
                found["instances"] += 1
                section = "INDIVIDUAL BUFFER POOL INFO"
        elif "truncated..." in line:
            cut = True  # until the next whole transaction; locks name theirs
        elif line.startswith("---TRANSACTION "):
            cut = False
        for name, (where, pattern) in patterns.items():
            if cut and name != "table locks":
                continue
            if (where or section) == section and pattern.match(line):
                found[name] += name != "dumps" or "END OF" not in line
        if section == "TRANSACTIONS" and line.startswith(("RECORD LOCKS", "TABLE LOCK")):
            found["locks with their rows"] += 1
            row_lock = line.startswith("R")
        elif section == "TRANSACTIONS" and line.startswith("Record lock, heap no"):
            found["locks with their rows"] += not row_lock
            row_lock = False
        elif line and not line.startswith((" ", "trx id ")):
            row_lock = False
    return found


def read(parsed: Parsed) -> Counter[str]:
    """The same numbers out of the records."""
    found: Counter[str] = Counter()
    waits, trx, locks = (
        parsed.frames.get(kind, pl.DataFrame())
        for kind in ("semaphore_wait", "transaction", "trx_lock")
    )
    found["dumps"] = parsed.frames["snapshot"].height
    found["waits"] = waits.height
    if waits.height:
        found["ended"] = int(waits["ended"].sum())
        found["mutexes"] = waits.filter(pl.col("mode") == "mutex").height
        found["latches"] = waits.filter(~pl.col("mode").is_in(["mutex", "unknown"])).height
        found["holders"] = waits["holder_thread"].count()
    found["transactions"] = trx.height
    if trx.height:
        found["lock waits"] = int(trx["lock_wait"].sum())
        found["sessions"] = trx["session_id"].count()
        found["tables"] = trx["tables_in_use"].count()
    found["locks with their rows"] = locks.height
    if locks.height:
        found["table locks"] = locks.filter(pl.col("lock_kind") == "table").height
    samples_ = parsed.frames.get("sample", pl.DataFrame())
    for name, series, labelled in (
        ("history", "history_list_length", False),
        ("reads", "os_file_reads", False),
        ("pages", "pool_free_pages", False),
        ("instances", "pool_free_pages", True),
        ("checkpoints", "last_checkpoint", False),
        ("rows", "rows_inserted", False),
    ):
        if samples_.height:
            of = samples_.filter(pl.col("series") == f"innodb.{series}")
            found[name] = of.filter((pl.col("labels") != "") == labelled).height
    return found


def assert_counts(name: str, data: bytes, parsed: Parsed | None = None) -> Counter[str]:
    parsed = parsed or parse_bytes(data, format_name="innodb-status")
    assert not parsed.crashed, f"{name}: {parsed.failed}"
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    if "\\n====" in text:
        text = text.replace("\\n", "\n")
    expected = counted(text)
    row_locks = expected.pop("row locks", 0)
    ours = read(parsed)
    assert {key: ours[key] for key in expected} == dict(expected), name
    assert not any(count for key, count in ours.items() if key not in expected), name
    assert ours["locks with their rows"] >= row_locks
    return ours


# The count knows a section by its title, which parts of a dump do not have.
_TITLED = [path for path in _SAMPLES if not path.stem.startswith("sections-without")]


@pytest.mark.parametrize("path", _TITLED, ids=lambda path: path.stem)
def test_counts_of_the_samples(path: Path) -> None:
    assert_counts(path.name, path.read_bytes())


_on_corpus = pytest.mark.xdist_group("innodb-corpus")


@pytest.fixture(scope="module")
def dumps(corpus: Path) -> list[tuple[str, bytes, Parsed]]:
    """Every status dump of other people, as they stand, with what was read of it."""
    paths = [*sorted(corpus.glob("innodb_status/*")), *corpus.glob("pt_stalk/**/*innodbstatus*")]
    every = [(path.name, path.read_bytes()) for path in paths if path.name != "INDEX.tsv"]
    return [(name, data, parse_bytes(data, format_name="innodb-status")) for name, data in every]


@_on_corpus
@pytest.mark.on_turn(2, 3)
def test_counts_of_the_corpus(dumps: list[tuple[str, bytes, Parsed]]) -> None:
    total: Counter[str] = Counter()
    for name, data, parsed in dumps:
        total += assert_counts(name, data, parsed)
    assert total["waits"] > 500
    assert total["transactions"] > 4000


_on_captures = pytest.mark.xdist_group("innodb-captures")


@functools.cache
def _dumps_of(path: Path) -> tuple[bytes, Parsed]:
    """The whole series of dumps of one capture, and what was read of it."""
    with tarfile.open(path) as archive:
        (member,) = (member for member in archive if member.isfile())
        stream = archive.extractfile(member)
        assert stream is not None
        data = stream.read()
    return data, parse_bytes(data, format_name="innodb-status")


@_on_captures
@pytest.mark.slow
@pytest.mark.on_turn(0, 3)
def test_counts_of_the_captures(captures: Path) -> None:
    total: Counter[str] = Counter()
    for path in sorted(captures.glob("*/innodb-status.tar.gz")):
        total += assert_counts(str(path), *_dumps_of(path))
    assert total["dumps"] > 500
    assert total["waits"] > 5000


@_on_captures
@pytest.mark.slow
@pytest.mark.on_turn(2, 3)
def test_ground_truth_of_the_captures(captures: Path) -> None:
    """Waiters, places and samples as counted by whoever made the captures."""
    truths = sorted(captures.glob("**/ground-truth.json"))
    assert len(truths) >= 5
    for path in truths:
        _assert_truth(path, path.parent)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.on_turn(at, 3)) for at, name in enumerate(SAMPLES)],
)
def test_ground_truth_of_the_samples(name: str) -> None:
    _assert_truth(sample(name) / "ground-truth.json", sample(name) / "artifacts")


def _assert_truth(path: Path, folder: Path) -> None:
    truth = json.loads(path.read_text())
    _, parsed = _dumps_of(folder / "innodb-status.tar.gz")
    rows = {kind: frame.to_dicts() for kind, frame in parsed.frames.items() if kind in _TRUE}
    semaphore = rows.get("semaphore_wait", [])
    per_dump = Counter(wait["snapshot"] for wait in semaphore)
    assert len(rows["snapshot"]) == truth["innodb_samples"], path
    assert max(per_dump.values(), default=0) == truth["max_waiters"], path
    assert len(per_dump) == truth["samples_with_waiters"], path
    everywhere = Counter(map(_place, semaphore))
    expected = truth["all_locations"]  # the twelve most frequent
    assert {place: everywhere[place] for place in expected} == expected, path
    # They counted every "LOCK WAIT": also the one printed inside LATEST DETECTED DEADLOCK.
    waiting = (row for row in rows.get("transaction", []) if row["lock_wait"])
    locks = Counter(row["snapshot"] for row in waiting)
    deadlocks = len(rows.get("deadlock", []))
    assert max(locks.values(), default=0) + deadlocks == truth["max_lock_wait_trx"], path


_TRUE = ("snapshot", "semaphore_wait", "transaction", "deadlock")


def _place(wait: dict[str, Any]) -> str:
    mode = "Mutex" if wait["mode"] == "mutex" else f"{wait['mode'].removesuffix(' wait_ex')}-lock"
    return f"{wait['file']}:{wait['line']} {mode}"


@_on_corpus
def test_every_deadlock_is_there_once(dumps: list[tuple[str, bytes, Parsed]]) -> None:
    for name, data, parsed in dumps:
        _assert_deadlocks(name, data, parsed)


def test_every_deadlock_of_the_samples_is_there_once() -> None:
    counts = [
        _assert_deadlocks(path.name, data, parse_bytes(data, format_name="innodb-status"))
        for path in _SAMPLES
        for data in [path.read_bytes()]
    ]
    assert sum(counts) >= 3


def _assert_deadlocks(name: str, data: bytes, parsed: Parsed) -> int:
    """As many transactions as '*** (n) TRANSACTION' lines in deadlocks that differ."""
    distinct = set(_deadlocks(data.decode("utf-8", "replace").replace("\r\n", "\n")))
    frame = parsed.frames.get("deadlock")
    ours = [] if frame is None else frame["transactions"].to_list()
    assert sorted(map(len, distinct)) == sorted(map(len, ours)), name
    return len(distinct)


def _deadlocks(text: str) -> Iterator[tuple[str, ...]]:
    for part in re.split(r"^LATEST DETECTED DEADLOCK\n-+\n", text, flags=re.MULTILINE)[1:]:
        body = re.split(r"^-{3,}\n[A-Z][A-Z /]+\n-{3,}$", part, maxsplit=1, flags=re.MULTILINE)[0]
        ids = re.findall(
            r"^\*\*\*(?: \(\d+\))? TRANSACTION:\n\n?TRANSACTION ([^,]+),", body, re.MULTILINE
        )
        if ids:
            yield tuple(ids)


# Numbers that name something: threads, pools, the base of a rate, when and how long it was.
_NAMES = re.compile(
    r"(?<=I/O thread )\d+(?= state:)|(?<=BUFFER POOL )\d+|(?<= / )1000\b|(?<=Ibuf for space )\d+|"
    r"(?<=Process ID=)\d+|(?<=Main thread ID=)\d+|(?<=Main thread process no. )\d+|"
    r"(?<=, id )\d+(?=, state)|(?<=Main thread id )\d+|(?<=buffer pool )\d+(?= only)"
)
_OF_COUNTERS = (
    "BACKGROUND THREAD", "SEMAPHORES", "TRANSACTIONS", "FILE I/O", "INSERT BUFFER", "LOG", "ROW",
    "INSERT BUFFER AND ADAPTIVE HASH INDEX", "ADAPTIVE HASH INDEX", "BUFFER POOL AND MEMORY",
    "INDIVIDUAL BUFFER POOL INFO", "ROW OPERATIONS",
)  # fmt: skip
_HEXADECIMAL = re.compile(r"Trx id counter \d+$|Purge done for trx's|Read view \w+ limit trx")
_SUMMED_UP = ("OS WAIT ARRAY INFO", "Pending normal aio", " ibuf aio", "Buffer pool size")


def _not_carried(data: bytes, parsed: Parsed) -> Iterator[str]:
    """Lines of the counter sections with a number that no record has: what a person could miss."""
    carried: set[int] = set()
    values: dict[int, list[float]] = {}
    for kind, frame in parsed.frames.items():
        if kind == "sample":
            for line, value in frame.select("line_first", "value").iter_rows():
                values.setdefault(line, []).append(value)
        elif kind != "snapshot":
            for first, last in frame.select("line_first", "line_last").iter_rows():
                carried.update(range(first, last + 1))
    for skipped in parsed.receipt.skipped:
        carried.update(range(skipped.line_first, skipped.line_last + 1))
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    for section in parsed.sections:
        if section.title not in _OF_COUNTERS:
            continue
        for number in range(section.line_first, section.line_last + 1):
            if number in carried:
                continue
            left = list(values.get(number, ()))
            line = re.sub(r"\b(\d+) (\d+)(?=\s|$)", _one_id, _NAMES.sub("", text[number - 1]))
            for printed in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])", line):
                hexadecimal = float(int(printed, 16)) if _HEXADECIMAL.match(line) else None
                if float(printed) in left:
                    left.remove(float(printed))
                elif hexadecimal in left:
                    left.remove(hexadecimal)
                elif not line.startswith(_SUMMED_UP):
                    yield f"{number}: {text[number - 1]} ({printed})"


def _one_id(halves: re.Match[str]) -> str:
    """Ids and LSNs up to 5.1."""
    return str((int(halves[1]) << 32) + int(halves[2]))


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: path.stem)
def test_every_number_of_a_sample_is_in_a_record(path: Path) -> None:
    """All numbers of the counter sections are series, but for those that only name something."""
    data = path.read_bytes()
    assert [*_not_carried(data, parse_bytes(data, format_name="innodb-status"))] == []


@_on_corpus
def test_every_number_of_the_corpus_is_in_a_record(dumps: list[tuple[str, bytes, Parsed]]) -> None:
    missing = {name: [*_not_carried(data, parsed)] for name, data, parsed in dumps}
    assert {name: lines for name, lines in missing.items() if lines} == {}


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: path.stem)
@pytest.mark.dealt(2)
def test_looking_up_changes_nothing(path: Path, rounds: Rounds) -> None:
    """Every text read anew, one wait at a time: the same records, of damaged files as well."""
    data = path.read_bytes()[: 96 * 1024]
    damaged = rounds.deal(ways(data, random.Random(path.name)), _SAMPLES.index(path), len(_SAMPLES))
    for what, broken in [("whole", data * 2), *damaged]:
        looked_up = parse_bytes(broken, format_name="innodb-status")
        with (
            mock.patch.object(repeated_text, "MOST_TEXT", -1),
            mock.patch.object(counters, "MOST_TEXT", -1),
            mock.patch.object(Waits, "_take_plain", return_value=None),
        ):
            read_anew = parse_bytes(broken, format_name="innodb-status")
        assert looked_up.problems == read_anew.problems, what
        assert looked_up.receipt == read_anew.receipt, what
        assert looked_up.frames.keys() == read_anew.frames.keys(), what
        for kind, frame in looked_up.frames.items():
            assert_frame_equal(frame, read_anew.frames[kind])
