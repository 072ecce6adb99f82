"""Clean text that people paste: remove what a bug report, chat or web page put around the lines.

Source: quotes of mails and issues (``> ``), code blocks by indentation (Stack Overflow, Jira), log
        viewers that put a time or a pod in front (Rancher, ``kubectl logs --prefix``, stern),
        colours of ``docker compose logs``; tables and stacks in other layouts (``pasted_tables``,
        ``pasted_stacks``).
Gives:  the text as the server, the client or gdb prints it, line by line: each line keeps its
        number.
Note:   it is removed only when nine of ten of the first lines have it, or of the entries of a log.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import islice

from pileup.formats.unwrapping import pasted_stacks, pasted_tables
from pileup.formats.unwrapping.open_boxes import choose_box_closer
from pileup.formats.unwrapping.wrapped_logs import (
    Unwrap,
    choose_unwrapper,
    without,
    without_docker_times,
)

_MOST_LINES = 300
_MOST_BEFORE = 300
_QUOTE = re.compile(r" {0,3}>(?: {0,3}>){0,9}(?: |$)")
# A client's prompt, or a bar, in front of every line of its output.
_MARGINS = (
    re.compile(r"(?:mysql|MySQL|MariaDB \[[^\]]{0,64}\])> ?"),
    re.compile(r"\| (?=.*[^|\s]\s*$)"),
    re.compile(r"\+"),  # a diff: each line was added
    re.compile(r"//"),  # a comment of a source
    re.compile(r"[\u2022\u2023\u25e6\u25aa\u00b7] ?"),  # a list of a page
)
# Sat, Jan 28 2023 3:58:59 am | ...     [pod/mysql-0/mysql] ...
_VIEWERS = (
    re.compile(r"[A-Z][a-z]{2}, [A-Z][a-z]{2} \d\d? \d{4} \d\d?:\d\d:\d\d [ap]m ?\| ?"),
    re.compile(r"\[pod/[\w.-]{1,253}/[\w.-]{1,63}\] ?"),
    re.compile(  # the time of a viewer before that of the entry
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\t"
        r"(?=\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"
    ),
    re.compile(r"L\d{1,6}: ?"),  # the number of a line
    # compose: project, service, number
    re.compile(r"[A-Za-z][\w.-]{0,60}[_-]\d{1,3} +\| ?"),
    re.compile(
        r"(?:db|database|mysql|mariadb|percona|pxc|galera|proxysql|maxscale|router)[\w.-]{0,60}"
        r" +\| ?"
    ),  # compose
)
# mysql-0 mysql 2024-02-20T22:10:31.337812Z 18823 [ERROR] ...     in front: anything but a time
_ENTRY = re.compile(
    r"\d{4}-\d\d-\d\d[T ][ \d]\d:\d\d:\d\d(?:\.\d{6}(?:Z|[+-]\d\d:\d\d))? \d{1,20} "
    r"\[(?:Note|Warning|ERROR|System)\] "
)
# > 14:17:44 2017-03-28T14:17:36.086635Z 8 [Warning] ...      a clock of a viewer, or of a prompt
_CLOCK = r"(?:[>|#$] ?){0,3}\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? {1,3}(?:[>|] ?)?"
_CLOCK_BEFORE_ENTRY = re.compile(rf"{_CLOCK}(?={_ENTRY.pattern})")
_BEFORE_ENTRY = re.compile(
    rf"(?:{_CLOCK}|(?!\d{{4}}-|\d{{6}} )(?:(?!\d\d:\d\d)[^\n]){{1,160}}?)(?={_ENTRY.pattern})"
)
# - `| 26 | User sleep | select sleep(1000) |`        each line as code, perhaps in a list
_CODE = re.compile(
    r"\s{0,8}(?:[-*] )?`(?P<line>[^`]{0,2000}(?:`[^`]{1,200}`[^`]{0,2000}){0,20})`\s*$"
)
_ROW_OF_CODE = re.compile(r"\s{0,8}(?:[-*] )?`\s{0,8}[+|][^`]{0,2000}[+|]`\s*$")
_BARE_ROW = re.compile(r"\s{0,8}[+|]")
# "| 26 | app | SELECT ""a"" |"        each line as a cell of a spreadsheet
_BETWEEN_QUOTES = re.compile(r'"(?:[^"]|""){1,4000}"\s*')
_LEAST_CODE = 3
"""Rows of a table, each as code, in a text of which the rest is not."""
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[mK]")
_INDENT = re.compile(r"(?: +|\t+)")
# Query_time: 37.000122  Lock_time: ...        (a page took "# " for the mark of a heading)
_BARE_TIMES = re.compile(r"Query_time: +[\d.]+ +Lock_time: ")
_BARE_ENTRY = re.compile(r"(?:Time|User@Host): ")
_BARE_FIELD = re.compile(r"\s*\w[\w@]{0,60}: ")
# Only text that certainly begins at the margin: columns of numbers are indented on their own.
_AT_MARGIN = re.compile(
    r"\s+(?:\+-[-+]*\+|\*{10,} \d+\. row \*{10,}|Thread \d+ \(|#0 |={20,}|mysql> |MariaDB \["
    r"|TS \d{10}\.|--Thread \d+ has waited|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S)"
)


def choose_cleaner(head: str) -> Unwrap | None:
    """Return what cleans the lines of a text that begins like this; None when they are clean."""
    lines = head.split("\n")
    if len(lines) > _MOST_LINES:
        lines = lines[:_MOST_LINES]  # the head may end inside a line
    if _PYTHON_ROW.match(head):
        return _python_to_json
    steps = []
    for choose in (
        _invisible,
        _exported,
        _between_quotes,
        _pager,
        _escaped_marks,
        _vertical,
        _bracketed,
        _drawn_frame,
        _counted,
        _elided_row,
    ):
        if step := choose(lines):
            steps.append(step)
            lines = [step(line) for line in lines]
    if inside := _choose_inside(lines):
        steps.append(inside)
    return partial(_in_steps, steps) if len(steps) > 1 else next(iter(steps), None)


def _in_steps(steps: list[Unwrap], line: str) -> str:
    for step in steps:
        line = step(line)
    return line


_TIMES = frozenset({"@timestamp", "timestamp", "time", "date", "datetime", "ts"})
_MESSAGES = frozenset({"@message", "message", "line", "log", "textpayload", "_raw", "msg", "text"})
_HOSTS = frozenset(
    {"host", "hostname", "host.name", "server", "node", "instance", "pod", "machine"}
)
_PROGRAMS = frozenset({"program", "app", "appname", "service", "process", "container", "logger"})
_LEVELS = frozenset({"severity", "level", "loglevel", "log.level", "log_level", "lvl", "priority"})


def _exported(lines: list[str]) -> Unwrap | None:
    """Return what leaves the time and the line of each row that a viewer of logs exported as CSV.

    A severity, a host and a program become what syslog (RFC 5424) prints before the line. No other
    column is a part of it: it is the viewer's own, or the same in each row. A line between quotes
    may hold commas.
    """
    header = _cells_of(lines[0].lower())
    if not 2 <= len(header) <= _MOST_EXPORTED or len(set(header)) < len(header):
        return None
    text = next((at for at in reversed(range(len(header))) if header[at] in _MESSAGES), None)
    rows = [_cells_of(line) for line in lines[1:] if line.strip()]
    if text is None or not rows or any(len(row) != len(header) for row in rows):
        return None
    if not any(" " in row[text].strip() for row in rows):
        return None  # a column of values
    time = next((at for at, name in enumerate(header) if name in _TIMES), None)
    parts = _before_line(header, rows) if time is not None else {}
    others = set(range(len(header))) - {text, 0 if time is None else time, *parts.values()}
    own = [at for at in others if header[at] not in _OF_VIEWERS]
    if any(len({row[at] for row in rows}) > 1 for at in own):
        return None
    if time is None and not all(row[0].isdecimal() for row in rows):
        return None  # neither a time nor the numbers of lines

    def row_to_line(line: str) -> str:
        cells = _cells_of(line)
        if len(cells) != len(header):
            return line
        if cells[text].lower() == header[text]:
            return ""
        if time is None or (_DATED.match(cells[text]) and "host" not in parts):
            return cells[text]
        before = _as_syslog(cells[time], {part: cells[at].strip() for part, at in parts.items()})
        return f"{before or cells[time]} {cells[text]}"

    return row_to_line


_MOST_EXPORTED = 12
_OF_VIEWERS = frozenset({"@ptr", "@log", "@logstream", "id", "labels", "stream", "tsns"})
_DATED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\d{6} [ \d]\d:\d\d:\d\d")
_NAMED = {"host": _HOSTS, "program": _PROGRAMS, "level": _LEVELS}
_WITHOUT_BLANKS = re.compile(r"[\w.:@/+-]{0,48}")
_PRIORITIES = {
    **dict.fromkeys(("fatal", "crit", "critical", "alert", "emerg", "emergency"), 26),
    **dict.fromkeys(("error", "err", "e"), 27),
    **dict.fromkeys(("warning", "warn", "w"), 28),
    **dict.fromkeys(("note", "notice", "n", "system"), 29),
    **dict.fromkeys(("info", "information", "informational", "i", "debug", "trace", "default"), 30),
}
"""Severities of viewers, as the number that syslog prints of a daemon's messages."""


