"""Log lines that something else wrapped, as the lines that they were.

Source: containers: Docker's json-file driver, ``docker logs -t``, the CRI log of Kubernetes;
        shippers: fluent-bit, fluentd, vector, CloudWatch Logs; ``journalctl -o json`` (MESSAGE);
        MySQL 8's own log_sink_json (the error log as JSON, one object per line).
            {"log":"2023-05-01T10:00:00.123456Z 0 [Note] ...\\n","stream":"stderr","time":"..."}
            2023-05-02T04:00:00.123456789Z stderr F 2023-05-02T04:00:00.123456Z 0 [Note] ...
            { "prio": 2, "err_code": 10931, "msg": "...", "time": "2023-05-02T04:00:01.1Z", ... }
Gives:  the wrapped text. The times of a container are dropped: the server prints its own. A journal
        becomes lines of syslog and log_sink_json those of the traditional sink.
Note:   a wrapper is peeled when half of the first lines have it; a line without it (what the
        shipper itself said) stays as it is. A message of several lines gives several logical lines
        for one raw line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import msgspec

Unwrap = Callable[[str], str]
"""A raw line to what it wrapped, which may be several lines; itself when it is not wrapped."""

# 2023-05-02T04:00:00.123456789Z stderr F message      (F: whole, P: part of a long line)
_CRI = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}(?:Z|[+-]\d\d:\d\d) std(?:out|err) [FP] ?"
)
# Nine decimals, as Docker prints them: MySQL prints six.
_DOCKER_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ")
_WORDS = ("log", "message", "MESSAGE")
_LOOKED_AT = 200
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 253_402_300_799_000_000
"""The last microsecond of year 9999."""


def wrapper_of(head: str) -> Unwrap | None:
    """What unwraps the lines of a text that begins like this; None when they are not wrapped."""
    whole = head.split("\n")[:_LOOKED_AT]
    if len(whole) > 1:
        whole.pop()  # the head may end inside a line
    lines = [line for line in whole if line.strip()]
    enough = max(1, len(lines) / 2)
    if sum(_unwrapped(line) is not None for line in lines) >= enough:
        return _unwrap_json
    for pattern in (_CRI, _DOCKER_TIME):
        if sum(bool(pattern.match(line)) for line in lines) >= enough:
            return partial(_without, pattern)
    return None


def _without(pattern: re.Pattern[str], line: str) -> str:
    match = pattern.match(line)
    return line[match.end() :] if match else line


def _unwrap_json(line: str) -> str:
    found = _unwrapped(line)
    return line if found is None else found


def _unwrapped(line: str) -> str | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        found = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return None
    if "__REALTIME_TIMESTAMP" in found:
        return _of_journal(found)
    if "err_code" in found and "msg" in found:
        return _of_error_log(found)
    for word in _WORDS:
        if isinstance(text := found.get(word), str):
            return text.removesuffix("\n").replace("\r", "")
    return None


def _of_journal(entry: dict[str, Any]) -> str | None:
    """A line of ``journalctl -o short-iso-precise`` per line of the message."""
    message = entry.get("MESSAGE")
    if isinstance(message, list):  # bytes that are no text
        if not all(isinstance(one, int) and 0 <= one < 256 for one in message):
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


def _of_error_log(entry: dict[str, Any]) -> str | None:
    """The line that the traditional sink prints of the same event."""
    message, when, code = entry["msg"], entry.get("time"), entry["err_code"]
    if not isinstance(message, str) or not isinstance(when, str):
        return None
    thread, label = entry.get("thread", 0), entry.get("label", "Note")
    number = f"MY-{code:06}" if isinstance(code, int) else code
    return f"{when} {thread} [{label}] [{number}] [{entry.get('subsystem') or 'Server'}] {message}"
