"""perf script: each sample's stack, summed.

Source: perf-script(1), process_event() and perf_sample__fprintf_callchain() in tools/perf of Linux:
        a line with command, thread, [CPU], time and event, then a frame per line, innermost first.
        Without -g the command is padded to 16 characters and the frame is on the same line;
        -F may leave out the time.
Yields: one Snapshot and a Stack per distinct stack, with the threads (LWP, name) that showed it.
        ``count`` is samples, ``samples`` the ticks of the busiest CPU (or thread): count / samples
        is how many CPUs worked there on average. Idle and waiting threads are not in it: perf sees
        what runs.
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
GIVES = "Stacks with sample counts and threads (LWP, name), innermost frame first."
PRINTED_BY = "Linux perf 3 to 6: `perf script`, with `-g` or without, `-F +srcline`"
VERSION = 2
HINTS = ("perf-script.txt", "perf.script", "out.perf", ".perf")

# mysqld 2161/2188 [001]  4066.138784:   10101010 cpu-clock:  | my conn 15941  4066.1: cycles:ppp:
#           mysqld  2161 [001]  4066.138784:   10101010 cycles:   5f3ba2 row_sel (/usr/sbin/mysqld)
_EVENT = re.compile(
    r"(?P<comm>\S.{0,30}?) +(?P<pid>-?\d{1,8})(?:/(?P<tid>\d{1,8}))? +(?:\[(?P<cpu>\d{1,5})\] +)?"
    r"(?:(?P<time>\d{1,10}\.\d{6,9}): +)?(?:(?P<period>\d{1,20}) +)?(?P<event>[\w:./,=@-]{2,80}): *"
    r"(?P<rest>.*)$"
)
_FRAME = re.compile(r"\s*(?P<address>[0-9a-f]{1,16}) (?P<rest>\S.*)$")
_OFFSET = re.compile(r"\+0x[0-9a-f]{1,16}$")
_SOURCE = re.compile(r"\s+(?P<file>[^\s:]{1,400}):(?P<line>\d{1,9})$")
_PADDED = "  "
_DISTINCT = 200_000
_DEEPEST = 512
_THREADS = 200
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether the text holds two events with times, or an event and a frame."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:400] if line.strip() and line[0] != "#"]
    frames = [line for line in lines if line[0].isspace() and _is_frame(line)]
    plain = [line for line in lines if not line[0].isspace()]
    matches = [_EVENT.match(line) for line in plain if ": " in line]
    matches += [_begins(line) for line in lines if line.startswith(_PADDED)]
    events = [match for match in matches if match]
    if not events or len(events) < 0.7 * len(plain):
        return False
    timed = sum(match["time"] is not None for match in events)
    return bool(frames) or timed >= 2


def _begins(text: str) -> re.Match[str] | None:
    """Match the event of a line whose command is padded; None for a frame."""
    if not text.startswith(_PADDED) or _FRAME.match(text):
        return None
    return _EVENT.match(text.lstrip())


def _is_frame(line: str) -> bool:
    match = _FRAME.match(line)
    return bool(match and match["rest"].endswith(")"))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Sum the samples by stack; yield a Snapshot and a Stack per distinct stack at the end.

    Raises FormatError for a file without a sample.
    """
    stacks: dict[tuple[Frame, ...], _Stack] = {}
    frames: list[Frame] = []
    known: dict[str, Frame] = {}
    event: re.Match[str] | None = None
    ticks: Counter[str] = Counter()
    begun = last = 0
    times: list[str] = []
    names: Counter[str] = Counter()
    refused = 0
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if not text.strip() or text[0] == "#":
            continue
        if text[0].isspace() and not (begins := _begins(text)):
            if event is None:
                yield Skipped(number, number, "a frame of a sample that begins above the file")
                continue
            last = number
            if (frame := _frame(text, known)) is not None:
                if len(frames) < _DEEPEST:
                    frames.append(frame)
            elif (source := _SOURCE.match(text)) and frames:
                at = int(source["line"])
                frames[-1] = replace(frames[-1], file=source["file"].rpartition("/")[2], line=at)
            else:
                yield Problem(number, "Not a frame of perf script.", found=raw[:200])
            continue
        if event is not None:
            refused += _count(stacks, frames, event, begun, last)
            frames = []
        event = begins if text[0].isspace() else _EVENT.match(text)
        if event is None:
            yield Problem(number, "Not an event of perf script.", found=raw[:200])
            continue
        begun = last = number
        ticks[event["cpu"] or event["tid"] or event["pid"]] += 1
        names[event["event"]] += 1
        if event["time"]:
            times = [times[0] if times else event["time"], event["time"]]
        if event["rest"] and (frame := _frame(event["rest"], known)) is not None:
            frames.append(frame)
    if event is not None:
        refused += _count(stacks, frames, event, begun, last)
    if not names:
        raise FormatError("No sample of perf script was found.")
    if refused:
        yield Problem(
            None,
            f"Only the first {_DISTINCT} distinct stacks are kept: {refused} samples had others.",
        )
    yield from _result(stacks, ticks, names, times)


@dataclass(slots=True)
class _Stack:
    first: int
    last: int
    count: int = 0
    threads: dict[int, str] = field(default_factory=dict)


def _count(
    stacks: dict[tuple[Frame, ...], _Stack],
    frames: list[Frame],
    event: re.Match[str],
    first: int,
    last: int,
) -> int:
    """Count a sample; return 1 if it was dropped because of too many distinct stacks, else 0."""
    key = tuple(frames) or (Frame(function="??"),)
    stack = stacks.get(key)
    if stack is None:
        if len(stacks) >= _DISTINCT:
            return 1
        stack = stacks[key] = _Stack(first, last)
    stack.count += 1
    lwp = int(event["tid"] or event["pid"])
    if lwp >= 0 and len(stack.threads) < _THREADS:
        stack.threads[lwp] = event["comm"]
    return 0


def _result(
    stacks: dict[tuple[Frame, ...], _Stack],
    ticks: Counter[str],
    names: Counter[str],
    times: list[str],
) -> Iterator[Item]:
    total, samples = sum(names.values()), max(ticks.values())
    event = names.most_common(1)[0][0]
    over = f" over {float(times[-1]) - float(times[0]):.1f} s" if times else ""
    between = f"{times[0]} to {times[-1]} s since the start of the machine" if times else None
    first = min(stack.first for stack in stacks.values())
    last = max(stack.last for stack in stacks.values())
    yield Snapshot(
        line_first=first,
        line_last=last,
        snapshot=0,
        kind="stacks",
        original=between,
    )
    yield Section(f"{total} samples of {event}{over}", first, last)
    for frames, stack in sorted(stacks.items(), key=lambda each: -each[1].count):
        yield Stack(
            line_first=stack.first,
            line_last=stack.last,
            snapshot=0,
            count=stack.count,
            samples=samples,
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
