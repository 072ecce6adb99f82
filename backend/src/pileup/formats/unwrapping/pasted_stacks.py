"""Convert stacks that other debuggers print to gdb's layout.

Source: lldb ``thread backtrace all`` (``bt all``): Thread::GetStatus(), StackFrame.cpp;
        ``coredumpctl info`` and the journal of systemd-coredump (elfutils' frames); ``thread 2``
        and ``bt`` typed one after the other in gdb; crash reports of macOS (``Thread 17:: name``);
        kernel stacks of /proc; gdb's threads whose frames lost their numbers (a list in an issue);
        quickstack (``fsync:os_file_fsync:fil_flush``).
            * thread #1, name = 'mysqld', stop reason = signal SIGSTOP
                frame #0: 0x00000001a9 libsystem_kernel.dylib`poll + 8
                frame #1: 0x0000000104 mysqld`f(this=0x0) at f.cc:12:3 [opt]
            Stack trace of thread 8509:
            #0  0x00007f3a1e2797e9 __futex_abstimed_wait_common (libc.so.6 + 0x6d7e9)
Gives:  ``Thread 1 ( "mysqld"):`` and ``#0  0x... in poll () from libsystem_kernel.dylib``.
"""

from __future__ import annotations

import re

from pileup.formats.unwrapping.wrapped_logs import Unwrap

_LLDB_THREAD = re.compile(
    r"[\s*]*thread #(?P<number>\d{1,9})(?:: tid = (?P<tid>0x[0-9a-f]{1,16}|\d{1,18}))?\b"
)
_LLDB_NAME = re.compile(r"\bname = '(?P<name>[^']{1,100})'")
_LLDB_FRAME = re.compile(
    r"[\s*]*frame #(?P<level>\d{1,5}): (?P<address>0x[0-9a-f]{1,16}) "
    r"(?:(?P<library>[^`\s]{1,200})`)?(?P<text>.*)$"
)
_LLDB_TAIL = re.compile(r"(?: \[(?:opt|inlined|artificial)\])+\s*$")
_LLDB_OFFSET = re.compile(r" \+ \d{1,9}$")
_LLDB_PLACE = re.compile(r" at (?P<file>[^\s:]{1,500}):(?P<line>\d{1,9})(?::\d{1,9})?$")
_CORE_THREAD = re.compile(r"\s*Stack trace of thread (?P<lwp>\d{1,18}):\s*$")
_CORE_FRAME = re.compile(
    r"\s*#(?P<level>\d{1,5}) {0,2}(?P<address>0x[0-9a-f]{16}) (?P<name>.{1,2000}) "
    r"\((?P<library>[^\s()]{1,300}) \+ 0x[0-9a-f]{1,16}\)\s*$"
)
# [Switching to thread 2 (Thread 0x7f852667e700 (LWP 26936))]#0  0x... in poll () from libc.so.6
_SWITCH = re.compile(
    r"(?:\(gdb\) )?\[Switching to thread (?P<number>\d{1,9}) "
    r"\((?P<ids>(?:Thread 0x[0-9a-f]{1,16} \()?(?:LWP|process) \d{1,18}\)?)\)\]"
)
# Thread 17:        Thread 18:: io        Thread 0 Crashed:: main
# 1   mysqld         0x00007fff90f1fdf1 vio_io_wait(Vio*) + 16 (viosocket.cc:120)
_APPLE_THREAD = re.compile(
    r"Thread (?P<number>\d{1,9})(?: Crashed)?:(?:: (?P<name>[^\"]{1,100}?))?\s{0,100}$"
)
_APPLE_FRAME = re.compile(
    r"(?P<level>\d{1,5}) {1,4}(?P<library>\S.{0,100}?)\s{1,100}(?P<address>0x[0-9a-f]{8,16}) "
    r"(?P<name>\S.{0,2000}?) \+ \d{1,12}(?: \((?P<file>[^\s():]{1,500}):(?P<line>\d{1,9})\))?\s*$"
)
_GDB_THREAD = re.compile(r"Thread \d{1,9} \((?:Thread 0x|LWP |process )")
# 0x00007f2a in pthread_cond_wait () from /lib64/libpthread.so.0        f (a=1) at f.cc:12
_BARE_FRAME = re.compile(
    r"\s*(?:(?:\d{1,3}[.)]|[-*\u2022]) +)?"
    r"(?P<text>(?:0x[0-9a-f]{1,16} in )?[A-Za-z_~<][^\n]{0,2000}? "
    r"\([^\n]{0,4000}\)(?: at \S+:\d+| from \S+)?)\s*$"
)
# [<0>] jbd2_log_wait_commit+0xd1/0x140        ==> /proc/1122/task/1199/stack <==
_KERNEL_FRAME = re.compile(r"\s*\[<[0-9a-f]{1,16}>\] (?P<name>[\w.]{1,200})\+0x")
_KERNEL_THREAD = re.compile(r".{0,40}/proc/(?:\d{1,9}/task/)?(?P<tid>\d{1,9})/stack\b")
_BT = re.compile(r"\(gdb\) (?:bt|where|backtrace)\b")
# 92 pthread_cond_wait < os_event_wait_low < row_search_for_mysql        pmp: 4 pread64,fil_io,...
_CALL = r"(?:\?\?|[A-Za-z_~][\w:~]{0,200})(?:\(\))?"
_CALLERS = r" {0,4}(?:<-{0,2}|\u2190) {0,4}"
_CALLEES = r" {0,4}(?:-{1,2}>|\u2192) {0,4}"
_CHAIN = re.compile(
    r"\s*(?:[A-Za-z]\w{0,20}: {1,4})?(?:(?P<count>\d{1,9})(?: ?[x\u00d7])? {1,8})?"
    rf"(?P<calls>{_CALL}(?:(?:{_CALLERS}{_CALL}){{2,200}}|(?:{_CALLEES}{_CALL}){{2,200}}"
    rf"|(?:,{_CALL}){{3,200}}))(?: ?(?:\.\.\.|\u2026))?\s*$"
)
_BETWEEN = re.compile(rf"{_CALLERS}|{_CALLEES}|,|(?<!:):(?!:)")
# pthread_cond_wait:os_event_wait_low:ha_innobase::index_read:do_command        quickstack
_PART = r"(?:\?\?|[A-Za-z_~][\w~]{0,200}(?:::[\w~]{1,200}){0,6})"
_QUICK = re.compile(rf"\s{{0,8}}(?P<calls>{_PART}(?:(?<!:):(?!:){_PART}){{3,200}})\s*$")
_QUICK_THREAD = re.compile(r"\s{0,8}Thread \d{1,9} \((?:Thread 0x[0-9a-f]{1,16} \()?LWP \d{1,9}\)")
_LONGEST_CHAIN = 8_000
# | Count | Stack |        | 31 | `poll,os_event_wait_low,ha_commit_trans` |        a wiki's table
_STACK_HEAD = re.compile(
    r"\s*\|[^|]{1,40}\|\W*(?:stack|(?:back)?trace|frames?|calls?)", re.IGNORECASE
)
_STACK_ROW = re.compile(
    rf"\s*\|\W{{0,4}}(?P<count>\d{{1,9}})\W{{0,4}}\|\s{{0,80}}`?(?P<calls>{_CALL}(?:,{_CALL}){{0,200}})`?"
    r"\s*\|\s*$"
)
_RULE = re.compile(r"[\s|:+-]+$")


