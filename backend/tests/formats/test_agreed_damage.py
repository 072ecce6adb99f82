"""Samples that were changed in a small way, as agreed: what a parser makes of what nearly fits.

An undamaged sample takes few of a parser's ways out. Here the lines of up to two samples of each
format are cut, doubled, emptied, indented and rewritten, by fixed rules and without chance.
``agreed_damage/`` has a line for each: the records, what was skipped, the problems, and a hash of
every value, line number, problem and section; and a line for what all the problems quote. A change
that alters some runs ``pytest --bless`` on this file; its review reads which samples and which
damage they are of.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from pileup import formats
from pileup.formats.parsed import Parsed
from tests.formats.checks import parse_bytes, samples
from tests.support.agreed import check_agreed

AGREED = Path(__file__).parent / "agreed_damage"
_SAMPLES = 2
_MOST = 8 * 1024
"""Characters of a sample, up to the end of a line."""
_MOST_RECORDS = 20_000
_MOST_QUOTED = 200
_LONG = "long" * 2_000
"""More than a record or a problem quotes."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

Change = Callable[[str, int], str]
"""A line and its number, from 0 on, to what stands in its place."""


def _every(step: int, first: int, change: Callable[[str], str]) -> Change:
    """Change every so many-th line."""
    return lambda line, at: change(line) if at % step == first else line


def _numbers(text: str) -> Callable[[str], str]:
    return lambda line: _NUMBER.sub(text, line)


CHANGES: dict[str, Change] = {
    "without every fifth line": lambda line, at: "" if at % 5 == 3 else line,
    "every sixth line twice": lambda line, at: line * 2 if at % 6 == 4 else line,
    "an empty line after each": lambda line, _: f"{line}\n",
    "indented": lambda line, _: f"  {line}",
    "blanks at the ends": lambda line, _: f"{line[:-1]}  \n",
    "tabs for blanks": lambda line, _: re.sub(" {2,}", "\t", line),
    "one blank for several": lambda line, _: re.sub(" {2,}", " ", line),
    "in capitals": lambda line, _: line.upper(),
    "third lines lose their last word": _every(
        3, 2, lambda line: re.sub(r"\s*\S+\s*$", "\n", line)
    ),
    "third lines lose their first word": _every(3, 1, lambda line: re.sub(r"^\s*\S+", "", line)),
    "fourth lines are cut": _every(4, 3, lambda line: line[: len(line) // 2] + "\n"),
    "zeros in fourth lines": _every(4, 2, _numbers("0")),
    "ones in fourth lines": _every(4, 1, _numbers("1")),
    "words for numbers in fourth lines": _every(4, 3, _numbers("x")),
    "huge numbers in fifth lines": _every(5, 2, _numbers("98765432109876543210")),
    "negative numbers in fifth lines": _every(5, 4, lambda line: _NUMBER.sub(r"-\g<0>", line)),
    "fractions in fifth lines": _every(5, 3, lambda line: _NUMBER.sub(r"\g<0>.5", line)),
    "no colons in third lines": _every(3, 0, lambda line: line.replace(":", " ")),
    "fourth lines end in a long word": _every(4, 2, lambda line: f"{line[:-1]}{_LONG}\n"),
    "fourth lines are cut and end in a long word": _every(
        4, 1, lambda line: f"{line[: len(line) // 2]}{_LONG}\n"
    ),
}
PARTS: dict[str, Callable[[list[str]], list[str]]] = {
    "its first half": lambda lines: lines[: len(lines) // 2],
    "its second half": lambda lines: lines[len(lines) // 2 :],
    "without its first line": lambda lines: lines[1:],
    "without its first four lines": lambda lines: lines[4:],
    "without the end of its last line": lambda lines: [*lines[:-1], lines[-1].rstrip()[:-2]],
    "twice": lambda lines: lines * 2,
    "backwards": lambda lines: lines[::-1],
    "its first half, with a long end": lambda lines: [*lines[: len(lines) // 2], _LONG],
}


@pytest.mark.parametrize("item", formats.FORMATS, ids=lambda item: item.NAME)
@pytest.mark.dealt(9)
def test_what_nearly_fits_is_read_as_agreed(
    item: formats.Format, request: pytest.FixtureRequest
) -> None:
    by_size = sorted(samples(item.NAME), key=lambda path: (path.stat().st_size, path.name))
    chosen = islice(filter(_is_small, by_size), _SAMPLES)
    text = "".join(f"==== {path.name}\n{''.join(_results(path, item.NAME))}" for path in chosen)
    assert text
    bless = bool(request.config.getoption("--bless"))
    check_agreed(text, AGREED / f"{item.NAME}.txt", bless=bless)


def _is_small(path: Path) -> bool:
    """Return whether it gives few records: a log of a second here and there gives many zeros."""
    parsed = parse_bytes(path.read_bytes(), path.name, path.parent.name)
    return sum(parsed.receipt.records.values()) <= _MOST_RECORDS


def _results(path: Path, format_name: str) -> Iterator[str]:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    end = text.rfind("\n", 0, _MOST) + 1 if len(text) > _MOST else len(text)
    lines = text[:end].splitlines(keepends=True)
    ways = {
        name: [change(line, at) for at, line in enumerate(lines)]
        for name, change in CHANGES.items()
    }
    ways |= {name: part(lines) for name, part in PARTS.items()}
    quoted = []
    for name, changed in ways.items():
        data = "".join(changed).encode("utf-8", "surrogateescape")
        parsed = parse_bytes(data, path.name, format_name)
        assert all(len(problem.found or "") <= _MOST_QUOTED for problem in parsed.problems), name
        quoted.append([(problem.expected, problem.found) for problem in parsed.problems])
        yield f"{name}: {_facts(parsed)}\n"
    yield f"what the problems quote: {_hash(quoted)}\n"


def _facts(parsed: Parsed) -> str:
    """Return what was read in a line."""
    receipt = parsed.receipt
    counts = (
        " ".join(f"{kind} {frame.height}" for kind, frame in parsed.frames.items()) or "nothing"
    )
    skipped = f", {receipt.bytes_skipped} bytes skipped" if receipt.bytes_skipped else ""
    problems = f", {receipt.problems} problems" if receipt.problems else ""
    whole = [
        *((kind, frame.rows()) for kind, frame in sorted(parsed.frames.items())),
        [(problem.line, problem.message, problem.severity) for problem in parsed.problems],
        [(part.line_first, part.line_last, part.level, part.title) for part in parsed.sections],
        [(skip.line_first, skip.line_last, skip.why) for skip in receipt.skipped],
        (receipt.lines, receipt.bytes_read, parsed.failed),
    ]
    return f"{counts}{skipped}{problems} {_hash(whole)}"


def _hash(values: object) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:10]
