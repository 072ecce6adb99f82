"""kubectl describe pod, its events alone, and kubectl get pods: why and when containers ended.

Source: describePod(), describeContainerState() and DescribeEvents() of kubectl; oc alike.
Yields: an Event for the end of a container (kind oom_kill where the reason is OOMKilled), for its
        start, and for each row of Events; its limits, requests and restarts as settings. Of a list
        of pods, an Event for each that waits or ended in an error (kind oom_kill as above).
Time:   of containers absolute. Events print only their age, so they have no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Event, Item, Setting, Skipped

NAME = "kubectl-describe"
TITLE = "kubectl describe pod, kubectl get pods"
GIVES = "Ends and starts of containers, kills for lack of memory, events; limits as settings."
PRINTED_BY = "`kubectl describe pod`, `kubectl get pods`, `kubectl get events`; `oc`"
VERSION = 4
HINTS = ("describe.txt", "-describe-pod.txt")

_STATE = re.compile(r"\s{2,8}(?P<which>(?:Last )?State):\s+(?P<state>Running|Waiting|Terminated)")
_FIELD = re.compile(
    r"\s{2,12}(?P<name>Reason|Exit Code|Signal|Started|Finished|Message):\s+(?P<value>\S.*)"
)
_RESTARTS = re.compile(r"\s{2,8}Restart Count:\s+(\d{1,9})\s*$")
_CONTAINER = re.compile(r"  (?P<name>[a-z\d][a-z\d.-]{0,62}):\s*$")
_RESOURCES = re.compile(r"\s{2,8}(?P<what>Limits|Requests):\s*$")
_RESOURCE = re.compile(r"\s{4,12}(?P<name>[\w./-]{2,60}):\s+(?P<value>\d\S{0,30})\s*$")
_HEAD = re.compile(r"\s*Type\s+Reason\s+Age\s+From\s+Message\s*$")
_EVENT = re.compile(
    r"\s*(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w{2,60})\s+"
    r"(?P<age>(?:\d{1,6}[smhdy]){1,3}|<unknown>|<invalid>)(?:\s+\((?P<often>x\d[^)]{1,40})\))?\s+"
    r"(?P<from>\S{1,80}(?:, \S{1,80})?)\s+(?P<message>\S.*)$"
)
# LAST SEEN   TYPE      REASON    OBJECT        MESSAGE
_SEEN_HEAD = re.compile(
    r"\s*(?:NAMESPACE\s+)?LAST SEEN\s+(?:FIRST SEEN\s+)?TYPE\s+REASON\s+OBJECT\s+(?:SUBOBJECT\s+)?"
)
_SEEN = re.compile(
    r"\s*(?:[a-z\d][a-z\d-]{0,62}\s+)?(?P<age>(?:\d{1,6}[smhdy]){1,3}|<unknown>)\s+"
    r"(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w{2,60})\s+"
    r"(?P<object>[a-z]{2,40}/\S{1,120})\s+(?P<message>\S.*)$"
)
_REPORTER = re.compile(r"(?:kubelet|default-scheduler|[a-z-]{2,40}-controller)\b")
# NAME READY STATUS RESTARTS AGE        mysql-0   0/4   OOMKilled   1 (16s ago)   20m
_LIST_HEAD = re.compile(r"\s*NAME\s+READY\s+STATUS\s+RESTARTS\b")
_LISTED = re.compile(
    r"\s{0,8}(?P<name>[a-z\d][a-z\d./-]{2,120})\s+\d{1,3}/\d{1,3}\s+"
    r"(?P<status>[A-Z][A-Za-z:/\d]{2,60})\s+(?P<restarts>\d{1,6})\b"
)
_HEADS = (_HEAD, _LIST_HEAD, _SEEN_HEAD)
_FAILED = re.compile(r"OOMKilled|CrashLoopBackOff|Error|Evicted|NodeLost|ContainerStatusUnknown")
_POD = re.compile(r"(?P<what>Node|Name|Status|QoS Class):\s+(?P<value>\S.{0,200})$")
_OOM = "OOMKilled"
_LONGEST = 2_000


def sniff(head: str) -> bool | None:
    """Return whether the text has the state of a container with its count of restarts or reason."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:1000]]
    if any(map(_LIST_HEAD.match, lines)) and any(map(_LISTED.match, lines)):
        return True
    if any(map(_SEEN.match, lines)):
        return True
    events = [match for line in lines if (match := _EVENT.match(line))]
    if any(map(_HEAD.match, lines)) and events:
        return True
    if any(_REPORTER.match(match["from"]) for match in events):
        return True  # rows that somebody copied without their heading
    if "State:" not in head:
        return False
    states = sum(_STATE.match(line) is not None for line in lines)
    proofs = sum(bool(_RESTARTS.match(line) or _FIELD.match(line)) for line in lines)
    return states > 0 and proofs > 0


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield Events and Settings; the rest of the description is skipped."""
    reader = _Reader()
    for number, raw in enumerate(lines, start=1):
        yield from reader.line(number, raw[:_LONGEST].rstrip())
    yield from reader.end_state()


class _Reader:
    def __init__(self) -> None:
        self._container: str | None = None
        self._state: dict[str, str] = {}
        self._first = self._last = 0
        self._resources = ""

    def line(self, number: int, text: str) -> Iterator[Item]:
        """Read the next line."""
        if match := _STATE.match(text):
            yield from self.end_state()
            self._first = self._last = number
            self._state = {"which": match["which"], "state": match["state"]}
            return
        if self._state and (match := _FIELD.match(text)):
            self._last = number
            self._state.setdefault(match["name"], match["value"])
            return
        yield from self.end_state()
        if match := _RESTARTS.match(text):
            yield self._setting(number, "restarts", match[1])
        elif match := _RESOURCES.match(text):
            self._resources = match["what"].lower()
        elif self._resources and (match := _RESOURCE.match(text)):
            yield self._setting(number, f"{self._resources}.{match['name']}", match["value"])
        elif (match := _EVENT.match(text)) or (match := _SEEN.match(text)):
            yield _event(number, match)
        elif match := _LISTED.match(text):
            yield from _listed(number, match)
        else:
            self._resources = ""
            if match := _CONTAINER.match(text):
                self._container = match["name"]
            elif match := _POD.match(text):
                yield self._setting(number, match["what"].lower(), match["value"])
            elif text.strip() and not any(head.match(text) for head in _HEADS):
                yield Skipped(number, number, "a part of the description that nothing uses")

    def _setting(self, number: int, name: str, value: str) -> Setting:
        return Setting(
            line_first=number,
            line_last=number,
            name=name,
            value=value,
            source=NAME,
            section=self._container,
        )

    def end_state(self) -> Iterator[Item]:
        """Yield the Event of the state that was read."""
        state, self._state = self._state, {}
        if not state:
            return
        reason = state.get("Reason")
        is_end = state["state"] == "Terminated"
        when = read_stamp(state.get("Finished" if is_end else "Started", "").replace(",", "", 1))
        what = f"Container {self._container}" if self._container else "A container"
        details = [reason] if reason else []
        if code := state.get("Exit Code"):
            details.append(f"exit code {code}")
        if message := state.get("Message"):
            details.append(message)
        verb = {"Running": "started", "Waiting": "waits"}.get(state["state"], "ended")
        is_failure = is_end and state.get("Exit Code") != "0"
        yield Event(
            line_first=self._first,
            line_last=self._last,
            wall_us=when[0] if when else None,
            clock=when[1] if when else None,
            kind="oom_kill" if reason == _OOM else "log",
            severity="error" if is_failure else "note",
            subsystem="kubernetes",
            code=reason,
            message=f"{what} {verb}" + (f": {', '.join(details)}" if details else ""),
        )


def _listed(number: int, match: re.Match[str]) -> Iterator[Item]:
    """Yield the Event of a pod in a list that waits or ended in an error; skip any other."""
    status = match["status"]
    if not _FAILED.search(status):
        yield Skipped(number, number, "a pod without an error")
        return
    yield Event(
        line_first=number,
        line_last=number,
        kind="oom_kill" if _OOM in status else "log",
        severity="error",
        subsystem="kubernetes",
        code=status,
        message=f"Pod {match['name']}: {status}, {match['restarts']} restarts",
    )


def _event(number: int, match: re.Match[str]) -> Event:
    found = match.groupdict().get("often")
    often = f" ({found})" if found else ""
    return Event(
        line_first=number,
        line_last=number,
        kind="log",
        severity="warning" if match["type"] == "Warning" else "note",
        subsystem="kubernetes",
        code=match["reason"],
        message=f"{match['reason']}: {match['message']}{often}, {match['age']} ago",
    )
