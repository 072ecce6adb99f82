"""Other people's files and our whole captures: read without a crash, and recognised.

Skipped with a reason where the folders are absent; nothing of the corpus is committed. What they
show beyond the checks of every sample is also shown for the committed samples.
"""

from __future__ import annotations

import io
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup.formats.driver import parse_path, parse_stream
from pileup.formats.parsed import Parsed
from pileup.formats.reading import archive
from pileup.storage.files.frames import FrameKey, FrameStore
from tests.formats.checks import all_samples, assert_sound, parse_bytes, samples
from tests.formats.corpus import NOT_READ, expected, files, read
from tests.formats.damage import ways
from tests.support.captures import SAMPLES as SAMPLE_CAPTURES
from tests.support.captures import sample
from tests.support.rounds import Rounds

_MOST = 512 * 1024
_MOST_BROKEN = 32 * 1024
"""Of each file: some 800 of them, broken, take less than a minute."""
_SHARES = 4
"""Every so many-th file is a test of its own, so that several processes share the work."""
_TURNS = 31
"""A usual run takes every so many-th of these files, other ones every day."""
_COLLAPSED_TURNS = 3
"""The same for the few backtraces of which a capture has the output of pt-pmp."""


@pytest.mark.slow
@pytest.mark.on_turn(1, 3)
def test_the_corpus_is_read_and_recognised(corpus: Path) -> None:
    """Each file is its kind and no other, under a name that says nothing."""
    wrong = []
    seen = set()
    for path in files(corpus):
        parsed = read(path)
        assert not parsed.crashed, f"{path.name}: {parsed.failed}"
        assert parsed.receipt.bytes_read == path.stat().st_size, path.name
        allowed = expected(corpus, path)
        assert allowed is not None, f"{path}: say in corpus.py what it must be read as"
        if path.name in NOT_READ:
            seen.add(path.name)
            allowed = {None}
        if parsed.format not in allowed:
            wrong.append(f"{path.name}: {parsed.format} ({parsed.detection.why})")
    assert not wrong, "\n".join(wrong)
    assert seen == NOT_READ.keys()


@pytest.mark.slow
@pytest.mark.parametrize("share", range(_SHARES))
def test_every_file_of_the_corpus_broken_is_read(corpus: Path, share: int, rounds: Rounds) -> None:
    """Each file in one of the ways in which files break; its name throws the dice.

    ``--rounds`` takes that many ways of each. The same files break in the same ways every time.
    """
    for path in rounds.in_turn([*files(corpus)][share::_SHARES], _TURNS):
        with path.open("rb") as stream:
            data = stream.read(_MOST_BROKEN)
        dice = random.Random(path.name)
        sections = parse_bytes(data, "upload").sections
        borders = {
            line for section in sections for line in (section.line_first - 1, section.line_last)
        } - {0}
        every = list(ways(data, dice, borders))
        for what, broken in dice.sample(every, min(rounds.count, len(every))):
            assert_sound(parse_bytes(broken, "upload"), len(broken), f"{path.name}: {what}")


@pytest.mark.on_turn(2, 3)
def test_frames_of_each_kind_come_back_from_the_store(corpus: Path, tmp_path: Path) -> None:
    """The largest file of each kind but the very large: what is stored is what was read."""
    store = FrameStore(tmp_path)
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        path = max(files(folder), key=lambda item: min(item.stat().st_size, _MOST) - len(item.name))
        with path.open("rb") as stream:
            _assert_stored(store, parse_bytes(stream.read(_MOST), path.name), path.name)


def test_frames_of_a_sample_of_each_format_come_back_from_the_store(tmp_path: Path) -> None:
    """The smallest sample of each that has records, all in one artifact."""
    store, seen = FrameStore(tmp_path), set()
    for path in sorted(all_samples(), key=lambda item: (item.stat().st_size, item)):
        if path.parent.name not in seen and path.stat().st_size < _MOST_BROKEN:
            parsed = parse_bytes(path.read_bytes(), path.name)
            seen |= {path.parent.name} if parsed.frames else set()
            _assert_stored(store, parsed, path.name)
    assert len(seen) > 40


