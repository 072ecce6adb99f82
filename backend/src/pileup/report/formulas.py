"""Keep spreadsheets from reading the text of a cell as a formula, in CSV files of all kinds."""

from __future__ import annotations

import re

_BEFORE_FORMULA = re.compile(
    r"((?:^|[;\t\r\n])(?:[^\S\t\r\n]|[\u00ad\u200b-\u200f\u2060\ufeff])*)(?=[=+@＝＋－＠-])"
)
"""Where a formula begins, in any locale: programs that trim a cell see it behind blanks, and those
that divide lines at semicolons or tabs behind each of them."""


def without_formulas(text: str) -> str:
    """Return the text with an apostrophe before whatever a spreadsheet would take for a formula."""
    return _BEFORE_FORMULA.sub(r"\1'", text)
