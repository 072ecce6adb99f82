"""Stacks that bpftrace and bcc counted keep their counts, their threads and what was counted."""

from __future__ import annotations

import random

import pytest

from pileup.formats.errors import FormatError
from pileup.formats.stacks import traced_stacks
from pileup.records import Skipped, Stack
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples(traced_stacks.NAME), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def stacks(text: str) -> list[tuple[list[str], int, str | None, bool | None]]:
    return [
        ([frame.function for frame in item.frames], item.count, item.event, item.by_period)
        for item in traced_stacks.parse(text.split("\n"))
        if isinstance(item, Stack)
    ]


@pytest.mark.seeds(8, 200)
def test_every_stack_has_its_count_in_both_tools(seed: int) -> None:
    dice = random.Random(seed)
    names = ["fsync", "os_file_flush_func", "schedule_timeout", "pthread_cond_wait", "do_command"]
    wanted: dict[tuple[str, ...], int] = {}
    bpftrace, bcc = "", ""
    for _ in range(dice.randint(1, 6)):
        frames = tuple(dice.choices(names, k=dice.randint(1, 4)))
        count = dice.randrange(1, 10**6)
        wanted[frames] = wanted.get(frames, 0) + count
        bpftrace += "@[\n" + "".join(f"    {name}+{dice.randrange(99)}\n" for name in frames)
        bpftrace += f"]: {count}\n"
        bcc += "".join(f"    {name}\n" for name in frames)
        bcc += f"    -                mysqld ({dice.randrange(1, 9)})\n        {count}\n\n"
    for text in (bpftrace, bcc):
        assert {tuple(frames): count for frames, count, _, _ in stacks(text)} == wanted


def test_both_stacks_of_a_key_and_the_command_are_read() -> None:
    text = "@off[\n    schedule+61\n    futex_wait+12\n,\n    pthread_mutex_lock+9\n, mysqld]: 31\n"
    ((frames, count, event, by_period),) = stacks(text)
    assert frames == ["schedule", "futex_wait", "pthread_mutex_lock"]
    assert (count, event, by_period) == (31, "@off", False)


def test_a_header_or_the_scheduler_says_that_time_off_the_cpu_was_summed() -> None:
    stack = "    poll\n    -                mysqld (7)\n        9123\n"
    head = "Tracing off-CPU time (us) of all threads by user + kernel stack... Hit Ctrl-C to end.\n"
    assert stacks(stack) == [(["poll"], 9123, "samples", False)]
    assert stacks(head + stack) == [(["poll"], 9123, "off-CPU us", True)]
    assert stacks(f"    schedule\n{stack}") == [(["schedule", "poll"], 9123, "off-CPU us", True)]


def test_the_thread_of_bcc_is_that_of_the_stack() -> None:
    text = "".join(
        f"    poll\n    -                {name}\n        {count}\n\n"
        for name, count in (("my conn (7)", 3), ("x (8)", 4))
    )
    (stack,) = (item for item in traced_stacks.parse(text.split("\n")) if isinstance(item, Stack))
    assert (stack.count, [(t.lwp, t.name) for t in stack.threads]) == (
        7,
        [(7, "my conn"), (8, "x")],
    )


def test_a_stack_whose_count_is_cut_is_reported() -> None:
    text = "    poll\n    -                mysqld (7)\n        3\n\n    fsync\n    do_fsync\n"
    items = list(traced_stacks.parse(text.split("\n")))
    assert [(s.line_first, s.why) for s in items if isinstance(s, Skipped)] == [
        (5, "a stack without its count")
    ]
    with pytest.raises(FormatError, match="No stack"):
        list(traced_stacks.parse(["    fsync"]))
