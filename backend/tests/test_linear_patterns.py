"""No pattern of any module backtracks: four times the text costs four times, of any character.

A pattern is tried with the methods that its own module calls, also where the module cuts the text
before: a limit may go. Nothing here compares seconds with a constant of this machine.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import pileup
from pileup.formats.logs.parts import known_messages
from tests.support.cpu import cpu_seconds, growth
from tests.support.rounds import Rounds

_RUNS = (" ", "\t", "\n", "9", "a", "a ", "1 ", "1,", "a,", "a.", "a:", "A_", "|", "| ", "(", ")")
_RUNS += ("[", "{", "*", "-", "+", "#", "=", "'", '"', "`", "/", ":", "%", "\\", "--", "0x", "é")
_RUNS += (",", "a=1 ")
_AROUND = (("", ""), ("a", "\n!"), ("1", " !"))
_CHARACTERS = 2_000
_CALL = re.compile(r"\b(\w+)\.(match|fullmatch|search|sub|subn|finditer|findall|split)\b")
_STEPS_PER_CHARACTER = 8
"""Of a plain scan: what more takes is looked at, and so is any square of ``_CHARACTERS``."""
_DEEPEST = 4
_GROWTH = 8
"""Of four times the text: a plain scan grows by 4, a square by 16."""
_NO_CODE = ("migrations", "__main__", "pileup.runtime")


def test_no_pattern_takes_quadratic_time(rounds: Rounds) -> None:
    scan = min(cpu_seconds(lambda: re.findall(r"\w|\W", "a " * 50_000)) for _ in range(3)) / 1e5
    slow = []
    for name, pattern, method in rounds.in_turn(_patterns(), 3):
        for run, make in _texts(pattern):
            seconds = cpu_seconds(_call(pattern, method, make(1)))
            if seconds < _STEPS_PER_CHARACTER * scan * _CHARACTERS:
                continue
            eight = cpu_seconds(_call(pattern, method, make(8)))
            if eight > 2 * 8 * seconds and _grows(pattern, method, make):
                slow.append(f"{name}.{method}: {run!r}")
                break
    assert slow == []


@pytest.mark.parametrize(
    ("pattern", "run", "grows"),
    [(r"(.*?)\s*[(]", " ", True), (r"[-.]*-[-.]*x", "-", True), (r"(?:a|b)+?x", "a", False)],
)
def test_a_pattern_that_backtracks_is_found(pattern: str, run: str, grows: bool) -> None:
    assert _grows(re.compile(pattern), "match", lambda times: run * (times * 500)) is grows


def _grows(pattern: re.Pattern[str], method: str, make: Callable[[int], str]) -> bool:
    """Return whether four times the text takes much more than four times as long."""
    short, long = _call(pattern, method, make(2)), _call(pattern, method, make(8))
    return growth(short, long) >= _GROWTH


def _call(pattern: re.Pattern[str], method: str, text: str) -> Callable[[], object]:
    given = text.encode() if isinstance(pattern.pattern, bytes) else text
    if method in ("sub", "subn"):
        return lambda: getattr(pattern, method)(given[:0], given)
    if method == "finditer":
        return lambda: sum(1 for _ in pattern.finditer(given))  # type: ignore[arg-type]
    return lambda: getattr(pattern, method)(given)


def _texts(pattern: re.Pattern[str]) -> Iterator[tuple[str, Callable[[int], str]]]:
    for run in _RUNS:
        for before, after in _AROUND:
            count = _CHARACTERS // len(run)

            def make(
                times: int, run: str = run, before: str = before, after: str = after, n: int = count
            ) -> str:
                return before + run * (times * n) + after

            yield f"{before}{run}...{after}", make


def _patterns() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Yield every compiled pattern of the package, once, with each method that is called on it."""
    expression, _ = known_messages._expression()
    yield "known_messages", expression, "match"
    seen = set()
    for info in pkgutil.walk_packages(pileup.__path__, "pileup."):
        if any(part in info.name for part in _NO_CODE):
            continue
        module = importlib.import_module(info.name)
        methods = defaultdict(set)
        for name, method in _CALL.findall(Path(module.__file__ or "").read_text("utf-8")):
            methods[name].add(method)
        for name, value in list(vars(module).items()):
            for pattern in _inside(value):
                if pattern not in seen:
                    seen.add(pattern)
                    for method in sorted(methods[name] or {"match"}):
                        yield f"{info.name}.{name}", pattern, method


def _inside(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth < _DEEPEST and isinstance(value, dict):
        for item in (*value, *value.values()):
            yield from _inside(item, depth + 1)
    elif depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _inside(item, depth + 1)
    elif depth < _DEEPEST and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _inside(getattr(value, field.name, None), depth + 1)