def _before_line(header: list[str], rows: list[list[str]]) -> dict[str, int]:
    """Return which columns name the host, the program and the severity of each line."""
    found = {}
    for part, names in _NAMED.items():
        at = next((at for at, name in enumerate(header) if name in names), None)
        if at is None:
            continue
        cells = [row[at].strip() for row in rows]
        if part == "level":
            fit = all(not cell or cell.lower() in _PRIORITIES for cell in cells)
        else:
            fit = all(map(_WITHOUT_BLANKS.fullmatch, cells))
        if fit:
            found[part] = at
    return found


def _as_syslog(time: str, parts: dict[str, str]) -> str | None:
    """Return what syslog prints before a line; None without a time that it can print."""
    stamp = time.strip().replace(" ", "T", 1).replace(",", ".")
    if not any(parts.values()) or not _STAMP.fullmatch(stamp):
        return None
    priority = _PRIORITIES.get(parts.get("level", "").lower(), 30)
    return f"<{priority}>1 {stamp} {parts.get('host') or '-'} {parts.get('program') or '-'} - - -"


_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")


def _cells_of(line: str) -> list[str]:
    try:
        return next(csv.reader([line]), []) if "," in line else []
    except csv.Error:  # a field of 128 KB, or an end of a line inside
        return []


# hyphens and dots of a word processor, odd blanks: no server and no tool prints them
_INVISIBLE = re.compile(
    "[\u00a0\u00ad\u200b-\u200f\u2010\u2011\u2026\u2060\u2212\ufeff\u202f\u2007]"
)
_VISIBLE = str.maketrans(
    {
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"),
        **dict.fromkeys("\u2010\u2011\u2212", "-"),
        **dict.fromkeys("\u00a0\u202f\u2007", " "),
        "\u2026": "...",
    }
)


