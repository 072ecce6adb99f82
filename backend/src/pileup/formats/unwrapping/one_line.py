r"""Split evidence that a page, a chat or a bug tracker put on one line: its line ends were lost.

Source: pages that fold blanks and line ends: boxes, Markdown tables and rows of ``\G`` become one
        line of words; traces of gdb in bug reports; pages whose line ends are ``<br>``; counters in
        a sentence of names and values.
            mysql> SHOW PROCESSLIST; +----+------+ | Id | User | +----+------+ | 1 | app | +----+
Gives:  the lines as the client or gdb prints them.
Note:   a rule, a line of stars or the numbers of frames say where the lines were. A row of a box
        has as many cells as its rule; further bars are part of its last cell.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from pileup.formats.unwrapping import escaped_text

Split = Callable[[str], list[str]]
"""Splits a line into the lines that it was; one for a line that is whole."""

# Thread 362 (Thread 0x410c8940 (LWP 20816)): #0  0x... in f () from lib.so #1  0x... in g () ...
_TRACE = re.compile(
    r"^[^\S\n]*(?:(?:Thread \d{1,9} \([^\n]{1,200}?\):? +)?#0 +\S[^\n]* #1 +\S"
    r"|Thread \d{1,9} \([^\n]{1,200}?\):? +#\d{1,3} +\S[^\n]* #\d{1,3} +\S)",
    re.MULTILINE,
)
_FRAME = re.compile(
    r"(?:^|(?<=\s))(?:Thread \d{1,9} \((?:Thread|LWP|process) |#(?P<level>\d{1,5}) +[\w:~<(?])"
)
# +----+------+        | --- | ---: |
_RULE = re.compile(
    r"(?<![^\s;|])\+(?:-{2,}+\+)++(?=[\s|]|$)|(?:^|(?<=\| ))\|(?: ?:?-{3,}+:? ?\|){2,}+(?= \||$)"
)
_ROW = re.compile(r"(?<![^\s;])\*{10,64} \d{1,9}\. row \*{10,64}(?=\s)")
_KEY = re.compile(r"(?<!\S)(?P<name>[A-Za-z]\w{0,63}):(?=\s|$)")
_COUNTED = re.compile(r"\s\d{1,9} rows? in set\b.{0,40}$")
_KEY_WIDTH = 64
_MOST_LINES = 300
_FEW_LINES = 12
_BREAK = re.compile(r"<(?:br|/p|/div|/li|/pre)\b[^<>]{0,80}>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:p|div|li|ul|ol|span|b|i|em|strong|code|tt|font|pre)\b[^<>]{0,200}>", re.I)
# Threads_connected 512 Threads_running=233, Aborted_connects: 12        (a=1 is an option)
_PAIR = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9]*_\w{1,100})(?: *: *|(?P<equals> *= *)| +)"
    r"(?P<value>-?\d[\d.,]*[KMGT]?\b|ON|OFF|YES|NO|[^\s,;]{1,60})(?:[ ,;]+|$)"
)
_LEAST_PAIRS = 3
# threads_running=412: names of SHOW STATUS, which people write without its capital
_STATUS = re.compile(
    r"(?:threads_(?:running|connected|created|cached)|aborted_(?:clients|connects)"
    r"|bytes_(?:received|sent)|(?:com|handler|qcache|created_tmp|opened)_\w+|open_(?:files|tables)"
    r"|select_(?:full_join|full_range_join|range|range_check|scan)|slow_queries|max_used_connections"
    r"|sort_(?:merge_passes|range|rows|scan)|table_locks_\w+"
    r"|innodb_(?:row_lock_\w+|rows_\w+|os_log_\w+|buffer_pool_(?:pages|read|reads|wait|bytes)\w*"
    r"|data_(?:reads?|writes|written|fsyncs|pending_\w+)|log_(?:waits|writes|write_requests)"
    r"|history_list_length|deadlocks|num_open_files|checkpoint_age))$"
)
_LABEL = re.compile(r"\s*[A-Za-z][A-Za-z0-9.-]{0,60}:?\s+(?=[A-Za-z][A-Za-z0-9]*_\w)")
"""What a person puts before such a line: a host."""
_TAB = "\t"
# procs ---memory--- r b swpd free ... us sy id wa 3 2 888552 86716 ...        (vmstat)
_VMSTAT = re.compile(
    r"(?P<columns>\br +b +swpd +free(?: +[a-z]{2,6}){8,14}) +(?P<numbers>\d[\d ]*)$"
)
# Threads_connected512
_GLUED = re.compile(
    r"^\s*+(?P<name>[A-Za-z]+(?:_[A-Za-z]+)+?)(?P<value>-?\d[\d.]*|ON|OFF|YES|NO)\s*$"
)


def choose_splitter(head: str) -> Split | None:
    """Return what splits the lines of a text that begins like this; None when all are whole."""
    if escaped_text.is_escaped(head):
        return escaped_text.split
    if _TRACE.search(head):
        return _split_trace
    lines = head.split("\n")[:_MOST_LINES]
    if "<" in head and _ends_in_breaks(lines):
        return _split_page
    if any(map(_is_flat, lines)):
        return _split_tables
    if any(map(_VMSTAT.search, lines)):
        return _split_vmstat
    if len(lines) <= _FEW_LINES and any(len(_pairs(line)) > 1 for line in lines):
        return _pairs
    if sum(map(bool, map(_GLUED.match, lines))) >= max(_LEAST_PAIRS, len(lines) // 2):
        return lambda line: [_GLUED.sub(r"\g<name>\t\g<value>", line)]
    return None


def _ends_in_breaks(lines: list[str]) -> bool:
    """Return whether a page has its line ends as tags; a statement in quotes may have some, too."""
    breaks = [(line, match.start()) for line in lines for match in _BREAK.finditer(line)]
    filled = sum(bool(line.strip()) for line in lines)
    return len(breaks) >= max(2, filled - 1) and all(
        line.count("'", 0, at) % 2 == 0 for line, at in breaks[:1]
    )


def _split_page(line: str) -> list[str]:
    """Split a line of a page at its breaks, without the other tags."""
    parts = _BREAK.split(line)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    plain = (html.unescape(_TAG.sub("", part)).replace("\xa0", " ") for part in parts)
    return [row for part in plain for row in (_split_tables(part) if part.strip() else [part])]


def _pairs(line: str) -> list[str]:
    """Split a line of nothing but names and values; return any other as it is."""
    found: list[str] = []
    at = len(line) - len(line.lstrip())
    if label := _LABEL.match(line):
        at = label.end()
    while match := _PAIR.match(line, at):
        name = match["name"]
        if is_status := _STATUS.match(name) is not None:
            name = name.capitalize()
        is_option = match["equals"] and name.islower() and not is_status
        found.append(f"{name}{'=' if is_option else _TAB}{match['value'].rstrip(',')}")
        at = match.end()
    if at != len(line) or len(found) < _LEAST_PAIRS:
        return [line]
    return found


def _is_flat(line: str) -> bool:
    """Return whether a line has several lines of a client's table."""
    if "--" in line and line.count("|") > 1:
        return len(_table_lines(line)) > 1
    return " row **" in line and len(_vertical_lines(line)) > 1


