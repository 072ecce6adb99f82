"""pt-query-digest: its report, and its --output json; and what mysqldumpslow prints.

Source: QueryReportFormatter.pm and JSONReportFormatter.pm of Percona Toolkit 2 and 3. A report has
        a profile (ranked classes), a block per query class, or both, in any order; with
        --iterations or --timeline a file holds several reports. mysqldumpslow prints a line of
        counts and the statement of each class.
Yields: a Table per report with one row per query class, always of the same COLUMNS, so that two
        digests can be compared; and the overall attributes as a second Table.
Units:  times in seconds (12us is read as 0.000012), counts as numbers: 1.85k is 1850, rounded as
        it was printed. Columns that a report does not print are NULL.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.logs.parts import query_digest_json
from pileup.formats.logs.parts.query_digest_rows import COLUMNS, Report, quantity
from pileup.records import Item, Problem, Section, Table

NAME = "query-digest"
TITLE = "pt-query-digest report"
GIVES = "A table of query classes with the same columns for every report: times in seconds, calls."
PRINTED_BY = "pt-query-digest 2 and 3: report and `--output json`; mysqldumpslow"
VERSION = 3
HINTS = ("-digest", "digest.txt", "digest_report.txt", "query-digest.json")
LONG_LINES = True

# # Overall: 368 total, 4 unique, 33.45 QPS, 23.39x concurrency ____________
_OVERALL = re.compile(r"# Overall: \S+ total, \S+ unique, ")
# #    1 0x6C545CFB55365122F1256A27240AEFC7 254.0142 98.7%   362 0.7017  0.06 INSERT sbtest?
# #    2 0xE5B8A1D1E1E7EB2A   1.0000 20.0%     1 1.0000 1.00  0.00 SELECT a b
# # MISC 0xMISC              12.0000  1.3%     9 1.3333  0.0 <7 ITEMS>
_PROFILE = re.compile(
    r"#\s+(?P<rank>\d{1,6}|MISC)\s+(?P<id>0x\w{4,40})(?:\.{3})?\s+(?P<response>[\d.]+)\s+(?P<share>[\d.]+)%"
    r"\s+(?P<calls>\d+)\s+(?P<each>[\d.]+)(?P<more>(?:\s+[\d.]+)*)\s+(?P<item>\S.*)$"
)
# # Query 1: 32.91 QPS, 23.09x concurrency, ID 0x6C545CFB55365122F1256A27240AEFC7 at byte 173931
_QUERY = re.compile(
    r"# (?:Query|Item) (?P<rank>\d{1,6}): (?P<qps>\S+) QPS, (?P<concurrency>\S+)x concurrency, "
    r"ID (?P<id>0x\w{4,40})"
)
# Count: 11  Time=2.71s (29s)  Lock=0.00s (0s)  Rows=1.0 (11), app[app]@2hosts
# Count: 1  Time=0.5s (0s)  Lock=0.0s (0s)  Rows_sent=1.0 (1), Rows_examined=9.0 (9), ..., a[a]@b
_COUNTED = re.compile(
    r"Count: (?P<calls>\d{1,18}) +Time=(?P<each>[\d.]{1,20})s \((?P<total>\d{1,18})s\)"
    r" +Lock=(?P<lock_each>[\d.]{1,20})s \((?P<lock>\d{1,18})s\)"
    r" +Rows(?:_sent)?=[\d.]{1,20} \((?P<rows>\d{1,18})\)"
    r"(?:, Rows_examined=[\d.]{1,20} \((?P<examined>\d{1,18})\))?"
    r"(?:, Rows_\w{1,20}=[\d.]{1,20} \(\d{1,18}\))*, (?P<who>.{1,400})$"
)
# # Time range: 2007-12-18 11:48:27 to 11:49:30
_RANGE = re.compile(r"# Time range: (?:all events occurred at )?(?P<first>\S+(?: [\d:.]+)?)"
                    r"(?: to (?P<last>\S+(?: [\d:.]+)?))?")  # fmt: skip
# # Exec time     98    254s   502ms      1s   702ms      1s   207ms   580ms
_ATTRIBUTE = re.compile(
    r"# (?P<name>[A-Za-z][\w ]{0,12}?)\s{1,14}(?P<values>\d\S*(?:\s+\S+){0,7})$"
)
_JSON = re.compile(r'"(?:distillate|fingerprint)"\s*:')
_STRINGS = ("Databases", "Hosts", "Users")
_MOST_QUERY = 4_000


def sniff(head: str) -> bool | None:
    """Return whether the text is a digest: a query class, a profile, totals, or JSON of classes."""
    if head.lstrip().startswith("{"):
        return query_digest_json.is_class(head) or (
            '"classes"' in head[:4000] and bool(_JSON.search(head))
        )
    text = "\n" + head
    return (
        "\n# Rank Query ID " in text
        or ("\n# Overall: " in text and bool(_OVERALL.search(head)))
        or ("\n# Query " in text and bool(_QUERY.search(head)))
        or ("\nCount: " in text and any(map(_COUNTED.match, head.split("\n"))))
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table of query classes and a Table of overall attributes for every report.

    Raises FormatError for a file without a query class.
    """
    numbered = enumerate(lines, start=1)
    number, first = next((row for row in numbered if row[1].strip()), (1, ""))
    if first.lstrip().startswith("{"):
        yield from query_digest_json.parse(number, first, numbered)
        return
    reader = _Reader()
    last = number
    for last, text in itertools.chain([(number, first)], numbered):
        yield from reader.line(last, text)
    yield from reader.end(last)