def _invisible(lines: list[str]) -> Unwrap | None:
    """Return what replaces characters that look like another, or like none."""
    if not any(map(_INVISIBLE.search, lines)):
        return None
    return lambda line: line if line.isascii() else line.translate(_VISIBLE)


# ~        (END)        --More--(50%)        what a pager prints below the end of a text
_PAGER = re.compile(r"(?:~|:?(?:\x1b\[\S{0,8})?\(END\)|--More--(?:\(\d{1,3}%\))?)\s*$")


def _pager(lines: list[str]) -> Unwrap | None:
    """Return what empties the lines that a pager puts below a text."""
    last = next((line for line in reversed(lines) if line.strip()), "")
    return (lambda line: "" if _PAGER.match(line) else line) if _PAGER.match(last) else None


_ESCAPED_MARK = re.compile(r"\\([*_#|])")
_BARE_MARK = re.compile(r"(?<!\\)[*_#]")
_BARE_BAR = re.compile(r"(?<!\\)\|")
_LEAST_ESCAPED = 3


def _escaped_marks(lines: list[str]) -> Unwrap | None:
    """Return what removes the backslash before each mark of Markdown, if none is without it."""
    odd = [line for line in lines if "\\" in line]
    escaped = Counter(mark for line in odd for mark in _ESCAPED_MARK.findall(line))
    has_bars = escaped.pop("|", 0) >= _LEAST_ESCAPED and not any(map(_BARE_BAR.search, lines))
    has_marks = escaped.total() >= _LEAST_ESCAPED and not any(map(_BARE_MARK.search, lines))
    if not has_bars and not has_marks:
        return None
    return lambda line: _ESCAPED_MARK.sub(r"\1", line) if "\\" in line else line


