"""Agreed answers of direct calls, in one file of JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Answers:
    """The agreed answers, by name."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def check(self, name: str, answer: Any, *, bless: bool) -> None:
        """Compare an answer with the agreed one; bless: make it the agreed one."""
        agreed = self.names()
        found = json.loads(json.dumps(answer))
        if bless:
            agreed[name] = found
            lines = (f"{json.dumps(key)}: {json.dumps(agreed[key])}" for key in sorted(agreed))
            self._path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        assert agreed.get(name) == found

    def names(self) -> dict[str, Any]:
        if not self._path.exists():
            return {}
        read: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        return read
