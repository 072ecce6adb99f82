"""Stacks of threads and their frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pileup.records.base import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame of a stack."""

    function: str
    file: str | None = None
    line: int | None = None
    library: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StackThread:
    """A thread that shows a stack."""

    number: int | None = None
    """gdb's own number: no meaning across captures."""
    pthread: int | None = None
    lwp: int | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack(Record):
    """One distinct stack in one sample, innermost frame first."""

    KIND: ClassVar[str] = "stack"

    count: int
    """Threads with this stack (times samples, when ``samples`` > 1)."""
    samples: int = 1
    event: str | None = None
    """What a profiler counted: cycles, page-faults. None: threads that a debugger stopped."""
    by_period: bool | None = None
    """True: ``count`` and ``samples`` are sums of the event's period, which varied."""
    frames: tuple[Frame, ...]
    threads: tuple[StackThread, ...] = ()
    addresses: tuple[str, ...] = ()
    """lock=, mutex=, latch addresses seen in arguments: link to SEMAPHORES addresses."""