# ***** 1\\. row *****        a converter to Markdown escaped the point
_ESCAPED_ROW = re.compile(r"(?P<before>\s{0,20}\*{10,60} \d{1,9})\\(?P<after>\. row \*{10,60}\s*)$")
_ROW = re.compile(r"\s{0,20}\*{10,60} \d{1,9}\\?\. row \*{10,60}\s*$")
#   locked_table: `app`.`orders`          # which table it is
_VALUE_AND_REMARK = re.compile(
    r"(?P<value>\s{0,60}[A-Za-z_@][\w@()]{0,80}: \S{1,300})[ \t]{1,200}(?:--|#|//) ?[^|]{0,300}$"
)


def _vertical(lines: list[str]) -> Unwrap | None:
    r"""Return what removes remarks behind the values of rows printed by \G, and escapes in them."""
    if not any(map(_ROW.match, lines)):
        return None
    if not any(_ESCAPED_ROW.match(line) or _VALUE_AND_REMARK.match(line) for line in lines):
        return None
    return _bare_vertical


def _bare_vertical(line: str) -> str:
    if match := _ESCAPED_ROW.match(line):
        return match["before"] + match["after"]
    match = _VALUE_AND_REMARK.match(line)
    return line if match is None else match["value"]


# [Id:13783517]        [Slave_IO_Running:No]        each value of a row in brackets
_BRACKETED = re.compile(r"\s{0,8}\[(?P<name>[A-Za-z][\w ]{0,60}): ?(?P<value>[^\[\]]{0,4000})\]?$")
_LEAST_BRACKETED = 4


def _bracketed(lines: list[str]) -> Unwrap | None:
    """Return what removes the brackets around each name and its value."""
    inside = 0
    for line in lines:
        inside = inside + 1 if _BRACKETED.match(line) else 0
        if inside >= _LEAST_BRACKETED:
            return lambda line: _BRACKETED.sub(r"\g<name>: \g<value>", line)
    return None


# | 55279262 | app | 10.0.0.7:44623 | shop | Query | 206 | Waiting for table flush | SELECT a ...
_ELIDED_ROW = re.compile(r"\s{0,8}\|(?:[^|]{1,200}\|){4,12}[^|]{1,4000}\.\.\.\s*$")


def _elided_row(lines: list[str]) -> Unwrap | None:
    """Return what closes the only row of a table, whose rest somebody replaced by dots."""
    rows = [line for line in lines if line.lstrip().startswith("|")]
    if len(rows) != 1 or not _ELIDED_ROW.match(rows[0]):
        return None
    return lambda line: f"{line.rstrip()} |" if _ELIDED_ROW.match(line) else line


