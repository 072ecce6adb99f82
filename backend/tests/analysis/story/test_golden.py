"""The sentences of every sample and capture, and that people can read them.

``golden.json`` holds them; a change that alters one edits the file, so that its review reads it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pileup.analysis.contract import Analysis
from pileup.analysis.story import MOST_WORDS
from tests.support.captures import (
    REPOSITORY,
    analysis_of,
    of_captures,
    of_samples,
    on_samples,
    sample,
)

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text(encoding="utf-8"))
_DOUBLED = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_ONE_OF_MANY = re.compile(r"(?<![\d.,\u202f])1 (?:sessions|statements|transactions|threads)\b")
_MANY_OF_ONE = re.compile(r"\b(?:[2-9]|\d{2,}) (?:session|statement|transaction|thread)\b")
_UNIT = re.compile(
    r"%|s\b|min\b|h\b|days\b|sessions?\b|statements?\b|transactions?\b|rows\b|per second"
)
_ALONE = re.compile(r"(?<![\w(:.])\d[\d\u202f.]*(?![\w:.%\u202f])")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d ")
_NAMED = re.compile(r"(?:(?:session|thread|trx|from|to|about|usually about|of) |=)$")


def readable(text: str) -> None:
    """Assert that a sentence is short, whole and grammatical, and its numbers have units."""
    assert len(text.split()) <= MOST_WORDS
    assert text.endswith(".")
    assert text[0].isupper()
    assert "  " not in text
    assert not _DOUBLED.search(text), text
    assert not _ONE_OF_MANY.search(text), text
    assert not _MANY_OF_ONE.search(text), text
    assert not re.search(r"\bNone\b|\bnan\b|0x", text), text
    text = _DATE.sub("", text)
    for number in _ALONE.finditer(text):
        after, before = text[number.end() :].lstrip(), text[: number.start()]
        assert _UNIT.match(after) or _NAMED.search(before), (text, number[0])


def check(name: str, analysis: Analysis) -> None:
    story, sentence = analysis.story, analysis.headline.story
    assert story is not None
    assert {"story": sentence, "plain": story.plain} == GOLDEN[name]
    readable(sentence)
    readable(story.plain)
    for line in story.impact.sentences:
        readable(line)
    assert not re.search(r"latch|lock|session \d|\.cc|queue|fsync", story.plain), "no internals"
    assert re.search(r"fewer|next to no|delayed|refused|slower", story.plain), "no effect on users"
    root = analysis.roots[0] if analysis.roots else None
    if root is not None and root.session_id is not None and root.share >= 0.6:
        assert f"session {root.session_id}" in sentence
    for fix in story.fixes:
        if fix.command and fix.command.startswith("KILL"):
            assert re.fullmatch(r"KILL \d+", fix.command)


ALL = [name for name in GOLDEN if "/" not in name]
CAPTURES = [name.removeprefix("captures/") for name in GOLDEN if "/" in name]


@of_samples(ALL)
def test_a_sample_has_its_sentence(name: str) -> None:
    check(name, analysis_of(sample(name)))


@of_captures(CAPTURES)
def test_a_capture_has_its_sentence(name: str, captures: Path) -> None:
    check(f"captures/{name}", analysis_of(captures / name))


@pytest.mark.parametrize(
    "text",
    [
        "For 60 s, 1 sessions waited.",
        "For 60 s, 12 session waited.",
        "For 60 s, the the server stalled.",
        "For 60 s, 80 waited.",
        "For 60 s the server stalled",
        " ".join(["Word"] * 26) + ".",
    ],
)
def test_what_nobody_should_read_is_noticed(text: str) -> None:
    with pytest.raises(AssertionError):
        readable(text)


@on_samples
def test_the_readme_shows_how_the_text_begins() -> None:
    shown = (
        (REPOSITORY / "README.md").read_text(encoding="utf-8").split("artifacts\n```\n\n```\n")[1]
    )
    headline = analysis_of(sample("hot-row")).headline
    text = f"{headline.story} {headline.text}"
    assert text.startswith(" ".join(shown.partition("```")[0].split()))
