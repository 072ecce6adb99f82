"""The tests that docs/explanation/security.md names as proofs; `make test-security` runs them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
PAGE = REPOSITORY / "docs" / "explanation" / "security.md"

NAMED = "security"
"""Marks the tests that the page names, and those of ``tests/security``."""


@cache
def named_tests() -> tuple[frozenset[str], frozenset[str]]:
    """Return the functions, and the whole files below backend, that the page names."""
    page = PAGE.read_text(encoding="utf-8")
    functions = frozenset(re.findall(r"\b(test_\w+)(?=`)", page))
    files = frozenset(re.findall(r"`(tests/[\w/]+\.py)`", page))
    return functions, files


def is_named(node_id: str) -> bool:
    """Return whether the page names this test."""
    functions, files = named_tests()
    file, _, rest = node_id.partition("::")
    function = rest.rpartition("::")[2].partition("[")[0]
    return function in functions or file in files or file.startswith("tests/security/")