_LEFT_EDGES = ("\u2502", "\u2503", "\u2551")
_DRAWN_RULE = re.compile(r"[\s\u2500-\u257f]*[\u2500\u2501\u2550]{2}[\s\u2500-\u257f]*$")


def _drawn_frame(lines: list[str]) -> Unwrap | None:
    """Return what removes a border drawn before each line, or around the text.

    A table has bars between its cells, too.
    """
    filled = [line for line in lines if line.strip() and not _DRAWN_RULE.match(line)]
    bare = [line.lstrip()[1:].rstrip() for line in filled if line.lstrip().startswith(_LEFT_EDGES)]
    if len(bare) < max(2, min(0.9 * len(filled), len(filled) - 1)):
        return None
    if any(edge in line.rstrip("".join(_EDGES)) for line in bare for edge in _LEFT_EDGES):
        return None
    is_padded = all(not line or line[0] == " " for line in bare)
    return partial(_without_drawn_frame, is_padded=is_padded)


def _without_drawn_frame(line: str, *, is_padded: bool) -> str:
    if _DRAWN_RULE.match(line):
        return ""
    bare = line.lstrip()
    if not bare.startswith(_LEFT_EDGES):
        return line
    text = bare[1:].rstrip()
    if text.endswith(_EDGES):
        text = text[:-1].rstrip()
    return text.removeprefix(" ") if is_padded else text


#    12 text        12: text        12<tab>text        12   | text
_NUMBERED = re.compile(r" {0,8}(?P<number>\d{1,7}) {0,4}(?P<sign>[:.)|\u2502\t]| )")
_ONLY_NUMBER = re.compile(r" {0,8}\d{1,7} {0,4}[:.)|\u2502]?\s*$")
_LEAST_NUMBERED = 3
_WIDTH_OF_CAT = 6
"""Columns of the numbers of cat -n and nl; a row between tabs may begin with any other number."""


def _counted(lines: list[str]) -> Unwrap | None:
    """Return what removes the number of an editor before each line: one more than that above it.

    Rows of numbers may begin so; they have no words.
    """
    filled = [(at, line) for at, line in enumerate(lines) if line.strip()]
    found = [(at, match) for at, line in filled if (match := _NUMBERED.match(f"{line} "))]
    if len(found) < max(_LEAST_NUMBERED, len(filled)):
        return None
    signs = {match["sign"] for _, match in found if not _ONLY_NUMBER.match(match.string)}
    if signs == {" ", "|"} and all(match.string[match.end("number")] == " " for _, match in found):
        signs = {" "}  # a bar behind the blank is that of a box
    if len(signs) != 1 or len({int(match["number"]) - at for at, match in found}) > 1:
        return None
    is_aligned = len({match.end("number") for _, match in found}) == 1
    is_aligned &= filled[0][1].startswith(" ")
    if signs == {"\t"} and found[0][1].end("number") != _WIDTH_OF_CAT:
        is_numbered = found[0][1]["number"] == "1" and all(
            line.count("\t") < 2 for _, line in filled
        )
        return partial(without, _NUMBER_AND_TAB) if is_numbered else None
    if signs == {" "}:  # a list of names has numbers of its own; rows of numbers have no words
        is_numbered = is_aligned and all(map(_WORDS.search, (filled[0][1], filled[-1][1])))
    else:
        is_numbered = is_aligned or bool(_WORDS.search(filled[0][1]))
    if not is_numbered or ("|" in signs and _are_rows(match for _, match in found)):
        return None
    sign = next(iter(signs)).strip(" ")
    number = rf" {{0,8}}\d{{1,7}}(?: {{0,4}}{re.escape(sign)})" if sign else r" {0,8}\d{1,7}"
    return partial(without, re.compile(rf"{number} ?|{_ONLY_NUMBER.pattern}"))


