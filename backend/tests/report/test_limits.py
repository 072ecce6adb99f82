"""Every limit of a list in the report: a lower one leaves something out, and counts it rightly."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib import import_module

import polars as pl
import pytest
from msgspec import structs

from pileup.report import ticket
from pileup.report.case import Case
from pileup.report.compose import blocks_of
from pileup.report.document import Table, Trouble, plain
from pileup.report.redaction import known_records, password_statements
from pileup.report.redaction.password_statements import statement_passwords
from pileup.report.render.markdown import render_markdown
from pileup.report.text.source_notes import _shortened
from tests.report.case import document
from tests.report.test_evidence_blocks import WITH_TABLES, case, setting, stack
from tests.report.test_golden import _rich
from tests.support.constants import limits_of

_rich_case = cache(_rich)
_words_of = cache(lambda text: _words(text()))


def _markdown() -> str:
    return render_markdown(document(_rich_case()))


def _ticket() -> str:
    analysis = _rich_case().analysis
    assert analysis is not None
    unknown = [
        structs.replace(analysis.artifacts[0], format=None, path=path) for path in ("b", "a", "c")
    ]
    return ticket.text(ticket.blocks(structs.replace(analysis, artifacts=unknown)))


def _cells(given: Case, directive: str) -> str:
    (block,) = blocks_of(given, directive)
    if isinstance(block, Trouble):
        return block.text
    assert isinstance(block, Table), block
    return " ".join(plain(cell) for row in (block.head, *block.rows) for cell in row)


def _stacks() -> str:
    return _cells(case(hot_stacks=[stack("fsync", 40)]), "::stacks")


def _settings() -> str:
    settings = [
        setting(name, f"{name}{host}", host) for host in ("db-1", "db-2", "db-3") for name in "ab"
    ]
    return _cells(case(settings=settings), "::settings-differences")


def _table() -> str:
    return _cells(WITH_TABLES, '::table{artifact="digests.tsv"}')


def _excerpt() -> str:
    return _shortened("\n".join(f"line{number} of{number}" for number in range(6))) or ""


def _people() -> str:
    given = _rich_case()
    (first, *_) = given.annotations
    notes = tuple(replace(first, author=name) for name in ("eve", "fay", "gus"))
    return render_markdown(document(replace(given, annotations=notes)))


LIMITS: dict[str, Callable[[], str]] = {
    "compose MOST_ROWS": _markdown,
    "compose _MOST_NAMES": _people,
    "render.figure_tables MOST_NODES": _markdown,
    "text.active_time _CLASSES": _markdown,
    "text.active_time _ROOTS": _ticket,
    "text.cover MOST_POINTS": _markdown,
    "text.event_table MOST_EVENTS": _markdown,
    "text.evidence_blocks _MOST_COLUMNS": _table,
    "text.evidence_blocks _MOST_FRAMES": _stacks,
    "text.evidence_blocks _MOST_SIDES": _settings,
    "text.prefill MOST_CLOCKS": _markdown,
    "text.source_notes _MOST_LINES": _excerpt,
    "text.stall_table _MOST_ROWS": _markdown,
    "ticket _MOST_UNKNOWN": _ticket,
    "ticket _ROWS": _ticket,
}
ELSEWHERE = {
    "redaction.known_records MOST",  # test_so_many_values_of_a_column_are_known
    "redaction.password_statements _MOST_CALL",  # test_a_password_is_found_so_deep_in_a_call
    "release MOST_LINES",  # test_rivals.py
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_lower_limit_leaves_something_out(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the limit is, no sentence counts none or fewer than none as left out."""
    module, name = limit.split()
    words = _words_of(LIMITS[limit])
    for most in (2, 1):
        monkeypatch.setattr(import_module(f"pileup.report.{module}"), name, most)
        text = LIMITS[limit]()
        assert re.findall(r"(?<!\d)(?:-\d+|0) more", text) == []
    assert words - _words(text)


def test_every_limit_of_a_list_has_a_row() -> None:
    assert {place.constant for place in limits_of("report")} == {*LIMITS, *ELSEWHERE}


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def test_so_many_values_of_a_column_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame({"host": ["a", "b", None, "c", "a"]})
    assert sorted(known_records._values(frame, "host")) == ["a", "b", "c"]
    for most in (2, 1):
        monkeypatch.setattr(known_records, "MOST", most)
        assert len(known_records._values(frame, "host")) == most


def test_a_password_is_found_so_deep_in_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of ``(a, b, 'secret'`` the secret is the sixth token from the parenthesis on."""

    def found() -> list[tuple[int, int]]:
        text = "SELECT PASSWORD(a, b, 'secret'"
        return [tuple(span) for span in statement_passwords(text, lambda _: False)]

    assert len(found()) == 1
    monkeypatch.setattr(password_statements, "_MOST_CALL", 6)
    assert len(found()) == 1
    monkeypatch.setattr(password_statements, "_MOST_CALL", 5)
    assert found() == []
