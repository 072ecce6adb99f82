"""Names of functions in frames, the same for frames of gdb and frames collapsed by pt-pmp.

Source: print_frame(), gdb/stack.c; the awk program ``aggregate_stacktrace`` of pt-pmp.
Names:  the bare function: no arguments, no template arguments, no ``@@GLIBC_2.3.2``, no
        ``[clone .isra.0]``; an unknown function is ``lib::??`` when its library is printed and
        ``??`` when not. Compared over 25 captures collapsed by pt-pmp: the same stacks, but for
        names that its awk cuts at "const".
"""

from __future__ import annotations

import re

from pileup.formats.stacks.parts.mangled_names import demangled
from pileup.records import Frame

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?')
_CHARACTER = re.compile(r"'(?:\\\d{1,3}|\\.|[^'\\])'")
# ... at ./nptl/futex-internal.c:57    ... at file.cc:1354:3    ... from /lib64/libc.so.6
_AT = re.compile(r" at (?P<file>\S+?):(?P<line>\d{1,9})(?::\d+)?\s*$")
_FROM = re.compile(r" from (?P<library>\S+)\s*$")
# ... () from /src/os0sync.cc:217: printed by quickstack; :0 when the line is not known
_FROM_LINE = re.compile(r"(?P<file>\S{1,500}\.(?:cc?|cpp|h|ic)):(?P<line>\d{1,9})$")
# lock=0x90075530, mutex=mutex@entry=0x16c82568, this_latch=0x7f.. but not block=0x.. (a page)
_ADDRESS = re.compile(
    r"\b(?:\w{0,40}_)?(?:rw_?lock|lock|mutex|latch)\w{0,40}="
    r"(?:[\w.]{1,80}@entry=)?(0x[0-9a-fA-F]{1,16})\b"
)
# PolicyMutex<...>::enter (this=0x29468b8, ...), TTASEventMutex, os_event
_THIS = re.compile(r"\(this=(?:this@entry=)?(0x[0-9a-fA-F]{1,16})\b")
_VERSION = re.compile(r"@@?[A-Z][\w.]+$")
_ANGLE = re.compile(r"([<>])")
_CLONE = re.compile(r" ?(?:\[clone [^\[\]]*\]|\.(?:isra|constprop|part|cold|lto_priv)\.?\d*)")
_QUALIFIERS = (" const", " volatile", " noexcept", " &", " &&")
# func(file.cc:123)  func(libc.so.6)
_PMP_PLACE = re.compile(r"(?P<function>.+)\((?:from )?(?P<place>[^()\s]+)\)$")


def gdb_frame(text: str) -> tuple[Frame, tuple[str, ...]]:
    """Parse a frame (the text after ``#N  0xADDR in``) and the latch addresses in its arguments."""
    if '"' in text:
        text = _STRING.sub('""', text)
    if "'" in text:
        text = _CHARACTER.sub("' '", text)
    file = line = library = None
    if match := _AT.search(text):
        file, line = match["file"], int(match["line"])
        text = text[: match.start()]
    elif match := _FROM.search(text):
        text = text[: match.start()]
        if place := _FROM_LINE.match(match["library"]):
            file, line = place["file"], int(place["line"]) or None
        else:
            library = match["library"]
    text = text.rstrip()
    arguments = ""
    function = text
    if text.endswith(")"):
        start = _open_of_last_group(text)
        if start > 0:
            function, arguments = text[:start], text[start:]
    addresses: tuple[str, ...] = ()
    if "=0x" in arguments or "=0X" in arguments:
        latches = _ADDRESS.findall(arguments)
        if "utex" in function and (this := _THIS.match(arguments)):
            latches.append(this[1])
        addresses = tuple(address.lower() for address in latches)
    return Frame(
        function=bare_function(function, library), file=file, line=line, library=library
    ), addresses


def open_parentheses(text: str) -> int:
    """Count the parentheses that a piece of a frame leaves open, without those in strings."""
    if '"' in text:
        text = _STRING.sub('""', text)
    if "'" in text:
        text = _CHARACTER.sub("' '", text)
    return text.count("(") - text.count(")")


def pmp_frame(text: str) -> Frame:
    """Parse an item of a collapsed line: ``func``, ``func(file.cc:123)``, ``libaio::??(lib)``."""
    text = text.strip()
    file = library = None
    line: int | None = None
    if text.endswith(")") and (match := _PMP_PLACE.match(text)):
        place = match["place"]
        name, _, number = place.rpartition(":")
        if name and number.isascii() and number.isdigit() and len(number) < 10:
            file, line, text = name, int(number), match["function"]
        elif ".so" in place:
            library, text = place, match["function"]
        text = text.rstrip()
    return Frame(function=bare_function(text, library), file=file, line=line, library=library)


def bare_function(name: str, library: str | None) -> str:
    """Return a function's name without arguments, versions and clones.

    An unknown function is ``lib::??`` if its library is known, else ``??``.
    """
    name = name.strip()
    if "@" in name:
        name = _VERSION.sub("", name)
    if "." in name or "[" in name:
        name = _CLONE.sub("", name)
    if name.startswith("_Z"):
        name = demangled(name)
    while name.endswith(_QUALIFIERS):
        name = name.rpartition(" ")[0].rstrip()
    if name.endswith(")") and not name.endswith(("operator()", "(anonymous namespace)")):
        start = _open_of_last_group(name)
        if start > 0:
            name = name[:start].rstrip()
    if "<" in name and "operator" not in name and not name.startswith("<"):
        name = _without_templates(name)
    if name in ("??", "::??", ""):
        stem = library.rsplit("/", 1)[-1].split(".", 1)[0] if library else ""
        return f"{stem}::??" if stem else "??"
    return name


def _without_templates(name: str) -> str:
    """Shorten std::thread::_State_impl<...>::_M_run to std::thread::_State_impl::_M_run.

    pt-pmp does the same. A template's symbol also names its return type ("void f<int>"), which is
    removed too.
    """
    names: list[str] = []
    depth = 0
    for part in _ANGLE.split(name):
        if part == "<":
            depth += 1
        elif part == ">":
            depth -= 1
            if depth < 0:
                return name  # not brackets: a frame that awk cut
        elif depth == 0:
            names.append(part)
    bare = "".join(names).strip()
    if depth or not bare:
        return name
    return bare if "(" in bare else bare.rpartition(" ")[2]


def _open_of_last_group(text: str) -> int:
    """Return the start of the last balanced (...) group of a text ending with ')', or -1."""
    depth = 0
    close, start = text.rfind(")"), text.rfind("(")
    while start >= 0:
        if close > start:
            depth += 1
            close = text.rfind(")", 0, close)
        else:
            depth -= 1
            if depth == 0:
                return start
            start = text.rfind("(", 0, start)
    return -1