_NUMBER_AND_TAB = re.compile(r" {0,8}\d{1,7}(?:\t|$)")
_WORDS = re.compile(r"[A-Za-z]{2}|[+=-]{3}|[][{}]")


def _are_rows(numbered: Iterable[re.Match[str]]) -> bool:
    """Return whether the numbers are the first cells of rows that lack their left edge."""
    rests = (match.string[match.end() :].strip() for match in numbered)
    return all("|" in rest and not rest.startswith(("|", "+")) for rest in rests)


def _choose_inside(lines: list[str]) -> Unwrap | None:
    around = _around(lines) or _comments(lines) or _stamped_rows(lines) or _frame(lines)
    if _are_padded(lines):
        outer = around or str
        around = lambda line: outer(line.rstrip(" "))  # noqa: E731
    if _have_right_edge(lines):
        behind = around or str
        around = lambda line: _without_edge(behind(line))  # noqa: E731
    if len(lines) < _MOST_LINES and any(map(_REMARK.search, lines)):
        before = around or str
        around = lambda line: _REMARK.sub("", before(line))  # noqa: E731
    if around:
        lines = [around(line) for line in lines]
    inner = (
        choose_box_closer(lines)
        or pasted_stacks.choose_row_reader(lines)
        or pasted_tables.choose_reader(lines)
        or pasted_stacks.choose_reader(lines)
    )
    if inner is None and any(map(_BARE_TIMES.match, lines)):
        inner = _BareSlowLog()
    if around and inner:
        outside, inside = around, inner
        return lambda line: inside(outside(line))
    return around or inner


_LEAST_PADDED = 3


def _are_padded(lines: list[str]) -> bool:
    """Return whether a terminal or an editor put blanks behind every line."""
    if not lines[0].endswith(" "):
        return False
    filled = [line for line in lines if line]
    padded = sum(line.endswith(" ") for line in filled)
    return padded >= max(_LEAST_PADDED, len(filled) - 1) and any(map(str.strip, filled))


# // | Id | User |     * +----+------+     -- | 7 | app |     a table in the comment of a source
_COMMENT = re.compile(r"\s{0,8}(?://|\*|--|#) ?(?=[+|])")
_COMMENTED_RULE = re.compile(rf"{_COMMENT.pattern}\+-")
_LEAST_COMMENTED = 2


def _comments(lines: list[str]) -> Unwrap | None:
    """Return what removes the marks of comments before the lines of a table."""
    inside = sum(map(bool, map(_COMMENT.match, lines)))
    if inside < _LEAST_COMMENTED or not any(map(_COMMENTED_RULE.match, lines)):
        return None
    return partial(without, _COMMENT)


# [2026-11-20 22:15:03]| 7 | app | Query |     a collector put the time before each row of a box
_STAMPED = re.compile(
    r"\s{0,4}\[?(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"
    r"\]?:? {0,2}(?P<row>(?:\||\+-).*[|+])\s*$"
)
_LEAST_STAMPED = 2


def _stamped_rows(lines: list[str]) -> Unwrap | None:
    """Return what moves the time before the rows of boxes above each listing."""
    rows = [match for line in lines if (match := _STAMPED.match(line))]
    names = next((row["row"] for row in rows if row["row"].startswith("|")), None)
    bars = sum(line.rstrip().endswith("|") for line in lines)
    if names is None or len(rows) < max(_LEAST_STAMPED, bars):
        return None
    return _StampedRows(names, repeats=sum(row["row"] == names for row in rows) > 1)


class _StampedRows:
    """Puts the time above the names of each listing; each time has a listing if names are rare."""

    def __init__(self, names: str, *, repeats: bool) -> None:
        self._names, self._repeats = names, repeats
        self._stamp = ""

    def __call__(self, line: str) -> str:
        match = _STAMPED.match(line)
        if match is None:
            return line
        row, stamp = match["row"], match["stamp"]
        if row == self._names:
            self._stamp = stamp
            return f"{stamp}\n{row}"
        if self._repeats or stamp == self._stamp or not row.startswith("|"):
            return row
        self._stamp = stamp
        return f"{stamp}\n{self._names}\n{row}"


