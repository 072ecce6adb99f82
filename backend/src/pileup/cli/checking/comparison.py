"""Compare a bundle with what was computed again: analysis, report, pins, quoted lines."""

from __future__ import annotations

import difflib
import itertools
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pileup.cli.checking.bundle import Bundle, Row
from pileup.report.redaction.spans import PASSWORD_TOKEN

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<=pin-)[0-9a-f]{32}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MASK = re.compile(rf"{PASSWORD_TOKEN}|(?:\\?\*)+")
"""What replaces a password in a text, or in a file, where its length stays."""
_SERVER = re.compile(r"https?://[^\s/)\"]+(?=/incidents/)")
_WRITTEN = re.compile(r"Written: \S+(?: \d\d:\d\d UTC)?|<dt>Written</dt><dd>[^<]*")
_VIEWER = re.compile(r"<script>.*?</script>", re.DOTALL)
_OF_THE_COPY = re.compile(
    r"\s*\n## Redaction\n.*?(?=\s*\n## |\Z)|\s*<section id=\"redaction\">.*?</section>", re.DOTALL
)
"""What a report says about itself: how many values were removed from it."""
_MORE = "… "
"""Begins the line of an excerpt that counts what was left out (views/artifacts/excerpts.py)."""
_PASSES = ("engine", "elapsed_s")
"""Keys of the analysis about the run, not about the incident."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One line of the result."""

    what: str
    differing: Sequence[str]
    """One sentence each: place, value in the bundle, value computed again."""
    total: int
    unknown: Sequence[str] = ()
    """One sentence each: what could not be computed, and why."""


def analyses(before: Bundle, after: Bundle) -> Compared:
    """Compare every leaf of the analysis: times, counts, ratios, scores, words."""
    old, new = dict(leaves(before.analysis)), dict(leaves(after.analysis))
    differing = list(differences(old, new))
    total = max(len(old), len(new), len(differing))
    return Compared("numbers and words of the analysis", differing, total)


def differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield one sentence for every leaf that differs."""
    for path in sorted(old.keys() | new.keys()):
        if not equal(old.get(path), new.get(path)):
            yield (
                f"{path}: {short(old.get(path))} in the bundle, "
                f"{short(new.get(path))} computed again"
            )


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of every leaf: no object, no list and not None."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not (path == "" and key in _PASSES):
                yield from leaves(item, f"{path}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(_in_order(value)):
            yield from leaves(item, f"{path}/{index}")
    elif value is not None:
        yield path, value


def _in_order(values: list[Any]) -> list[Any]:
    """Return the values; hashes sorted, since files without passwords have other ones."""
    if values and all(isinstance(value, str) and _SHA256.fullmatch(value) for value in values):
        return sorted(values)
    return values


def equal(old: Any, new: Any) -> bool:
    """Return whether the values are equal, except for the last bits of a float, and masks."""
    if isinstance(old, float) and isinstance(new, float):
        return abs(old - new) <= 1e-9 * max(abs(old), abs(new))
    if isinstance(old, str) and isinstance(new, str):
        return old == new or _MASK.sub("*", old) == _MASK.sub("*", new)
    return bool(old == new)


def short(value: Any) -> str:
    """Return the value as a line of the result shows it."""
    return "nothing" if value is None else repr(value)[:100]


def nameless(text: str, seen: dict[str, str]) -> str:
    """Replace ids by the order in which they appear, as an import gives new ones."""
    return _UUID.sub(lambda match: seen.setdefault(match[0], f"id-{len(seen) + 1}"), text)


def reports(before: str, after: str) -> Compared:
    """Compare the report's lines, except ids and the time of the export."""
    return _lines("lines of the report", before, after)


def pages(before: str, after: str) -> Compared:
    """Compare the HTML report: its text and the numbers of its figures, without its script."""
    old, new = (_VIEWER.sub("", html[html.find("<body") :]) for html in (before, after))
    return _lines("lines and figures of its HTML", old, new)


def _lines(what: str, before: str, after: str) -> Compared:
    old, new = (_shown(text).splitlines() for text in (before, after))
    differing = [
        line
        for line in difflib.unified_diff(old, new, "bundle", "again", lineterm="", n=0)
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    return Compared(what, differing, max(len(old), len(differing)))


def _shown(text: str) -> str:
    """Return what must be the same in both."""
    for pattern in (_SERVER, _WRITTEN, _OF_THE_COPY):
        text = pattern.sub("", text)
    return _MASK.sub("*", nameless(text, {}))


def pins(before: Bundle, after: Bundle) -> Compared:
    """Compare whether each pin is stale, and its new value."""
    wrong: list[str] = []
    old, new = before.rows("pins"), after.rows("pins")
    for was, now in zip(old, new, strict=False):
        if was["stale"] != now["stale"]:
            words = f"{_state(was)} in the bundle, and is {_state(now)} now"
            if now["stale"]:
                words += f": {short(was['value'])} pinned, {short(now['now_value'])} computed again"
            wrong.append(f"E{was.get('number', '?')} {was['title']}: was {words}")
        elif was["now_value"] != now["now_value"]:
            wrong.append(
                f"E{was.get('number', '?')} {was['title']}: its new value is "
                f"{short(was['now_value'])} in the bundle, {short(now['now_value'])} computed again"
            )
    if len(old) != len(new):
        wrong.append(f"{len(old)} pins became {len(new)}")
    unknown = [
        f"E{row.get('number', '?')} {row['title']}: stale, so what it was pinned with "
        f"({short(row['value'])}) is from another parse"
        for row in old
        if row["stale"]
    ]
    return Compared("pins", wrong, max(len(old), len(wrong)), unknown)


def _state(pin: Row) -> str:
    return "stale" if pin["stale"] else "true"


def quotes(bundle: Bundle) -> Compared:
    """Check that every line quoted by a pin is in its artifact, at the lines that it names."""
    wrong: list[str] = []
    looked = 0
    with zipfile.ZipFile(bundle.path) as archive:
        for pin in bundle.rows("pins"):
            where, excerpt = pin["locator"] or {}, pin["excerpt"]
            sha, first = where.get("artifact"), where.get("line_first")
            if not excerpt or not first or sha not in bundle.artifacts:
                continue
            with archive.open(f"artifacts/{sha}") as lines:
                last = where.get("line_last") or first
                raw = b"".join(itertools.islice(lines, first - 1, last))
            window = raw.decode("utf-8", "replace")
            for line in excerpt.splitlines():
                looked += 1
                if not line.startswith(_MORE) and line.rstrip("…").rstrip() not in window:
                    wrong.append(f"{pin['title']}: {where.get('path')} does not say {line[:80]!r}")
    return Compared("lines that pins quote, against the raw bytes", wrong, looked)
