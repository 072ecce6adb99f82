"""When a condition of a limit holds."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pileup.analysis.findings import limits


@pytest.mark.parametrize(
    ("settings", "inside", "holds"),
    [
        ({}, None, True),
        ({"a": ("on",)}, None, True),
        ({"a": ("off",)}, None, False),
        ({"b": ("on",)}, None, False),
        ({"a": ("on",)}, 4.0, False),
        ({"a": ("on",)}, 5.0, True),
    ],
)
def test_a_condition_holds_by_its_settings_and_from_its_level_on(
    settings: dict[str, tuple[str, ...]], inside: float | None, holds: bool
) -> None:
    series = "" if inside is None else "s"
    condition: Any = SimpleNamespace(settings=settings, series=series, above=5.0)
    context = SimpleNamespace(setting={"a": "ON"}.get)
    levels = [SimpleNamespace(inside=None), SimpleNamespace(inside=inside)]
    ceilings: Any = SimpleNamespace(context=context, named=lambda _: levels)
    assert limits._holds(condition, ceilings) == holds
