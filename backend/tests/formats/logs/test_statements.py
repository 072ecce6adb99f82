"""Statements alone: read as such, and prose that begins with the same verbs is not."""

from __future__ import annotations

import pytest

from pileup.formats.logs import statements
from tests.formats.checks import parse_bytes, samples


@pytest.mark.parametrize("path", samples("statements"), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


@pytest.mark.parametrize(
    "text",
    [
        "Select the file from the menu.",
        "Select all rows (there are 3). Then go on",
        "Update the table set by hand and restart.",
        "Create table and index on the server",
        "Set the value = 5 in my.cnf",
        "Begin",
        "Lock tables were held",
        "With 4 tables I get:\n\noriginal: ~16 inserts/second",
    ],
)
def test_prose_is_no_statement(text: str) -> None:
    assert not statements.sniff(text)


def test_literals_with_sentences_are_part_of_the_statement() -> None:
    parsed = parse_bytes(b"UPDATE x SET y = 'See. Then go.' WHERE z = 1", "pasted.txt")
    assert parsed.format == "statements"
    rows = parsed.frames["table"]["rows"].to_list()[0]
    assert rows[0][1] == "UPDATE x SET y = ? WHERE z = ?"