def _split_trace(line: str) -> list[str]:
    """Split a gdb trace into a line per thread and per frame (numbered from 0)."""
    if not _TRACE.match(line):
        return [line]
    starts: list[int] = [0]
    level: int | None = -1  # None: below a thread's header, where the inner frames may be left out
    for match in _FRAME.finditer(line):
        if match["level"] is None:
            level = None
        elif level is None or int(match["level"]) in (0, level + 1):
            level = int(match["level"])
        else:
            continue
        starts.append(match.start())
    parts = (line[at:end].strip() for at, end in pairwise([*starts, len(line)]))
    return [part for part in parts if part] or [line]


def _split_vmstat(line: str) -> list[str]:
    """Split vmstat's headings and its rows of as many numbers as columns."""
    match = _VMSTAT.search(line)
    if match is None:
        return [line]
    numbers, width = match["numbers"].split(), len(match["columns"].split())
    rows = (numbers[at : at + width] for at in range(0, len(numbers), width))
    before = line[: match.start()].strip()
    return [*filter(None, [before]), match["columns"], *map(" ".join, rows)]


def _split_tables(line: str) -> list[str]:
    if not _is_flat(line):
        return [line]
    return _table_lines(line) if "|" in line and "--" in line else _vertical_lines(line)


def _table_lines(line: str) -> list[str]:
    """Split boxes and Markdown tables into their rules and rows."""
    rules = list(_RULE.finditer(line))
    if not rules:
        return [line]
    lines: list[str] = []
    at = 0
    for number, rule in enumerate(rules):
        before = rule if number == 0 else rules[number - 1]
        lines += _row_lines(line[at : rule.start()], _columns(before[0]))
        lines.append(rule[0])
        at = rule.end()
    lines += _row_lines(line[at:], _columns(rules[-1][0]))
    has_rows = any(part.count("|") > 1 and not _RULE.fullmatch(part) for part in lines)
    return lines if has_rows else [line]


def _columns(rule: str) -> int:
    return rule.count(rule[0]) - 1


def _row_lines(text: str, columns: int) -> Iterator[str]:
    """Yield the rows of so many columns in a text, and the words before and behind them."""
    before, *cells = text.split("|")
    after = cells.pop() if cells else ""
    if before.strip():
        yield before.strip()
    at = 0
    while at < len(cells):
        end = at + columns
        while end < len(cells) and cells[end].strip():
            end += 1  # a bar inside the last cell
        row = [cell.strip() for cell in cells[at : at + columns - 1]]
        row.append("|".join(cells[at + columns - 1 : end]).strip())
        yield f"| {' | '.join(row)} |"
        at = end + 1
    if after.strip():
        yield after.strip()


def _vertical_lines(line: str) -> list[str]:
    r"""Split rows of \G into their keys, aligned as the client aligns them."""
    rows = list(_ROW.finditer(line))
    if not rows:
        return [line]
    ends = [*(row.start() for row in rows[1:]), len(line)]
    bodies = [line[row.end() : end] for row, end in zip(rows, ends, strict=True)]
    keys = {match["name"] for match in _KEY.finditer(bodies[0])}
    for body in bodies[1:]:
        keys &= {match["name"] for match in _KEY.finditer(body)}
    if not keys:
        return [line]
    lines = [before] if (before := line[: rows[0].start()].strip()) else []
    for row, body in zip(rows, bodies, strict=True):
        lines.append(row[0])
        found = _firsts(body, keys)
        for match, end in zip(found, [*(key.start() for key in found[1:]), len(body)], strict=True):
            value = _COUNTED.sub("", body[match.end() : end]).strip()
            lines.append(f"{match['name']:>{_KEY_WIDTH}}: {value}")
    return lines


def _firsts(body: str, keys: set[str]) -> list[re.Match[str]]:
    """Return the first place of each key in a row: a statement may have such a word again."""
    left = set(keys)
    found = []
    for match in _KEY.finditer(body):
        if match["name"] in left:
            left.remove(match["name"])
            found.append(match)
    return found


__all__ = ["Split", "choose_splitter"]
