"""Whole answers of the views, as agreed: order, ties, what is missing, limits and texts.

Read the difference of ``agreed.json`` before ``pytest --bless``: each changed value is something
that a person sees on a screen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from tests.support.answers import Answers
from tests.views import agreed_edges, agreed_parts, agreed_scenes

SCENES = agreed_scenes.SCENES | agreed_parts.SCENES | agreed_edges.SCENES
AGREED = Answers(Path(__file__).parent / "agreed.json")


@pytest.mark.parametrize("name", SCENES)
def test_a_view_answers_as_agreed(name: str, request: pytest.FixtureRequest) -> None:
    found = _shortened(msgspec.to_builtins(SCENES[name](), enc_hook=_plain))
    AGREED.check(name, found, bless=request.config.getoption("--bless"))


def _plain(value: Any) -> Any:
    """Return what is no dataclass in lists and values."""
    if isinstance(value, pl.DataFrame):
        return value.rows()
    if isinstance(value, Iterator):
        return list(value)
    return repr(value)


def _shortened(value: Any) -> Any:
    """Write texts that are longer than a line by their ends, their length and a digest."""
    if isinstance(value, dict):
        return {key: _shortened(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(inner) for inner in value]
    if isinstance(value, str) and len(value) > 120:
        digest = hashlib.sha256(value.encode()).hexdigest()[:10]
        return f"{value[:20]} … {value[-9:]} ({len(value)} characters, {digest})"
    return value