class _Reader:
    def __init__(self) -> None:
        self._report = Report()
        self._overall: list[tuple[str | None, ...]] = []
        self._overall_line = 0
        self._in_overall = False
        self._row: dict[str, str | None] | None = None
        self._sample: list[str] = []
        self._sample_size = 0
        self._tail = False
        self._reports = 0

    def line(self, number: int, text: str) -> Iterator[Item]:
        if text.startswith("Count: ") and (match := _COUNTED.match(text)):
            self._begin_class(self._report.counted(match, number))
        elif not text.startswith("#"):
            self._statement(text)
        elif match := _QUERY.match(text):
            yield from self._begin_query(number, match)
        elif text.startswith("# Profile") or _OVERALL.match(text):
            self._end_query()
            if self._report.complete(profile=text.startswith("# Profile")):
                yield from self._end_report(number - 1)
            self._in_overall = not text.startswith("# Profile")
            if self._in_overall:
                self._overall_line = number
        elif match := _PROFILE.match(text):
            self._report.add_profile(match, number)
        elif self._row is not None:
            self._read_query_line(text)
        elif self._in_overall and (match := _ATTRIBUTE.match(text)):
            values = match["values"].split()
            self._overall.append((match["name"].strip(), *values, *[None] * (7 - len(values))))

    def end(self, number: int) -> Iterator[Item]:
        self._end_query()
        yield from self._end_report(number)
        if not self._reports:
            raise FormatError(
                "No query class was found: expected '# Query 1: ... ID 0x...' or the rows of "
                "'# Profile'. Run pt-query-digest again, or upload its slow log."
            )

    def _begin_query(self, number: int, match: re.Match[str]) -> Iterator[Item]:
        self._end_query()
        if self._report.has_block(match["id"]):
            yield from self._end_report(number - 1)
        row = self._report.block(match["id"], number)
        row["rank"] = row["rank"] or match["rank"]
        row["qps"] = quantity(match["qps"])
        row["concurrency"] = quantity(match["concurrency"])
        self._begin_class(row)

    def _begin_class(self, row: dict[str, str | None]) -> None:
        self._end_query()
        self._in_overall = False
        self._row = row
        self._sample, self._sample_size, self._tail = [], 0, False

    def _read_query_line(self, text: str) -> None:
        row = self._row
        assert row is not None
        if text.startswith(("# Tables", "# EXPLAIN", "# Query_time distribution")):
            self._tail = True
        elif match := _RANGE.match(text):
            first, last = match["first"], match["last"]
            if last and first and len(last) < len(first) and " " in first:
                last = f"{first.partition(' ')[0]} {last}"
            row["first_seen"], row["last_seen"] = first, last or first
        elif not self._tail and (word := text[2:].split(" ", 1))[0] in _STRINGS:
            row[word[0].lower()] = word[1].strip() or None if len(word) > 1 else None
        elif not self._tail and (match := _ATTRIBUTE.match(text)):
            self._report.attribute(row, match["name"].strip(), match["values"].split())

    def _statement(self, text: str) -> None:
        if self._row is None or self._row["query"] or not text.strip():
            return
        if self._sample_size < _MOST_QUERY:
            self._sample.append(text)
            self._sample_size += len(text) + 1
        if text.rstrip().endswith("\\G"):
            self._take_sample()

    def _take_sample(self) -> None:
        if self._row is not None and self._sample and not self._row["query"]:
            whole = "\n".join(self._sample).strip()
            self._row["query"] = whole.removesuffix("\\G").strip()[:_MOST_QUERY]
        self._sample, self._sample_size = [], 0

    def _end_query(self) -> None:
        self._take_sample()
        self._row = None

    def _end_report(self, number: int) -> Iterator[Item]:
        report, self._report = self._report, Report()
        overall, self._overall = self._overall, []
        if report.rows:
            self._reports += 1
            first = min(report.first, self._overall_line or report.first)
            last = max(number, report.first)
            yield Section(f"{len(report.rows)} query classes", first, last)
            yield Table(
                line_first=report.first,
                line_last=last,
                name="query digest",
                columns=COLUMNS,
                rows=tuple(report.table()),
            )
            if damaged := report.without_numbers():
                yield Problem(
                    damaged,
                    "A query class without its times; its numbers are left empty.",
                )
        if overall:
            yield Table(
                line_first=self._overall_line,
                line_last=self._overall_line + len(overall),
                name="query digest, overall",
                columns=("attribute", "total", "min", "max", "avg", "95%", "stddev", "median"),
                rows=tuple(overall),
            )
