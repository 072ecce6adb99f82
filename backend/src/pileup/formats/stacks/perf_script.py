"""perf script: each sample's stack, summed.

Source: perf-script(1), process_event() and perf_sample__fprintf_callchain() in tools/perf of Linux:
        a line with command, thread, [CPU], time and event, then a frame per line, innermost first.
        Without -g the command is padded to 16 characters and the frame is on the same line;
        -F may leave out the time.
Yields: per kind of event a Snapshot and a Stack per distinct stack, with the threads (LWP, name)
        that showed it. ``count`` is samples, ``samples`` the ticks of the busiest CPU (or thread):
        count / samples is how many CPUs worked there on average. Where the period varies from
        sample to sample, both are sums of periods: a sample of 72 page faults counts 72. Idle
        and waiting threads are not in it: perf sees what runs.
Time:   perf prints seconds since the machine started, so the file's own time applies.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from pileup.formats.errors import FormatError
from pileup.formats.stacks.parts.function_names import bare_function
from pileup.records import Frame, Item, Problem, Section, Skipped, Snapshot, Stack, StackThread

NAME = "perf-script"
TITLE = "perf script"
GIVES = "Stacks per kind of event, by samples or by period, with threads (LWP, name)."
PRINTED_BY = "Linux perf 3 to 6: `perf script`, with `-g` or without, `-F +srcline`"
VERSION = 5
HINTS = ("perf-script.txt", "perf.script", "out.perf", ".perf")

# mysqld 2161/2188 [001]  4066.138784:   10101010 cpu-clock:  | my conn 15941  4066.1: cycles:ppp:
#           mysqld  2161 [001]  4066.138784:   10101010 cycles:   5f3ba2 row_sel (/usr/sbin/mysqld)
_EVENT = re.compile(
    r"(?P<comm>\S.{0,30}?) +(?P<pid>-?\d{1,8})(?:/(?P<tid>\d{1,8}))? +(?:\[(?P<cpu>\d{1,5})\] +)?"
    r"(?:(?P<time>\d{1,10}\.\d{3,9}): +)?(?:(?P<period>\d{1,20}) +)?(?P<event>[\w:./,=@-]{2,80}): *"
    r"(?P<rest>.*)$"
)
_FRAME = re.compile(r"\s*(?P<address>[0-9a-f]{1,16}) (?P<rest>\S.*)$")
_OFFSET = re.compile(r"\+0x[0-9a-f]{1,16}$")
_SOURCE = re.compile(r"\s+(?P<file>[^\s:]{1,400}):(?P<line>\d{1,9})$")
_PADDED = "  "
_DISTINCT = 200_000
_MOST_COUNT = 2**63 - 1
_DEEPEST = 512
_THREADS = 200
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether the text holds two events with times, or an event and a frame."""
    lines = [
        line[:_LONGEST].rstrip()
        for line in head.split("\n")[:400]
        if line.strip() and line[0] != "#"
    ]
    begins = [
        _begins(line) if line[0].isspace() else _EVENT.match(line) for line in lines if ":" in line
    ]
    events = [match for match in begins if match]
    if not events:
        return False
    plain = sum(
        not line[0].isspace() and (not _is_frame(line) or bool(_EVENT.match(line)))
        for line in lines
    )
    if len(events) < 0.7 * plain:
        return False
    timed = sum(match["time"] is not None for match in events)
    return timed >= 2 or any(_is_frame(line) and not _EVENT.match(line) for line in lines)


def _begins(text: str) -> re.Match[str] | None:
    """Match the event of a line whose command is padded; None for a frame."""
    if not text.startswith(_PADDED) or _FRAME.match(text):
        return None
    return _EVENT.match(text.lstrip())


