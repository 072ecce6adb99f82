"""Undo what reading a picture of a text does to it: letters for digits, letters for bars.

Source: a text that a program recognised in a screenshot or a scan.
Gives:  O, o, l and I in numbers as 0 and 1, letters and brackets that stand where a box has its
        bars as bars, and rules of a box without their breaks.
Note:   a guess, so it is a layout like any other: the driver takes it where the text reads better,
        and the receipt says that numbers are to be compared with the picture.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_DIGITS = str.maketrans("OolI|", "00111")
# 1O2   l39717   0.O1   lO   Ox2db49fO   but neither O2 behind a dot or a name nor an English I
_MIXED = re.compile(
    r"(?<![\w.])(?:(?=[OolI|.,:]{0,8}\d)(?=[\d.,:]{0,20}[OolI])[\dOolI](?:[\dOolI.,:]{0,30}[\dOolI])?"
    r"|[Ol][OlI]{1,9}"
    r"|(?=[0O]x[\da-f]{0,16}[OolI]|Ox)[0O]x[\da-fOolI]{4,16})(?![\w])"
)
_ALONE = re.compile(r"(?<=[ |:=\t])[Ol](?=[ |,;\t]|$)")
_FILE = re.compile(r"\b([a-z]{3})O([a-z]{2,12}\.(?:cc|ic|c|h)\b)")
_BAR = re.compile(r"(?:^|(?<=\s))[Il!¦\[\]](?=\s|$)")
_ROW = re.compile(r"\s{0,4}[Il!¦\[] \s*\S.*[^\w\s'\"]?\s[Il!¦\]]\s*$")
_RULE = re.compile(r"[+\-][+\-=_~. \u2013\u2014]{8,2000}$")
_LEAST_ROWS = 2


def looks_scanned(lines: Sequence[str]) -> bool:
    """Return whether a text has letters inside numbers, or rows between letters for bars."""
    rows = 0
    for line in lines:
        if _MIXED.search(line) or _FILE.search(line):
            return True
        rows += bool(_ROW.match(line))
        if rows >= _LEAST_ROWS or (line.startswith("+") and _is_broken(line)):
            return True
    return False


def unscanned(line: str) -> str:
    """Return a line with digits and bars where a scan put letters."""
    if _is_broken(line):
        return re.sub(r"[^+]", "-", line.rstrip())
    if _ROW.match(line):
        line = _BAR.sub("|", line)
    line = _MIXED.sub(lambda found: found[0].translate(_DIGITS), line)
    line = _ALONE.sub(lambda found: found[0].translate(_DIGITS), line)
    return _FILE.sub(r"\g<1>0\g<2>", line)


def is_rule(line: str) -> bool:
    """Return whether a line is a rule, whatever its corners became."""
    return bool(_RULE.match(line))


def _is_broken(line: str) -> bool:
    """Return whether a line is the rule of a box, with blanks or other strokes in it."""
    return bool(_RULE.match(line)) and line.count("+") > 1 and not set(line.rstrip()) <= set("+-=")
