"""Choose the format of an artifact: ask every format about its head and explain the answer.

Content decides. A file name only breaks ties: between formats that all answer True, or for a format
that cannot decide by content alone (``None``: the one word of a pt-stalk hostname file).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pileup.formats.reading.text import Chunk
from pileup.records import Item


class Format(Protocol):
    """What a module directly in a family package (``formats/logs/slow_log.py``) offers.

    A module that such formats share lives in ``parts/``, ``reading/`` or ``unwrapping/`` and offers
    none of it. Optional constants: ``ONLY_UNCLAIMED`` (call ``sniff`` only when no earlier format
    answered True), ``LONG_LINES`` (read lines of any length: a JSON document is one line) and
    ``LINE_STARTS`` (a pattern of how its lines begin: such a line never continues a wrapped one).
    """

    @property
    def NAME(self) -> str:  # noqa: N802  # modules name their constants so
        """The id in the API, on the command line and in stored frames: 'slow-log'. Never reused."""

    @property
    def TITLE(self) -> str:  # noqa: N802
        """The name that people use: 'slow query log'. It completes 'its content is ...'."""

    @property
    def GIVES(self) -> str:  # noqa: N802
        """One sentence about the records and series it yields, for `pileup formats` and docs."""

    @property
    def PRINTED_BY(self) -> str:  # noqa: N802
        """A short list of the tools, versions and layouts that it reads."""

    @property
    def VERSION(self) -> int:  # noqa: N802
        """Part of the key of stored frames: raise it when the same bytes yield other records."""

    @property
    def HINTS(self) -> tuple[str, ...]:  # noqa: N802
        """Ends of file names that decide between formats which all claim the content."""

    def sniff(self, head: str, /) -> bool | None:
        """Whether the first 64 KB are of this format; None when content alone cannot decide."""

    def parse(self, lines: Iterable[str], /) -> Iterator[Item]:
        """Yield the records, problems and skipped lines of an artifact.

        Raises FormatError when nothing can be read. It opens no file, reads no clock and logs
        nothing; memory stays bounded.
        """
        ...


@runtime_checkable
class Bulk(Protocol):
    """A format that also reads chunks: the driver calls ``parse_chunks`` instead of ``parse``.

    Use it for artifacts of gigabytes. A chunk is some MiB of whole lines (see ``text.Chunk``), cut
    anywhere between two lines, so state carries over from chunk to chunk; tests check that the size
    of the chunks changes nothing. Read a chunk with searches, ``re`` or polars over its text, and
    yield ``records.Rows`` (many records as one frame) where single records would cost too much.
    ``parse`` is then ``return parse_chunks(make_chunks(lines))``: one code path per format. Yield a
    ``Skipped`` of more than some MiB in pieces; adjoining ones are joined.
    """

    def parse_chunks(self, chunks: Iterable[Chunk], /) -> Iterator[Item]: ...


@dataclass(frozen=True, slots=True)
class Detection:
    """The chosen format, the confidence in it, and a sentence that explains the choice."""

    format: str | None
    confidence: float
    why: str
    candidates: tuple[str, ...] = ()
    """Other formats that it may be, best first, for a person to choose from."""


def choose(formats: Sequence[Format], head: str, name: str) -> Detection:
    """Choose among formats, in the order given, by the head of an artifact and its file name.

    The format is None when the head is empty or no format claims it. Empty lines above the first
    line are no part of any format.
    """
    if _is_blank(head):
        return Detection(None, 0.0, "the file is empty")
    head = _EMPTY_LINES.sub("", head, count=1)
    yes: list[Format] = []
    maybe: list[Format] = []
    for item in formats:
        answer = not (yes and getattr(item, "ONLY_UNCLAIMED", False)) and _answer(item, head)
        if answer is True:
            yes.append(item)
        elif answer is None:
            maybe.append(item)
    return _claimed(yes, maybe, name.lower()) if yes else _named(maybe, name.lower())


def _is_blank(head: str) -> bool:
    return not head.strip("\ufffd\ufeff \t\r\n")


def choose_only(formats: Sequence[Format], head: str, name: str) -> Detection:
    """Choose the format that ``choose`` chooses, and ask no format behind it.

    A format that the file's name hints at may come before those that are earlier in the order.
    """
    lower_name = name.lower()
    if _is_blank(head) or any(_hinted(item, lower_name) for item in formats):
        return choose(formats, head, name)
    head = _EMPTY_LINES.sub("", head, count=1)
    first = next((item for item in formats if _answer(item, head) is True), None)
    return Detection(first.NAME if first else None, 0.0, "")


_EMPTY_LINES = re.compile(r"\A(?:[ \t]*+\r?\n)++")


def _answer(item: Format, head: str) -> bool | None:
    """Return a format's answer; a defect in its ``sniff`` costs this format, not the artifact."""
    try:
        return item.sniff(head)
    except _DEFECTS:
        return False


_DEFECTS = (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, RecursionError)


def _claimed(yes: list[Format], maybe: list[Format], lower_name: str) -> Detection:
    """Choose among the formats that claim the content: by file name, else by their order."""
    hinted = [item for item in yes if _hinted(item, lower_name)]
    chosen = hinted[0] if hinted else yes[0]
    rest = tuple(item.NAME for item in (*yes, *maybe) if item is not chosen)
    if len(yes) == 1:
        return Detection(chosen.NAME, 0.95, f"its content is {chosen.TITLE}", rest)
    others = ", ".join(item.TITLE for item in yes if item is not chosen)
    by = "the file name decided" if hinted else "the more specific one was taken"
    return Detection(chosen.NAME, 0.8 if hinted else 0.7, f"could also be {others}; {by}", rest)


def _named(maybe: list[Format], lower_name: str) -> Detection:
    """Choose by file name among the formats that cannot decide by content alone."""
    hinted = [item for item in maybe if _hinted(item, lower_name)]
    if len(hinted) == 1:
        chosen = hinted[0]
        rest = tuple(item.NAME for item in maybe if item is not chosen)
        why = f"its content may be {chosen.TITLE} and its name says so"
        return Detection(chosen.NAME, 0.5, why, rest)
    why = "no known format claims its first 64 KB"
    return Detection(None, 0.0, why, tuple(item.NAME for item in maybe))


def _hinted(item: Format, lower_name: str) -> bool:
    return any(lower_name.endswith(hint.lower()) for hint in item.HINTS)
