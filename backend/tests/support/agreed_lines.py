"""Agreed lines of many small answers, in one file: a name, and below it a short text and a hash.

A new name needs no line until somebody blesses.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from tests.support.agreed import Listing


class AgreedLines:
    """The agreed lines of a file, by name; read once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(
        self, name: str, shown: str, document: Any, names: Collection[str], *, bless: bool
    ) -> None:
        """Compare an answer with its agreed line; bless: write it, and drop what is no name."""
        text = Listing().of(msgspec.to_builtins(document))
        found = f"  {shown or 'nothing'} {hashlib.sha256(text.encode()).hexdigest()[:10]}"
        if bless:
            self.lines[name] = found
            kept = sorted(self.lines.keys() & set(names))
            written = (f"{key}\n{self.lines[key]}\n" for key in kept)
            self._path.write_text("".join(written), encoding="utf-8")
        assert self.lines.get(name, found) == found, "if this is meant: pytest --bless --every-turn"

    @cached_property
    def lines(self) -> dict[str, str]:
        if not self._path.exists():
            return {}
        lines = self._path.read_text(encoding="utf-8").splitlines()
        return dict(zip(lines[::2], lines[1::2], strict=True))
