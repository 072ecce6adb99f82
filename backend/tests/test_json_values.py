"""A JSON value that cannot be decoded is no value, and never an error."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.json_values import json_value

_DEEP = 100_000


@pytest.mark.parametrize(
    "text", ["", "[1", "nul", '{"a" 1}', '"\\x"', "[" * _DEEP, '{"a":' * _DEEP]
)
def test_what_cannot_be_decoded_is_no_value(text: str) -> None:
    assert json_value(text) is None


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ('{"a": 1}', dict[str, Any], {"a": 1}),
        ('{"a": 1}', dict[str, str], None),
        ("[1]", dict[str, Any], None),
        (" 0 ", Any, 0),
    ],
)
def test_a_value_of_another_kind_is_no_value(text: str, kind: Any, value: object) -> None:
    assert json_value(text, kind) == value
