"""Texts of several lines that were printed on one, as they are and wrapped."""

from __future__ import annotations

import textwrap

import pytest

from tests.formats.checks import parse_bytes

_LINES = (
    "=====================================",
    "2026-11-20 22:19:09 0x7f INNODB MONITOR OUTPUT",
    "=====================================",
    "----------",
    "SEMAPHORES",
    "----------",
    "--Thread 140648691181249 has waited at trx0sys.h line 602 for 9 seconds the semaphore:",
    "Mutex at 0x5622f36161f8, Mutex TRX_SYS created trx0sys.cc:607, locked by 140648691181250",
    "------------",
    "TRANSACTIONS",
    "------------",
    "Trx id counter 10074",
    "History list length 30",
    "----------------------------",
    "END OF INNODB MONITOR OUTPUT",
    "============================",
)
DUMP = "Type\tName\tStatus\nInnoDB\t\t" + "\\n".join(_LINES) + "\n"


def _at_words(width: int) -> str:
    lines = DUMP.splitlines()
    wrapper = textwrap.TextWrapper(
        width, expand_tabs=False, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(part for line in lines for part in wrapper.wrap(line)) + "\n"


def _at_columns(width: int) -> str:
    lines = DUMP.splitlines()
    cut = (line[at : at + width] for line in lines for at in range(0, len(line), width))
    return "\n".join(cut) + "\n"


@pytest.mark.parametrize(
    "text", [*map(_at_words, (40, 50, 60, 76, 120)), *map(_at_columns, (60, 72, 80, 100))]
)
def test_a_dump_on_one_line_that_was_wrapped_is_read(text: str) -> None:
    plain, parsed = parse_bytes(DUMP.encode()), parse_bytes(text.encode())
    assert plain.receipt.records["semaphore_wait"] == 1
    assert parsed.format == plain.format
    assert parsed.receipt.records == plain.receipt.records
    (wait,) = parsed.frames["semaphore_wait"].select("thread_id", "waited_s", "line").rows()
    assert wait == (140648691181249, 9.0, 602)
    assert parsed.receipt.lines == text.count("\n")


def test_a_table_whose_cells_have_line_ends_is_a_table() -> None:
    rows = "".join(f"{at}\tUPDATE t\\nSET a = 1\\nWHERE\\nid = {at}\n" for at in range(5))
    parsed = parse_bytes(("id\tstatement\n" + rows).encode())
    assert parsed.receipt.records == {"table": 1}
    assert parsed.problems == []
