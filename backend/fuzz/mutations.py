"""Mutations of captured text that a fuzzer of bytes rarely finds: numbers, zones, years, lines.

Pure functions of text and a random generator, for the custom mutator of the target ``analysis``.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ZONE = re.compile(r"[+-]\d\d:?\d\d\b|\bUTC\b|\bSYSTEM\b|(?<=\d)Z\b")
_NUMBERS = (
    "0", "-1", "1e306", "1e308", "-1e308", "nan", "inf", "4294967296", "6000000000", "999999999",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "18446744073709.551615",
    "9" * 40, "9" * 309, "1e-320", "2147483648", "0.0000001", "",
)  # fmt: skip
_ZONES = (
    "+99:99", "+41:30", "-12:45", "+14:00", "Factory", "posixrules", "localtime", "right/UTC",
    "SYSTEM", "America/St_Johns", "Europe/Berlin", "../x", "-00:00", "CST", "Z",
)  # fmt: skip
_YEARS = ("0000", "0001", "1899", "1969", "1970", "1999", "2038", "2106", "2262", "9999", "12026")
_MOST_CHANGES = 12


def mutated(text: str, others: Sequence[str], rng: random.Random) -> str:
    """Apply one to four random mutations. others: texts to splice from."""
    for _ in range(rng.randint(1, 4)):
        text = rng.choice(_ALL)(text, others, rng)
    return text


def _replaced(pattern: re.Pattern[str], values: Sequence[str]) -> _Mutation:
    def mutate(text: str, _: Sequence[str], rng: random.Random) -> str:
        places = list(pattern.finditer(text))
        for match in sorted(
            rng.sample(places, min(len(places), rng.randint(1, _MOST_CHANGES))),
            key=lambda match: -match.start(),
        ):
            text = text[: match.start()] + rng.choice(values) + text[match.end() :]
        return text

    return mutate


def _all_of_one_number(text: str, _: Sequence[str], rng: random.Random) -> str:
    places = _NUMBER.findall(text)
    return text.replace(rng.choice(places), rng.choice(_NUMBERS)) if places else text


def _scaled(text: str, _: Sequence[str], rng: random.Random) -> str:
    digits = rng.randint(1, 12)
    least = rng.randint(1, 6)
    return re.sub(rf"\b\d{{{least},}}\b", lambda m: m[0] + "0" * digits, text)


def _shuffled(text: str, _: Sequence[str], rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    start, end = sorted(rng.randint(0, len(lines)) for _ in range(2))
    part = lines[start:end]
    rng.shuffle(part)
    return "".join([*lines[:start], *part, *lines[end:]])


def _repeated(text: str, _: Sequence[str], rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    start, end = sorted(rng.randint(0, len(lines)) for _ in range(2))
    return "".join([*lines[:end], *lines[start:end] * rng.randint(1, 30), *lines[end:]])


def _spliced(text: str, others: Sequence[str], rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    other = rng.choice(others).splitlines(keepends=True)
    start, end = sorted(rng.randint(0, len(other)) for _ in range(2))
    at = rng.randint(0, len(lines))
    return "".join([*lines[:at], *other[start:end], *lines[at:]])


def _truncated(text: str, _: Sequence[str], rng: random.Random) -> str:
    start, end = sorted(rng.randint(0, len(text)) for _ in range(2))
    return text[start:] if rng.random() < 0.3 else text[:end]


def _joined(text: str, others: Sequence[str], rng: random.Random) -> str:
    return text + SEPARATOR + rng.choice(others)


SEPARATOR = "\n==== another file ====\n"
"""Between the files of one input: an incident of several files."""
_Mutation = Callable[[str, Sequence[str], random.Random], str]
_ALL: tuple[_Mutation, ...] = (
    _replaced(_NUMBER, _NUMBERS), _replaced(_NUMBER, _NUMBERS), _replaced(_ZONE, _ZONES),
    _replaced(_YEAR, _YEARS), _all_of_one_number, _scaled, _shuffled, _repeated, _spliced,
    _truncated, _joined,
)  # fmt: skip
