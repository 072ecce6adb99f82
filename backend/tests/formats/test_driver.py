"""The driver: books that balance, choices that are explained, failures that stay on the page."""

from __future__ import annotations

import io
import types
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from pileup import formats
from pileup.formats.driver import parse_path, parse_stream, parse_with_fallback
from pileup.formats.errors import FormatError
from pileup.formats.parsed import Parsed
from pileup.records import Event, Item, Samples, Section, Skipped, Snapshot


def _format(name: str, answer: bool | None, parse, hints: tuple[str, ...] = ()):  # type: ignore[no-untyped-def]
    return types.SimpleNamespace(
        NAME=name, TITLE=name, VERSION=1, HINTS=hints, sniff=lambda head: answer, parse=parse
    )


def _nothing(lines: Iterable[str]) -> Iterator[Item]:
    raise FormatError("nothing here")
    yield


def _events(lines: Iterable[str]) -> Iterator[Item]:
    for number, line in enumerate(lines, start=1):
        yield Event(line_first=number, line_last=number, kind="log", message=line)


def _broken(lines: Iterable[str]) -> Iterator[Item]:
    for item in _events(lines):
        yield item
        if isinstance(item, Event) and item.line_first == 3:
            raise IndexError("boom")


def test_unknown_content_is_kept_and_counted() -> None:
    parsed = parse_stream(io.BytesIO(b"hello\nworld\n"))
    assert parsed.format is None
    assert parsed.failed is None
    assert parsed.receipt.bytes_skipped == parsed.receipt.bytes_read == 12
    assert parsed.line_index == [0]


def test_an_empty_file_has_a_sentence() -> None:
    assert parse_stream(io.BytesIO(b"")).detection.why == "the file is empty"


def test_a_missing_file_and_a_named_unknown_format_are_sentences(tmp_path: Path) -> None:
    assert "cannot be read" in (parse_path(tmp_path / "absent").failed or "")
    path = tmp_path / "x"
    path.write_text("x\n")
    assert "no format named" in (parse_path(path, format="nonsense").failed or "")


def test_a_person_s_choice_fails_plainly_and_a_guess_falls_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = _format("first", True, _nothing), _format("second", True, _events)
    monkeypatch.setattr(formats, "FORMATS", (first, second))
    path = tmp_path / "x"
    path.write_text("a\nb\n")
    guessed = parse_path(path)
    assert guessed.format == "second"
    assert "It was read as second" in guessed.problems[0].message
    assert parse_path(path, format="first").failed == "nothing here"


def test_a_fallback_keeps_what_was_detected_and_does_not_retry_a_defect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each attempt opens the artifact again; after a defect of ours there is no second one."""
    attempts: list[str | None] = []

    def parse_as(format_name: str | None) -> Parsed:
        attempts.append(format_name)
        return parse_stream(io.BytesIO(b"a\nb\nc\nd\n"), format=format_name)

    second, third = _format("second", True, _nothing), _format("third", True, _events)
    monkeypatch.setattr(formats, "FORMATS", (_format("first", True, _nothing), second, third))
    parsed = parse_with_fallback(parse_as)
    assert (parsed.format, attempts) == ("third", [None, "second", "third"])
    assert parsed.detection.format == "first"
    assert parsed.detection.candidates == ("second", "third")

    attempts.clear()
    monkeypatch.setattr(formats, "FORMATS", (_format("broken", True, _broken), third))
    assert parse_with_fallback(parse_as).crashed
    assert attempts == [None]


def test_a_name_breaks_a_tie_and_only_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    first, two = _format("one", True, _events), _format("two", True, _events, ("-two",))
    no = _format("no", False, _events, ("-no",))
    monkeypatch.setattr(formats, "FORMATS", (no, first, two))
    assert formats.detect("text", "x-two").format == "two"
    assert formats.detect("text", "x").format == "one"
    assert formats.detect("text", "x-no").format == "one"


def test_a_defect_of_ours_costs_one_artifact_and_keeps_what_was_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(formats, "FORMATS", (_format("broken", True, _broken),))
    parsed = parse_stream(io.BytesIO(b"a\nb\nc\nd\n"))
    assert parsed.crashed
    assert "IndexError: boom" in (parsed.failed or "")
    assert parsed.frames["event"].height == 3


def test_skipped_ranges_are_joined_and_never_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(lines: Iterable[str]) -> Iterator[Item]:
        yield from _events(lines)
        yield Skipped(2, 3, "why")
        yield Skipped(3, 5, "why")
        yield Skipped(9, 9, "other")
        yield Section("all", 1, 10)

    monkeypatch.setattr(formats, "FORMATS", (_format("x", True, parse),))
    receipt = parse_stream(io.BytesIO(b"1\n" * 10)).receipt
    assert receipt.skipped == [Skipped(2, 5, "why"), Skipped(9, 9, "other")]
    assert (receipt.bytes_skipped, receipt.bytes_understood) == (10, 10)


def test_a_file_with_a_format_and_without_a_record_counts_as_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Neither moments nor numbers that are not known are evidence."""

    def parse(lines: Iterable[str]) -> Iterator[Item]:
        for number, _ in enumerate(lines, start=1):
            yield Snapshot(line_first=number, line_last=number, kind="stacks")
        yield Samples("x", "gauge", None, "relative", [None], [None], [1])

    monkeypatch.setattr(formats, "FORMATS", (_format("x", True, parse),))
    parsed = parse_stream(io.BytesIO(b"1\n" * 10))
    assert parsed.receipt.bytes_understood == 0
    (problem,) = parsed.problems
    assert "no record could be read" in problem.message


def test_records_of_a_dump_on_one_line_carry_that_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(lines: Iterable[str]) -> Iterator[Item]:
        numbers = []
        for item in _events(lines):
            assert isinstance(item, Event)
            numbers.append(item.line_first)
            yield item
        none = [None] * len(numbers)
        yield Samples("x", "gauge", None, "relative", none, none, numbers)

    monkeypatch.setattr(formats, "FORMATS", (_format("x", True, parse),))
    parsed = parse_stream(io.BytesIO(rb"InnoDB \n=\nINNODB MONITOR OUTPUT\n==\nx" + b"\nend\n"))
    assert parsed.frames["event"]["line_first"].to_list() == [1, 1, 1, 1, 1, 2]
    assert parsed.frames["sample"]["line_first"].to_list() == [1, 1, 1, 1, 1, 2]
