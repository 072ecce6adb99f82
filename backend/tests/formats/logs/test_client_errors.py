"""Errors of the server in an application's log: which lines report one, and when."""

from __future__ import annotations

import pytest

from pileup.formats import detect
from pileup.formats.errors import FormatError
from pileup.formats.logs import client_errors
from pileup.records import Event
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("client-errors"), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def test_a_trace_belongs_to_the_error_above_it() -> None:
    lines = [
        "IOError: Too many open files",
        "\tat Driver.java:1",
        "",
        "Error: (1040) Too many connections",
    ]
    events = [item for item in client_errors.parse(lines) if isinstance(item, Event)]
    assert [(event.line_first, event.line_last) for event in events] == [(1, 3), (4, 4)]


@pytest.mark.parametrize(
    "line",
    [
        "[Sun Aug 12 00:59:58.266883 2018] PHP Warning: (08004/1040): Too many connections",
        "2024-03-05 09:14:10,482 ERROR Lock wait timeout exceeded; try restarting transaction",
    ],
)
def test_a_line_has_its_time(line: str) -> None:
    (event,) = client_errors.parse([line])
    assert isinstance(event, Event)
    assert event.wall_us is not None


def test_a_text_that_speaks_of_an_error_reports_none() -> None:
    text = "Raise max_connections when clients see 'Too many connections' often.\n"
    assert client_errors.sniff(text) is False
    assert detect(text, "note.txt").format != client_errors.NAME


def test_a_text_without_an_error_is_refused() -> None:
    with pytest.raises(FormatError, match="No error of the server was found"):
        list(client_errors.parse(["GET /checkout 200 in 12 ms"]))
