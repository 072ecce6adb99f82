"""The page about security: each requirement of ASVS has its row, and each test it names exists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from tests.support.security import PAGE, REPOSITORY, named_tests

LEVEL_2 = {
    "1.1": "1-2", "1.2": "1-9", "1.3": "1-11", "1.4": "1-3", "1.5": "1-2",
    "2.1": "1-3", "2.2": "1-3", "2.3": "1-4", "2.4": "1",
    "3.2": "1-2", "3.3": "1-4", "3.4": "1-6", "3.5": "1-5", "3.7": "1-2",
    "4.1": "1-3", "4.2": "1", "4.3": "1-2", "4.4": "1-4",
    "5.1": "1", "5.2": "1-3", "5.3": "1-2", "5.4": "1-3",
    "6.1": "1-3", "6.2": "1-12", "6.3": "1-4", "6.4": "1-4", "6.5": "1-5", "6.6": "1-3",
    "6.8": "1-4",
    "7.1": "1-3", "7.2": "1-4", "7.3": "1-2", "7.4": "1-5", "7.5": "1-2", "7.6": "1-2",
    "8.1": "1-2", "8.2": "1-3", "8.3": "1", "8.4": "1",
    "9.1": "1-3", "9.2": "1-4",
    "10.1": "1-2", "10.2": "1-2", "10.3": "1-4", "10.4": "1-11", "10.5": "1-5", "10.6": "1-2",
    "10.7": "1-3",
    "11.1": "1-2", "11.2": "1-3", "11.3": "1-3", "11.4": "1-4", "11.5": "1", "11.6": "1",
    "12.1": "1-3", "12.2": "1-2", "12.3": "1-4",
    "13.1": "1", "13.2": "1-5", "13.3": "1-2", "13.4": "1-5",
    "14.1": "1-2", "14.2": "1-4", "14.3": "1-3",
    "15.1": "1-3", "15.2": "1-3", "15.3": "1-7",
    "16.1": "1", "16.2": "1-5", "16.3": "1-4", "16.4": "1-3", "16.5": "1-3",
}  # fmt: skip
"""The requirements of levels 1 and 2 of ASVS 5.0.0 by section; chapter 17 is WebRTC."""
STATES = {"met", "partly", "accepted", "operator", "n/a"}


def rows() -> Iterator[tuple[list[str], str, str, str]]:
    """Yield requirements, state, how and proof of each row."""
    text = PAGE.read_text(encoding="utf-8").partition("## OWASP ASVS")[2].partition("\n### ")[0]
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("|") and re.match(r"\d", cells[0]):
            ids, state, how = cells[:3]
            yield ids.split(", "), state, how, cells[3].strip(" |") if len(cells) > 3 else ""


def test_every_requirement_has_one_row() -> None:
    wanted = {
        f"{section}.{number}"
        for section, span in LEVEL_2.items()
        for number in range(1, int(span.rpartition("-")[2]) + 1)
    } | {"17"}
    found = Counter(each for ids, *_ in rows() for each in ids)
    assert set(found) == wanted, set(found) ^ wanted
    assert not [each for each, times in found.items() if times > 1]


def test_what_is_met_names_its_proof() -> None:
    for ids, state, how, proof in rows():
        assert state in STATES, (ids, state)
        assert len(how) > 3, ids
        assert proof or state != "met", ids


def test_every_test_of_the_page_exists() -> None:
    """A test that is renamed or removed takes the claim with it."""
    functions, files = named_tests()
    tests = REPOSITORY / "backend" / "tests"
    there = "\n".join(path.read_text(encoding="utf-8") for path in tests.rglob("test_*.py"))
    defined = set(re.findall(r"def (test_\w+)", there))
    assert len(functions) > 80
    assert not functions - defined, functions - defined
    page = PAGE.read_text(encoding="utf-8")
    places = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?", page)
    for file, function in places:
        assert f"def {function}(" in (REPOSITORY / "backend" / file).read_text() or not function
    for file in re.findall(r"`(frontend/[\w./-]+)`", page):
        assert (REPOSITORY / file).is_file(), file
    assert files