def _assert_stored(store: FrameStore, parsed: Parsed, name: str) -> None:
    key = FrameKey("cd" * 32, parsed.format or "none", parsed.version)
    store.replace(key, parsed.frames)
    back = store.load(key)
    assert back is not None, name
    assert back.keys() == parsed.frames.keys(), name
    for kind, frame in parsed.frames.items():
        assert_frame_equal(back[kind], frame)


@pytest.mark.slow
@pytest.mark.parametrize("share", range(_SHARES))
def test_the_captures_are_read(captures: Path, share: int, rounds: Rounds) -> None:
    _assert_read([*files(captures)][share::_SHARES], rounds)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE_CAPTURES)
def test_the_captures_of_the_repository_are_read(name: str, rounds: Rounds) -> None:
    _assert_read([*files(sample(name) / "artifacts")], rounds)


def _assert_read(paths: Sequence[Path], rounds: Rounds) -> None:
    for name, parsed in _capture_members(paths, rounds):
        assert not parsed.crashed, f"{name}: {parsed.failed}"
        if "pt-stalk" in name and parsed.receipt.bytes_read:
            assert parsed.format is not None, f"{name}: {parsed.detection.why}"
        if name.endswith(("-gdb.txt", "-stacktrace")):
            assert parsed.format == "gdb", name
        if name.endswith("-pt-pmp.txt"):
            assert parsed.format == "pmp", name
        if name.endswith(("-processlist", "processlist.txt")):
            assert parsed.format == "processlist", name


def test_gdb_and_pt_pmp_agree_on_the_same_backtraces(captures: Path, rounds: Rounds) -> None:
    """pt-pmp collapsed these very files: as many threads, as many distinct stacks."""
    compared = 0
    for path in sorted(captures.glob("*/gdb/gdb-backtraces.tar.gz")):
        for member in rounds.in_turn(archive.members(path), _COLLAPSED_TURNS):
            collapsed = path.parent / Path(member.path).name.replace("-gdb", "-pt-pmp")
            if not collapsed.exists():
                continue
            with member.open() as stream:
                ours = parse_stream(stream).frames["stack"]
            theirs = parse_path(collapsed).frames["stack"]
            assert ours["count"].sum() == theirs["count"].sum(), member.path
            assert _distinct(ours) == _distinct(theirs), member.path
            compared += 1
    assert compared


_FUNCTION = re.compile(r"^#\d+ +(?:0x[0-9a-f]+ in )?(\S.*?) \(", re.MULTILINE)


def test_gdb_and_a_plain_collapse_of_it_agree() -> None:
    """As many threads, as many distinct stacks as cut and uniq find: what pt-pmp does."""
    for path in samples("gdb"):
        if not path.name.endswith("-last-40-threads.txt"):
            continue
        text = path.read_text()
        threads = [",".join(_FUNCTION.findall(part)) for part in text.split("\nThread ")]
        collapsed = Counter(threads).most_common()
        plain = "".join(f"{count:7} {functions}\n" for functions, count in collapsed if functions)
        ours = parse_bytes(text.encode(), "x").frames["stack"]
        theirs = parse_bytes(plain.encode(), "y", format_name="pmp").frames["stack"]
        assert ours["count"].sum() == theirs["count"].sum() > 30, path.name
        assert _distinct(ours) == _distinct(theirs) > 3, path.name


def _distinct(stacks: pl.DataFrame) -> int:
    """Stacks that differ in a function; pt-pmp prints few of the lines that we also keep apart."""
    return len({tuple(frame["function"] for frame in frames) for frames in stacks["frames"]})


def _capture_members(paths: Sequence[Path], rounds: Rounds) -> Iterator[tuple[str, Parsed]]:
    plain = [path for path in paths if archive.detect_container(path) is None]
    for path in rounds.in_turn(plain, _TURNS):
        yield path.name, parse_path(path)
    for at, path in enumerate(path for path in paths if path not in plain):
        refused: list[archive.Refusal] = []
        dumps = path.name == "innodb-status-samples.tar.gz"
        members = archive.members(path, refusals=refused)
        # Of the dumps of every second, each like the one before, the long run takes some too.
        for member in rounds.in_turn(islice(members, 0, None, 10 if dumps else 1), _TURNS, at):
            with member.open() as stream:
                head = io.BytesIO(stream.read(_MOST))  # the rest of a series repeats itself
            yield member.path, parse_stream(head, name=member.path)
        assert not refused, f"{path.name}: {refused}"
