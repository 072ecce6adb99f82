r"""Split a text that a program printed on one line, with ``\n`` for its line ends.

Source: status dumps of a client in batch mode without --raw, or the repr of a row, also in a file
        of many lines (``split_dump``); texts in logs and in values of JSON (``split``).
Note:   a line with a dump is split by ``split_dump``, whatever else it holds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

# InnoDB\t\t\n=====================================\n2023-... INNODB MONITOR OUTPUT\n====
DUMP = "INNODB MONITOR OUTPUT\\"
"""A line without it has no dump."""
_DUMP = re.compile(r"INNODB MONITOR OUTPUT(?:\\r)?\\n=")
# What a repr of the row leaves before and behind the dump:
#   "Status": "    {'Status': '    ('InnoDB', '', '    "},
_AROUND_DUMP = re.compile(
    r"[\s\"'{}\[\](),:=]*(?:[\w\"', :]{0,80}(?:Status|InnoDB[\"']))?[\s\"'{}\[\](),:=]*"
)
_LONGEST_AROUND = 200
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "0": "\ufffd", "r": "", "'": "'", '"': '"'}
_FEW_LINES = 3
_LEAST = 3
"""Line ends of an escaped text: a statement has one or two."""
_QUOTED = re.compile(r"\s*(?:[\"']?[\w.@-]{1,60}[\"']?\s*[:=]\s*)?[\"']?(?P<text>.*?)[\"']?,?$")


def split_dump(line: str) -> list[str] | None:
    """Return the lines of a status dump; None for a line without one."""
    if DUMP not in line or not _DUMP.search(line):
        return None
    parts = _ESCAPE.sub(lambda match: _ESCAPES.get(match[1], match[0]), line).split("\n")
    return [
        "" if at in (0, len(parts) - 1) and _is_around(part) else part
        for at, part in enumerate(parts)
    ]


def _is_around(part: str) -> bool:
    return len(part) <= _LONGEST_AROUND and bool(_AROUND_DUMP.fullmatch(part))


def is_escaped(head: str) -> bool:
    """Return whether a text has few lines, and one of them is a text of several."""
    if _string_of_json(head) is not None:
        return True
    lines = head.split("\n", _FEW_LINES)
    return len(lines) <= _FEW_LINES and any(line.count("\\n") >= _LEAST for line in lines)


def rejoined(text: str) -> Iterator[str]:
    """Yield a text whose last line is of several and was wrapped: between words, or at a column."""
    lines = text.strip("\n").split("\n")
    escaped = [at for at, line in enumerate(lines) if "\\n" in line]
    if len(escaped) >= _LEAST:
        above, wrapped = lines[: escaped[0]], lines[escaped[0] :]
        for between in (" ", ""):
            yield "\n".join([*above, between.join(wrapped)])


def split(line: str) -> list[str]:
    """Return the lines of a text, without the key and the quotes around it."""
    if (text := _string_of_json(line)) is not None:
        return text.removesuffix("\n").split("\n")
    if line.count("\\n") < _LEAST or "\t" in line:
        return [line]
    if line.lstrip()[:1] in ("{", "[") and (texts := _texts_of_json(line)):
        return texts
    match = _QUOTED.match(line.rstrip())
    text = match["text"] if match else line
    return text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').split("\n")


def _string_of_json(text: str) -> str | None:
    """Return the text of several lines that a JSON string holds; None for anything else."""
    bare = text.strip()
    if not (bare.startswith('"') and bare.endswith('"')) or "\n" in bare or "\\n" not in bare:
        return None
    try:
        found = json.loads(bare)
    except ValueError:
        return None
    return found if isinstance(found, str) and "\n" in found.strip("\n") else None


# {"alert": "...", "description": "Threads_running 412\nThreads_connected 1900\n..."}
_FIELD = re.compile(r'"(?P<name>[^"\\]{1,100})"\s*:\s*(?P<text>"(?:[^"\\]|\\.)*+")')
_OF_STATEMENT = re.compile(r"(?:sql|quer|statement|info|digest|stmt|trace|explain)", re.IGNORECASE)
_SQL = re.compile(
    r"\s*(?:/\*|--|\(|select|insert|update|delete|replace|alter|create|with|call|set|begin)\b",
    re.IGNORECASE,
)


def _texts_of_json(line: str) -> list[str]:
    """Return the lines of the texts in a document of one line, but for its statements."""
    found: list[str] = []
    for field in _FIELD.finditer(line):
        text = field["text"]
        if text.count("\\n") < _LEAST - 1 or _OF_STATEMENT.search(field["name"]):
            continue
        try:
            decoded = str(json.loads(text, strict=False))
        except ValueError:
            continue
        if not _SQL.match(decoded):
            found += decoded.split("\n")
    return found


__all__ = ["DUMP", "is_escaped", "rejoined", "split", "split_dump"]