# | Uptime: 15  Threads: 3 |        a bar before and behind each line of what is no table
_FRAMED = re.compile(r"\s{0,8}\|")
_RULE_OF_TABLE = re.compile(r"\s{0,8}\|(?: ?:?-+:? ?\|)+\s*$")
_RULE_INSIDE = re.compile(r"\s{0,8}\| ?\+-[-+]*\+ *\|\s*$")
_LEAST_FRAMED = 3


def _frame(lines: list[str]) -> Unwrap | None:
    """Return what removes the bars around every line: of text, or around a box."""
    filled = [line for line in lines if line.strip()]
    if len(filled) < _LEAST_FRAMED or not _is_in_nearly_all(_FRAMED, filled):
        return None
    if sum(line.rstrip().endswith("|") for line in filled) < len(filled) - len(filled) // 10:
        return None
    rules = list(filter(_RULE_OF_TABLE.match, filled))
    if any(rule.count("|") > len("||") for rule in rules):
        return None
    ends = Counter(len(line.rstrip()) for line in filled if line.count("|") == 2)
    is_ragged = 2 * max(ends.values(), default=0) <= sum(ends.values())  # no cells of one width
    is_text = bool(rules) or (is_ragged and 2 * sum(ends.values()) > len(filled))
    if not is_text and not any(map(_RULE_INSIDE.match, filled)):
        return None
    return _without_frame


def _without_frame(line: str) -> str:
    front, bare = _FRAMED.match(line), line.rstrip()
    if front is None or not bare.endswith("|") or front.end() > len(bare) - 1:
        return line
    return bare[front.end() : -1].removeprefix(" ").removesuffix(" ")


_EDGES = ("\u2502", "\u2503", "\u2551", "\u258f", "\u2590")
"""The border of a pane of tmux or of a boxed page, behind every line."""
_CORNER = re.compile(r"[\s>]{0,8}[\u2500-\u257f|+]")


def _have_right_edge(lines: list[str]) -> bool:
    """Return whether a border is behind nine of ten lines, and they are no cells of a table."""
    filled = [line for line in lines if line.strip()]
    inside = [line for line in filled if line.rstrip().endswith(_EDGES)]
    return len(inside) >= max(2, min(0.9 * len(filled), len(filled) - 1)) and not any(
        map(_CORNER.match, inside)
    )


# [prod] 0:bash- 1:mysql*    "db-7" 22:17 20-Nov-26        the bar of tmux below its panes
_BAR_BELOW = re.compile(r"\[[\w.-]{1,60}\] \d{1,3}:\S")


def _without_edge(line: str) -> str:
    bare = line.rstrip()
    if bare.endswith(_EDGES):
        return bare[:-1].rstrip()
    return "" if _BAR_BELOW.match(line) else line


# | 88 | app | Query | 12 |     <-- this one
_REMARK = re.compile(r"(?<![ \t])[ \t]+(?:<(?:-{1,9}|={2,9})|\u2190|\u25c4)(?:\s.*)?$")
# [{'Id': 91, 'User': 'app', 'db': None}, ...
_PYTHON_ROW = re.compile(r"\s*(?:[\[(]\s*)?\{'\w+': ")
_PYTHON_PART = re.compile(
    r"'(?P<text>(?:[^'\\]|\\.)*)'|\"(?:[^\"\\]|\\.)*\"|\b(?:None|True|False)\b"
)
_PYTHON_WORDS = {"None": "null", "True": "true", "False": "false"}


