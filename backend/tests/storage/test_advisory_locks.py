"""Every advisory lock is in the one table, so that no two uses share a number by accident."""

from __future__ import annotations

import re

from pileup.paths import PACKAGE
from pileup.storage.advisory_locks import AdvisoryLock

_STORAGE = PACKAGE / "storage"
_CALL = re.compile(r"pg_(?:try_)?advisory_\w+\(([^\n]*)")
_ELSEWHERE = {"audit.py": "hashtextextended"}
"""Locks by the hash of a text."""


def test_only_the_table_names_locks() -> None:
    numbers = [int(member) for member in AdvisoryLock.__members__.values()]
    assert len(set(numbers)) == len(numbers)
    for path in sorted(PACKAGE.rglob("*.py")):
        if path == _STORAGE / "advisory_locks.py":
            continue
        for call in _CALL.findall(path.read_text()):
            if path.parent.name == "versions":  # a migration is written once, with its number
                number = int(call.partition(")")[0].replace("_", ""))
                assert number in numbers, f"{path.name}: add {number} to AdvisoryLock"
            else:
                assert _ELSEWHERE.get(path.name, "\0") in call, f"{path.name}: use AdvisoryLock"
