"""Texts of whole answers, as agreed: a change of any value of them shows in a review.

A ``Listing`` writes a document as lines ``path = value``, without what is empty. Of a long list it
writes the first and the last elements, of a long value the beginning, and a digest of all. Ids are
replaced by a number and times of today by ``now``, so that two runs give the same text; numbers
keep four digits, because sums over several cores differ in the last ones.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_SHOWN = 3
_CHANGES = 40
_LONGEST = 300
_TODAY = timedelta(hours=12)
_ID = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b"
    r"|(?<=\[\^pin-)[0-9a-f]{32}(?=\])|(?<=::pin\{id=\")[0-9a-f]{8}-[0-9a-f]{4}(?=\")"
)
_TOKEN = re.compile(r"\b(?:literal|host|user|address|value|name)-[0-9a-f]{6}\b")
"""A placeholder of redaction: of a key that each incident has for itself."""
_TIME = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?(?:Z|\+00:00)?)?")


class Listing:
    """Lines of documents of one run, in which each id has a number."""

    def __init__(self) -> None:
        self._now = datetime.now(UTC)
        self._ids: dict[str, str] = {}

    def of(self, document: Any) -> str:
        """Return the lines of a document."""
        return "\n".join(self._lines("", self._stable(document))) + "\n"

    def line(self, text: str) -> str:
        """Return a text with numbers for its ids."""
        return self._text(text)

    def _stable(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._text(key): self._stable(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._stable(item) for item in value]
        if isinstance(value, float):
            return float(f"{value:.4g}")
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        text = _TOKEN.sub("token", text)
        text = _ID.sub(lambda found: self._ids.setdefault(found[0], f"id{len(self._ids)}"), text)
        text = _TIME.sub(lambda found: "now" if self._is_of_now(found[0]) else found[0], text)
        return text.replace("now UTC to now UTC", "now UTC")  # a minute ended in between

    def _is_of_now(self, text: str) -> bool:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return abs(moment - self._now) < _TODAY

    def _lines(self, path: str, value: Any) -> Iterator[str]:
        if isinstance(value, dict) and value:
            for key in value:
                yield from self._lines(f"{path}.{key}" if path else str(key), value[key])
        elif isinstance(value, list) and value:
            shown = sorted({*range(min(_SHOWN, len(value))), len(value) - 1})
            yield from (f"{path}[{at}] {_line(value[at])}" for at in shown)
            if len(shown) < len(value):
                yield f"{path} holds {len(value)}, {_digest(value)}"
        elif value not in (None, [], {}, ""):
            yield f"{path} = {_line(value)}"


def _line(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… {_digest(value)}"


def _digest(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return f"digest {hashlib.sha256(text.encode()).hexdigest()[:12]}"


def check_agreed(text: str, path: Path, *, bless: bool) -> None:
    """Compare a text with the agreed file; ``bless`` writes the file."""
    if bless:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.exists(), f"no {path.name}: read the text, then run pytest --bless"
    agreed = path.read_text(encoding="utf-8").splitlines()
    changed = list(
        difflib.unified_diff(agreed, text.splitlines(), path.name, "now", n=0, lineterm="")
    )
    assert not changed, "\n".join(["if this is meant: pytest --bless", *changed[:_CHANGES]])
