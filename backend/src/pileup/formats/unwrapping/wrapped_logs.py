"""Unwrap log lines that a container, a shipper or a journal wrapped.

Source: containers: Docker's json-file driver, ``docker logs -t``, the CRI log of Kubernetes;
        shippers: fluent-bit, fluentd, vector; exports of CloudWatch Logs and Cloud Logging;
        ``journalctl -o json``, ``json-pretty``, ``export`` (MESSAGE);
        MySQL 8's own log_sink_json (the error log as JSON, one object per line).
            {"log":"2023-05-01T10:00:00.123456Z 0 [Note] ...\\n","stream":"stderr","time":"..."}
            2023-05-02T04:00:00.123456789Z stderr F 2023-05-02T04:00:00.123456Z 0 [Note] ...
            { "prio": 2, "err_code": 10931, "msg": "...", "time": "2023-05-02T04:00:01.1Z", ... }
Gives:  the wrapped text. The times of a container are dropped where the server prints its own;
        they stay in front of lines that have none. A journal becomes lines of syslog and
        log_sink_json those of the traditional sink.
Note:   a wrapper is peeled when half of the first lines have it; a line without it (written by the
        shipper itself) stays as it is. A message of several lines gives several logical lines
        for one raw line.
Parts:  Docker cuts a line at 16 KB (its json-file entries then do not end with a line feed), and so
        does the CRI (P, the last part F). The parts become one line again, at the last of them; the
        others become empty lines. Parts of stdout and stderr are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from pileup.json_values import json_value

Unwrap = Callable[[str], str]
"""Unwraps a raw line, perhaps to several lines; a line that is not wrapped is returned as it is."""

# 2023-05-02T04:00:00.123456789Z stderr F message      (F: whole, P: part of a long line)
_CRI = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d)) "
    r"(?P<stream>std(?:out|err)) (?P<part>[FP]) ?"
)
# Nine decimals, as Docker prints them: MySQL prints six.
_DOCKER_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ")
_OWN_TIME = re.compile(
    r"\s*(?:\d{4}-\d\d-\d\d[T ]|\d{6} [ \d]\d:|TS \d|[A-Z][a-z]{2} [ \d]\d \d\d:"
    r"|\d\d:\d\d:\d\d|# Time)"
)
_IN_BLOCK = re.compile(r"[+|]|\*{3}|-{2}|={5}|Thread \d|TID \d|#\d|\{|[^\t]*\t[^\t]*\t")
_WORDS = ("log", "message", "MESSAGE", "textPayload")
_MOST_LINES = 200
_LONGEST = 1024 * 1024
"""Characters of a line joined from parts; a longer line is yielded in pieces."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 253_402_300_799_000_000
"""The last microsecond of year 9999."""


def choose_unwrapper(head: str) -> Unwrap | None:
    """Return what unwraps the lines of a text that begins like this; None when none is wrapped."""
    whole = head.split("\n")[:_MOST_LINES]
    if len(whole) > 1:
        whole.pop()  # the head may end inside a line
    lines = [line for line in whole if line.strip()]
    enough = max(1, len(lines) / 2)
    if sum(_unwrapped(line) is not None for line in lines) >= enough:
        texts = [entry[1] for line in lines if (entry := _docker(line))]
        if any(text.endswith("\n") for text in texts):
            return _Docker(keeps_time=_need_times(texts))
        return _unwrap_json
    if all(map(_PRETTY_LINE.match, lines)) and any(map(_PRETTY_TIME.match, lines)):
        return _JournalExport(_PRETTY_FIELD)
    if len(lines) > _LEAST_IN_ARRAY and all(map(_OF_ARRAY.match, lines)):
        return _element
    if all(map(_OF_JSON.match, lines)) and any(_OWN_TIME.match(_field(line)) for line in lines):
        return _field
    if any(map(_EXPORTED_TIME.match, lines)) and any(map(_EXPORTED_MESSAGE.match, lines)):
        return _JournalExport(_EXPORTED_FIELD)
    if (
        lines
        and _AWS_EVENT.match(lines[0])
        and any(_OWN_TIME.match(_of_aws(line)) for line in lines)
    ):
        return _of_aws
    if sum(bool(_CRI.match(line)) for line in lines) >= enough:
        return _Cri(keeps_time=_need_times([without(_CRI, line) for line in lines]))
    return without_docker_times(lines)


def without_docker_times(lines: Sequence[str]) -> Unwrap | None:
    """Return what removes the times of ``docker logs -t``; None when these lines need them.

    A line that prints no time of its own keeps Docker's, unless it is one of many that a table, a
    dump or a stack consists of.
    """
    filled = [line for line in lines if line.strip()]
    texts = [line[match.end() :] for line in filled if (match := _DOCKER_TIME.match(line))]
    if not texts or len(texts) < len(filled) / 2:
        return None
    return None if _need_times(texts) else partial(without, _DOCKER_TIME)