def choose_row_reader(lines: list[str]) -> Unwrap | None:
    """Return what converts a table of counts and stacks to what pt-pmp prints; None without one."""
    heads = [line for line in lines if _STACK_HEAD.match(line)]
    rows = [line for line in lines if line.lstrip().startswith("|") and not _RULE.match(line)]
    stacks = [line for line in rows if len(line) <= _LONGEST_CHAIN and _STACK_ROW.match(line)]
    if len(heads) != 1 or not stacks or len(stacks) < len(rows) - 1:
        return None

    def converted(line: str) -> str:
        if line == heads[0] or (line.strip() and _RULE.match(line)):
            return ""
        match = _STACK_ROW.match(line) if len(line) <= _LONGEST_CHAIN else None
        return line if match is None else f"{match['count']:>7} {match['calls'].replace('()', '')}"

    return converted


def choose_reader(lines: list[str]) -> Unwrap | None:
    """Return what converts lines that begin like these to gdb's; None for other text."""
    if any(map(_CORE_THREAD.match, lines)) and any(map(_CORE_FRAME.match, lines)):
        return _core
    if any(map(_LLDB_THREAD.match, lines)) and any(map(_LLDB_FRAME.match, lines)):
        return _lldb
    if any(map(_SWITCH.match, lines)) and any(map(_BT.match, lines)):
        return _Session()
    if any(map(_APPLE_THREAD.match, lines)) and any(map(_APPLE_FRAME.match, lines)):
        return _apple
    if sum(map(bool, map(_KERNEL_FRAME.match, lines))) >= _LEAST_KERNEL_FRAMES:
        return _Kernel()
    if any(map(_QUICK_THREAD.match, lines)) and any(map(_quick, lines)):
        return lambda line: "" if _QUICK_THREAD.match(line) else _quick(line) or line
    chains = [text for line in lines if (text := _calls(line))]
    if len(chains) >= max(1, _MOST_CHAINS * sum(map(bool, map(str.strip, lines)))):
        return lambda line: _calls(line) or line
    threads = [at for at, line in enumerate(lines[:-1]) if _GDB_THREAD.match(line)]
    if threads and all(_BARE_FRAME.match(lines[at + 1]) for at in threads):
        return _Unnumbered()
    return None


