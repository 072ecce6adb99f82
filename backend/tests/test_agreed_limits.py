"""Limits and thresholds have the agreed values: one changes on purpose, and its review shows it.

Other tests hold what happens at a limit, with a lower one, and at a threshold, whatever it is.
``agreed_limits.txt`` holds the value of each constant at which a package cuts, or with which it
compares; ``pytest --bless`` on this file adds new ones and writes changed ones.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.support.constants import Place, limits_of, thresholds_of

AGREED = Path(__file__).parent / "agreed_limits.txt"
PACKAGES = (
    *("records", "formats", "knowledge", "analysis", "storage", "report"),
    *("views", "api", "worker", "runtime", "cli"),
)


def _values() -> dict[str, str]:
    found: dict[str, str] = {}
    for package in PACKAGES:
        for place in limits_of(package) | thresholds_of(package):
            value = _value(package, place)
            if isinstance(value, int | float | str):
                found[f"{package}.{place.constant}"] = repr(value)
    return dict(sorted(found.items()))


def _value(package: str, place: Place) -> Any:
    module = import_module(f"pileup.{package}.{place.module}".removesuffix("."))
    return getattr(module, place.name, None)


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