def _need_times(texts: Sequence[str]) -> bool:
    """Return whether no line prints a time of its own or is a part of a table, dump or stack."""
    return not any(_OWN_TIME.match(text) or _IN_BLOCK.match(text) for text in texts)


class _Parts:
    """Joins the parts of a line, by stream."""

    def __init__(self) -> None:
        self._held: dict[str, list[str]] = {}
        self._sizes: dict[str, int] = {}

    def add(self, stream: str, text: str, *, goes_on: bool) -> str:
        """Return the whole line with its last part; an empty line before."""
        held = self._held.setdefault(stream, [])
        held.append(text)
        size = self._sizes[stream] = self._sizes.get(stream, 0) + len(text)
        if goes_on and size < _LONGEST:
            return ""
        del self._held[stream], self._sizes[stream]
        return "".join(held)


class _Docker:
    """Unwraps Docker's json-file: an entry without a line feed at its end continues in the next."""

    def __init__(self, *, keeps_time: bool) -> None:
        self._parts = _Parts()
        self._keeps_time = keeps_time

    def __call__(self, line: str) -> str:
        found = _docker(line)
        if found is None:
            return _unwrap_json(line)
        stream, text, time = found
        text = text.replace("\r", "")
        whole = self._parts.add(stream, text.removesuffix("\n"), goes_on=text[-1:] != "\n")
        return f"{time} {whole}" if self._keeps_time and whole else whole


class _Cri:
    """Unwraps the CRI's log: the next line continues a part marked P."""

    def __init__(self, *, keeps_time: bool) -> None:
        self._parts = _Parts()
        self._keeps_time = keeps_time

    def __call__(self, line: str) -> str:
        match = _CRI.match(line)
        if match is None:
            return line
        goes_on = match["part"] == "P"
        whole = self._parts.add(match["stream"], line[match.end() :], goes_on=goes_on)
        return f"{match['time']} {whole}" if self._keeps_time and whole else whole


def _docker(line: str) -> tuple[str, str, str] | None:
    """Return (stream, text, time) of an entry of Docker's json-file driver; None: another line."""
    if not line.startswith('{"log":'):
        return None
    found = json_value(line, dict[str, Any])
    if found is None:
        return None
    text, stream = found.get("log"), found.get("stream")
    if not isinstance(text, str) or stream not in ("stdout", "stderr"):
        return None
    time = found.get("time")
    return (stream, text, time[:40]) if isinstance(time, str) else None


def without(pattern: re.Pattern[str], line: str) -> str:
    """Return the line without the match of a pattern at its beginning."""
    match = pattern.match(line)
    return line[match.end() :] if match else line


def _unwrap_json(line: str) -> str:
    text = _unwrapped(line)
    return line if text is None else text


def _unwrapped(line: str) -> str | None:
    begin = line.lstrip()[:1]
    if not begin or begin not in "{[":
        return None
    if begin == "[":
        return _entries(json_value(line, list[dict[str, Any]]) or [])
    return _entry(json_value(line, dict[str, Any]) or {})


def _entries(entries: list[dict[str, Any]]) -> str | None:
    """Return the texts of an export of many entries in one line, of which any prints its time."""
    texts = [_entry(found) for found in entries]
    whole = [text for text in texts if text is not None]
    if len(whole) < len(texts) or not any(map(_OWN_TIME.match, whole)):
        return None
    return "\n".join(whole)


# EVENTS  1795213203000  2026-11-20T22:20:03.0Z 0 [Note] ...  1795213203000     aws logs, as text
_AWS_EVENT = re.compile(r"EVENTS\t(?:\d{30,60}\t\d{13}\t[^\t]{1,512}\t|\d{13}\t)")
_AWS_TIME = re.compile(r"\t\d{13}$")


def _of_aws(line: str) -> str:
    """Return what a log printed of an event, whose further lines have nothing in front."""
    return _AWS_TIME.sub("", without(_AWS_EVENT, line))


# A line of a JSON document with a field in each:  "textPayload": "2026-11-20T22:15:03.0Z 0 [Note]",
_OF_JSON = re.compile(r'\s*(?:[\[\]{}]+,?|"[^"]{1,200}": .*)\s*$')
_FIELD = re.compile(r'\s*"(?P<name>[^"]{1,64})": (?P<text>"(?:[^"\\]|\\.)*"),?\s*$')


# ["line", "line"]: an array of lines, one in each line
_OF_ARRAY = re.compile(r'\s*(?:\[|\],?|(?P<text>"(?:[^"\\]|\\.)*"),?)\s*$')
_LEAST_IN_ARRAY = 3


def _element(line: str) -> str:
    """Return the text of a line of an array of texts; its brackets become empty."""
    match = _OF_ARRAY.match(line)
    if match is None:
        return line
    return str(json_value(match["text"] or '""') or "").removesuffix("\n").replace("\r", "")


