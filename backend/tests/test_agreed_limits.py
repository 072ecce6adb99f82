"""Limits and thresholds have the agreed values: one changes on purpose, and its review shows it.

Other tests hold what happens at a limit, with a lower one, and at a threshold, whatever it is.
``agreed_limits.txt`` holds the value of each constant of a module that is a number;
``pytest --bless`` on this file adds new ones and writes changed ones.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from tests.support.constants import SOURCE

AGREED = Path(__file__).parent / "agreed_limits.txt"
_ASSIGNED = re.compile(
    r"^([A-Z_][A-Z0-9_]*(?:, [A-Z_][A-Z0-9_]*)*)(?:: [^=\n]{1,80})? = ", re.MULTILINE
)


def _values() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name != "__main__.py" and "migrations" not in path.parts:
            module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
            found |= _numbers(module.removesuffix(".__init__"), path.read_text())
    return dict(sorted(found.items()))


def _numbers(name: str, text: str) -> dict[str, str]:
    """Return the constants of a module that are numbers."""
    names = [each for match in _ASSIGNED.finditer(text) for each in match[1].split(", ")]
    module = import_module(f"pileup.{name}") if names else None
    values = {each: getattr(module, each, None) for each in names}
    return {
        f"{name} {each}": repr(value)
        for each, value in values.items()
        if type(value) in (int, float)
    }


def test_limits_and_thresholds_are_the_agreed_ones(request: pytest.FixtureRequest) -> None:
    now = _values()
    if request.config.getoption("--bless"):
        text = "".join(f"{name} {value}\n" for name, value in now.items())
        AGREED.write_text(text, encoding="utf-8")
    lines = AGREED.read_text(encoding="utf-8").splitlines()
    agreed = {" ".join(line.split(" ")[:2]): line.split(" ", 2)[2] for line in lines}
    assert len(agreed) > 500
    changed = {name: now[name] for name, value in agreed.items() if now.get(name, value) != value}
    assert changed == {}, "if this is meant: pytest --bless"