_LEAST_KERNEL_FRAMES = 2
_MOST_CHAINS = 0.25
"""Part of the lines that are chains of calls: a post has prose around them."""


def _calls(line: str) -> str | None:
    """Return a chain of calls as pt-pmp prints it, innermost first; None for any other line.

    A chain that pt-pmp's own commas join is one only behind a label.
    """
    if len(line) > _LONGEST_CHAIN or (match := _CHAIN.match(line)) is None:
        return None
    calls = match["calls"]
    if "," in calls and line[: match.start("calls")].strip(" \t\u00d7x0123456789") == "":
        return None
    names = [name.removesuffix("()") for name in _BETWEEN.split(calls)]
    if sum("_" in name or "::" in name for name in names) < len(names) / 2:
        return None  # words of a sentence
    if "->" in calls or "\u2192" in calls:
        names.reverse()
    return f"{match['count'] or 1:>7} {','.join(names)}"


def _quick(line: str) -> str | None:
    """Return a chain of calls between colons as pt-pmp prints it; None for any other line."""
    if len(line) > _LONGEST_CHAIN or (match := _QUICK.match(line)) is None:
        return None
    return f"{1:>7} {','.join(_BETWEEN.split(match['calls']))}"


class _Kernel:
    """Converts stacks of /proc/PID/stack: a line that is no frame ends one."""

    def __init__(self) -> None:
        self._level = 0

    def __call__(self, line: str) -> str:
        if match := _KERNEL_FRAME.match(line):
            self._level += 1
            return f"#{self._level - 1}  0x0 in {match['name']} () from kernel"
        self._level = 0
        if match := _KERNEL_THREAD.match(line):
            return f"Thread {match['tid']} (LWP {match['tid']}):"
        return line


class _Unnumbered:
    """Numbers the frames below the header of each thread."""

    def __init__(self) -> None:
        self._level: int | None = None

    def __call__(self, line: str) -> str:
        if _GDB_THREAD.match(line):
            self._level = 0
        elif self._level is not None and (match := _BARE_FRAME.match(line)):
            self._level += 1
            return f"#{self._level - 1}  {match['text']}"
        return line


def _apple(line: str) -> str:
    if match := _APPLE_THREAD.match(line):
        name = f' "{match["name"]}"' if match["name"] else ""
        return f"Thread {match['number']} ({name}):"
    if match := _APPLE_FRAME.match(line):
        name = match["name"] if match["name"].endswith(")") else f"{match['name']} ()"
        place = f"at {match['file']}:{match['line']}" if match["file"] else ""
        place = place or f"from {match['library'].replace(' ', '_')}"
        return f"#{match['level']}  {match['address']} in {_apart(name)} {place}"
    return line


class _Session:
    """Converts a gdb session of one ``bt`` per thread: each becomes a thread's header."""

    def __init__(self) -> None:
        self._header = ""

    def __call__(self, line: str) -> str:
        if match := _SWITCH.match(line):
            self._header = f"Thread {match['number']} ({match['ids']}):"
            return ""
        if self._header and _BT.match(line):
            header, self._header = self._header, ""
            return header
        # Of the frame that is selected: ``bt`` prints it again.
        return "" if self._header and line.startswith("#") else line


def _core(line: str) -> str:
    if match := _CORE_THREAD.match(line):
        return f"Thread {match['lwp']} (LWP {match['lwp']}):"
    if match := _CORE_FRAME.match(line):
        name = "??" if match["name"] == "n/a" else match["name"]
        return f"#{match['level']}  {match['address']} in {name} () from {match['library']}"
    return line


def _lldb(line: str) -> str:
    if match := _LLDB_FRAME.match(line):
        text = _LLDB_TAIL.sub("", match["text"])
        before = f"#{match['level']}  {match['address']} in "
        if place := _LLDB_PLACE.search(text):
            name = text[: place.start()]
            name += "" if name.endswith(")") else " ()"
            return f"{before}{_apart(name)} at {place['file']}:{place['line']}"
        name = _LLDB_OFFSET.sub("", text)
        name += "" if name.endswith(")") else " ()"
        library = f" from {match['library']}" if match["library"] else ""
        return f"{before}{_apart(name)}{library}"
    if match := _LLDB_THREAD.match(line):
        named = _LLDB_NAME.search(line)
        name = f' "{named["name"]}"' if named else ""
        lwp = f"LWP {int(match['tid'], 0)}" if match["tid"] else ""
        return f"Thread {match['number']} ({lwp}{name}):"
    return line


def _apart(text: str) -> str:
    """Put a blank before the arguments as gdb does: they are the last balanced parentheses."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return text if text[at - 1 : at] == " " else f"{text[:at]} {text[at:]}"
    return text