def _field(line: str) -> str:
    """Return the text of a log in a line of an indented document; its other lines become empty."""
    if not _OF_JSON.match(line):
        return line
    match = _FIELD.match(line)
    if match is None or match["name"] not in _WORDS:
        return ""
    return str(json_value(match["text"]) or "").removesuffix("\n").replace("\r", "")


def _entry(found: dict[str, Any]) -> str | None:
    if "__REALTIME_TIMESTAMP" in found:
        return _journal_lines(found)
    if "err_code" in found and "msg" in found:
        return _error_log_line(found)
    payload = found.get("jsonPayload")
    for word in _WORDS:
        text = found.get(word, payload.get(word) if isinstance(payload, dict) else None)
        if isinstance(text, str):
            return text.removesuffix("\n").replace("\r", "")
    return None


def _journal_lines(entry: dict[str, Any]) -> str | None:
    """Convert a journal entry to lines of ``journalctl -o short-iso-precise``."""
    message = entry.get("MESSAGE")
    if isinstance(message, list):  # bytes that are no text
        if not all(isinstance(item, int) and 0 <= item < 256 for item in message):
            return None
        message = bytes(message).decode("utf-8", "replace")
    at = str(entry["__REALTIME_TIMESTAMP"])
    if not isinstance(message, str) or not (at.isascii() and at.isdigit()) or int(at) > _LAST:
        return None
    when = (_EPOCH + timedelta(microseconds=int(at))).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    program = entry.get("SYSLOG_IDENTIFIER") or entry.get("_COMM") or "unknown"
    pid = entry.get("_PID") or entry.get("SYSLOG_PID")
    tag = f"{program}[{pid}]" if pid else program
    before = f"{when} {entry.get('_HOSTNAME') or 'unknown'} {tag}: "
    return "\n".join(before + line for line in message.rstrip("\n").split("\n"))


_EXPORTED_TIME = re.compile(r"__REALTIME_TIMESTAMP=\d{16}$")
_EXPORTED_MESSAGE = re.compile(r"MESSAGE=")
_EXPORTED_FIELD = re.compile(r"(?P<name>[A-Z_][A-Z0-9_]{0,63})=(?P<value>.*)$")
# "MESSAGE" : "2026-11-20T22:19:58.123456Z 0 [ERROR] ...",            journalctl -o json-pretty
_PRETTY_FIELD = re.compile(
    r'\s*"(?P<name>[A-Z_][A-Z0-9_]{0,63})"\s?:\s(?P<json>"(?:[^"\\]|\\.)*"|\[[\d, ]*\]|null),?\s*$'
)
_PRETTY_LINE = re.compile(rf"(?:\s*[{{}}\[\]],?\s*$|\s+\d{{1,3}},?\s*$|{_PRETTY_FIELD.pattern})")
_PRETTY_TIME = re.compile(r'\s*"__REALTIME_TIMESTAMP"\s?:\s"\d{16}"')


class _JournalExport:
    """Unwraps ``journalctl -o export`` and ``-o json-pretty``: a field per line.

    An empty line, or one with a bracket, is behind each entry.
    """

    def __init__(self, field: re.Pattern[str]) -> None:
        self._field = field
        self._entry: dict[str, Any] = {}

    def __call__(self, line: str) -> str:
        if match := self._field.match(line):
            starts = match["name"] == "__CURSOR" or match["name"] in self._entry
            whole = self._finish() if starts else ""
            self._entry[match["name"]] = _value(match)
            # without the empty line behind the last entry nothing else would end it
            return whole or (self._finish() if match["name"] == "MESSAGE" else "")
        return line if line.strip(" \t{}[],") else self._finish()

    def _finish(self) -> str:
        entry, self._entry = self._entry, {}
        return (
            _journal_lines(entry) or "" if {"MESSAGE", "__REALTIME_TIMESTAMP"} <= set(entry) else ""
        )


def _value(field: re.Match[str]) -> Any:
    """Return the value of an exported field, which ``-o json-pretty`` prints as JSON."""
    if "json" not in field.re.groupindex:
        return field["value"]
    value = json_value(field["json"])
    return field["json"] if value is None and field["json"] != "null" else value


def _error_log_line(entry: dict[str, Any]) -> str | None:
    """Convert a log_sink_json entry to the line that the traditional sink prints."""
    message, when, code = entry["msg"], entry.get("time"), entry["err_code"]
    if not isinstance(message, str) or not isinstance(when, str):
        return None
    thread, label = entry.get("thread", 0), entry.get("label", "Note")
    number = f"MY-{code:06}" if isinstance(code, int) else code
    return f"{when} {thread} [{label}] [{number}] [{entry.get('subsystem') or 'Server'}] {message}"