def _python_to_json(line: str) -> str:
    """Convert what Python prints of rows to JSON."""

    def converted(match: re.Match[str]) -> str:
        if match["text"] is None:
            return _PYTHON_WORDS.get(match[0], match[0])
        text = match["text"].replace("\\'", "'").replace('"', '\\"')
        return f'"{text}"'

    return _PYTHON_PART.sub(converted, line)


class _BareSlowLog:
    """Puts the number signs before the fields of each entry of a slow log that lost them."""

    def __init__(self) -> None:
        self._in_fields = False

    def __call__(self, line: str) -> str:
        begins = _BARE_ENTRY.match(line) or _BARE_TIMES.match(line)
        self._in_fields = bool(begins or (self._in_fields and _BARE_FIELD.match(line)))
        return f"# {line}" if self._in_fields else line


def _around(lines: list[str]) -> Unwrap | None:
    filled = [line for line in lines if line.strip()]
    if sum(bool(_COLOUR.search(line)) for line in filled) >= max(2, 0.5 * len(filled)):
        inside = _in_front([_COLOUR.sub("", line) for line in lines]) or str
        return lambda line: inside(_COLOUR.sub("", line))
    return _in_front(lines)


def _in_front(lines: list[str]) -> Unwrap | None:
    filled = [line for line in lines if line.strip()]
    if len(filled) == 1 and _CLOCK_BEFORE_ENTRY.match(filled[0]):
        return partial(without, _CLOCK_BEFORE_ENTRY)
    if len(filled) < 2:
        return None
    for pattern in (_QUOTE, *_VIEWERS, *_MARGINS):
        if _is_in_nearly_all(pattern, filled):
            bare = [without(pattern, line) for line in filled]
            inside = choose_unwrapper("\n".join([*bare, ""])) or without_docker_times(bare) or str
            return lambda line: inside(without(pattern, line))
    rows = [line for line in filled if _ROW_OF_CODE.match(line)]
    if _is_in_nearly_all(_CODE, filled) or (
        len(rows) >= _LEAST_CODE and not any(map(_BARE_ROW.match, filled))
    ):
        return lambda line: _CODE.sub(r"\g<line>", line)
    entries = [line for line in filled if _ENTRY.search(line[:_MOST_BEFORE])]
    if entries and _is_in_nearly_all(_BEFORE_ENTRY, entries) and not _are_fields(entries, filled):
        return partial(without, _BEFORE_ENTRY)
    if not filled[0].startswith((" ", "\t")):
        return None
    starts = [match[0] for line in filled if (match := _INDENT.match(line))]
    if len(starts) < 0.9 * len(filled) or not any(map(_AT_MARGIN.match, filled)):
        return None
    indent = re.compile(re.escape(min(starts, key=len)))
    return lambda line: without(indent, line)


def _are_fields(entries: list[str], filled: list[str]) -> bool:
    """Return whether entries are values of objects, as of a journal, that hold other values too."""
    if len(filled) - len(entries) <= len(filled) // 10:
        return False
    return any((match := _BEFORE_ENTRY.match(line)) and '":' in match[0] for line in entries)


def _between_quotes(lines: list[str]) -> Unwrap | None:
    """Return what removes the quotes around every line, as around cells of a spreadsheet."""
    filled = [line for line in lines if line.strip()]
    is_quoted = len(filled) > 1 and all(map(_BETWEEN_QUOTES.fullmatch, filled))
    return _without_quotes if is_quoted else None


def _without_quotes(line: str) -> str:
    bare = line.strip()
    is_cell = len(bare) > 1 and bare.startswith('"') and bare.endswith('"')
    return bare[1:-1].replace('""', '"') if is_cell else line


def _is_in_nearly_all(pattern: re.Pattern[str], lines: list[str]) -> bool:
    """Return whether nine of ten lines begin with a pattern; it stops where it cannot be."""
    without_it = (line for line in lines if not pattern.match(line))
    return next(islice(without_it, len(lines) // 10, None), None) is None