def _is_frame(line: str) -> bool:
    """Return whether a line ends as a frame does: with its file in brackets, behind a blank.

    pt-pmp prints a count, which may be an address, and no blank before brackets.
    """
    match = _FRAME.match(line)
    return bool(match and match["rest"].endswith(")") and " (" in f" {match['rest']}")


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Sum the samples by stack; yield a Snapshot and a Stack per distinct stack at the end.

    Raises FormatError for a file without a sample.
    """
    profile = _Profile()
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if text and text[0] != "#":
            yield from profile.line(number, text)
    yield from profile.end()


@dataclass(slots=True)
class _Stack:
    first: int
    last: int
    count: int = 0
    period: int = 0
    threads: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Event:
    """The samples of one kind of event."""

    stacks: dict[tuple[Frame, ...], _Stack] = field(default_factory=dict)
    samples: int = 0
    ticks: Counter[str] = field(default_factory=Counter)
    """Samples by CPU (or thread)."""
    periods: Counter[str] = field(default_factory=Counter)
    """The sum of periods by CPU (or thread)."""
    period: int | None = None
    varies: bool = False


class _Profile:
    def __init__(self) -> None:
        self._events: dict[str, _Event] = {}
        self._known: dict[str, Frame] = {}
        self._frames: list[Frame] = []
        self._begun: re.Match[str] | None = None
        self._first = self._last = self._distinct = self._refused = 0
        self._times: list[str] = []

    def line(self, number: int, text: str) -> Iterator[Item]:
        begins = _begins(text) if text[0].isspace() else _EVENT.match(text)
        if begins is not None:
            self._count()
            self._begin(number, begins)
        elif not text[0].isspace() and not _is_frame(text):
            self._count()
            self._begun = None
            yield Problem(number, "Not an event of perf script.", found=text[:200])
        elif self._begun is None:
            yield Skipped(number, number, "a frame of a sample that begins above the file")
        else:
            self._last = number
            yield from self._frame(number, text)

    def _frame(self, number: int, text: str) -> Iterator[Item]:
        if (frame := _frame(text, self._known)) is not None:
            if len(self._frames) < _DEEPEST:
                self._frames.append(frame)
        elif (source := _SOURCE.match(text)) and self._frames:
            name = source["file"].rpartition("/")[2]
            self._frames[-1] = replace(self._frames[-1], file=name, line=int(source["line"]))
        else:
            yield Problem(number, "Not a frame of perf script.", found=text[:200])

    def _begin(self, number: int, begins: re.Match[str]) -> None:
        self._begun, self._frames = begins, []
        self._first = self._last = number
        if begins["time"]:
            self._times = [self._times[0] if self._times else begins["time"], begins["time"]]
        if begins["rest"] and (frame := _frame(begins["rest"], self._known)) is not None:
            self._frames.append(frame)

    def _count(self) -> None:
        """Count the sample that ends."""
        begun = self._begun
        if begun is None:
            return
        event = self._events.get(begun["event"])
        if event is None:
            event = self._events[begun["event"]] = _Event()
        period = int(begun["period"] or 1)
        where = begun["cpu"] or begun["tid"] or begun["pid"]
        event.samples += 1
        event.ticks[where] += 1
        event.periods[where] += period
        event.varies = event.varies or event.period not in (None, period)
        event.period = period
        key = tuple(self._frames) or (Frame(function="??"),)
        stack = event.stacks.get(key)
        if stack is None:
            if self._distinct >= _DISTINCT:
                self._refused += 1
                return
            self._distinct += 1
            stack = event.stacks[key] = _Stack(self._first, self._last)
        stack.count += 1
        stack.period += period
        lwp = int(begun["tid"] or begun["pid"])
        if lwp >= 0 and len(stack.threads) < _THREADS:
            stack.threads[lwp] = begun["comm"]

    def end(self) -> Iterator[Item]:
        self._count()
        if not self._events:
            raise FormatError("No sample of perf script was found.")
        if self._refused:
            yield Problem(
                None,
                f"Only the first {_DISTINCT} distinct stacks are kept: {self._refused} samples had "
                "others.",
            )
        ranked = sorted(self._events.items(), key=lambda each: -each[1].samples)
        for snapshot, (name, event) in enumerate(ranked):
            yield from _result(snapshot, name.rstrip(":"), event, self._times)


def _result(snapshot: int, name: str, event: _Event, times: list[str]) -> Iterator[Item]:
    """Yield the Snapshot, Section and Stacks of one kind of event."""
    if not event.stacks:
        return
    over = f" over {float(times[-1]) - float(times[0]):.1f} s" if times else ""
    between = f"{times[0]} to {times[-1]} s since the start of the machine" if times else None
    first = min(stack.first for stack in event.stacks.values())
    last = max(stack.last for stack in event.stacks.values())
    yield Snapshot(
        line_first=first, line_last=last, snapshot=snapshot, kind="stacks", original=between
    )
    weighted = f", {sum(event.periods.values())} by their periods" if event.varies else ""
    yield Section(f"{event.samples} samples of {name}{weighted}{over}", first, last)
    samples = max((event.periods if event.varies else event.ticks).values())
    for frames, stack in sorted(event.stacks.items(), key=lambda each: -each[1].count):
        yield Stack(
            line_first=stack.first,
            line_last=stack.last,
            snapshot=snapshot,
            count=min(stack.period if event.varies else stack.count, _MOST_COUNT),
            samples=min(samples, _MOST_COUNT),
            event=name,
            by_period=event.varies,
            frames=frames,
            threads=tuple(StackThread(lwp=lwp, name=name) for lwp, name in stack.threads.items()),
        )


def _frame(text: str, known: dict[str, Frame]) -> Frame | None:
    match = _FRAME.match(text)
    if match is None or not match["rest"].endswith(")"):
        return None
    rest = match["rest"]
    frame = known.get(rest)
    if frame is None:
        function, _, place = rest.rpartition(" (")
        place = place.removesuffix(")")
        library = place if ".so" in place or place.startswith("[") else None
        if library in ("[unknown]", "[kernel.kallsyms]", "[guest.kernel.kallsyms]"):
            library = None if library == "[unknown]" else "kernel"
        function = _OFFSET.sub("", function)
        if function in ("[unknown]", ""):
            function = "??"
        frame = Frame(function=bare_function(function, library), library=library)
        if len(known) < _DISTINCT:
            known[rest] = frame
    return frame
