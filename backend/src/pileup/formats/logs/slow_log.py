"""The slow query log, 5.0 to 9.x, with the extra lines of Percona and MariaDB.

Source: MYSQL_QUERY_LOG::write() (File_query_log::write_slow() since 5.7), sql/log.cc;
        log_slow_extra (8.0.14+); log_slow_verbosity of Percona and MariaDB.
Yields: a Query per entry, the server's version from each banner, and per second of the log
        slow_log.queries, .query_time and .lock_time: what ended in that second.
Time:   when the statement ended: ``# Time:`` with a zone (5.7+), or before that SET timestamp (an
        epoch, of the moment of logging; since 8.0.14 it is the start, and # Time is present). A
        ``# Time:`` without a zone is printed only when the second changes, and applies until then.
Note:   Percona may write a sample: ``weight`` is how many statements an entry represents, and the
        rates count it so. Sampled sessions have no weight: which of them is logged says nothing of
        the others.
        Statements are cut at MOST_QUERY characters; the record's lines lead to the full text.
        A line of a statement that looks like a header begins an entry: the log does not escape it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import polars as pl

from pileup.formats.logs.parts.slow_log_fields import ALWAYS_WRITTEN_S, extract_fields
from pileup.formats.reading.pt_stalk_samples import clock_event
from pileup.formats.reading.text import Chunk, make_chunks
from pileup.records import SAMPLE, Item, Problem, Rows, Setting, Skipped, build_frame

NAME = "slow-log"
TITLE = "slow query log"
GIVES = (
    "Queries with their times, rows, session, transaction, InnoDB's waits and each further field "
    "that is printed, weighted when the log is sampled; `slow_log.queries`, `.query_time`, "
    "`.lock_time` per second."
)
PRINTED_BY = "MySQL 5.0 to 9.x with `log_slow_extra`, Percona, MariaDB; microseconds, rotated files"
VERSION = 5
HINTS = ("slow.log", "-slow_log", "slowlog", "-slow.log")

MOST_QUERY = 8_192

# # Time: 071015 21:43:52
# # User@Host: root[root] @ localhost []
# # User: user[user] @ [1.2.3.4]
# # Query_time: 2  Lock_time: 0  Rows_sent: 1  Rows_examined: 0
_MARK = re.compile(r"\n# (?:(Time: ?)|(User(?:@Host)?: ?)|(Query_time: ))")
_HEADER = re.compile(r"(?:#[^\n]*\n(?:[^\s#;][^;\n]{0,200}\n(?=#(?: \w{1,40}: |\n)))?)*", re.ASCII)
"""A line of it that a mail wrapped goes on, above another line of the header."""
# /usr/sbin/mysqld, Version: 5.7.12-0ubuntu1.1-log ((Ubuntu)). started with:
# Tcp port: 3306  Unix socket: /var/run/mysqld/mysqld.sock
# Time                 Id Command    Argument
_BANNER = re.compile(
    r"\n[^\n]{1,300}, Version: (\S{1,100})[^\n]{0,300}started with:\n"
    r"(?:Tcp port:[^\n]*\n)?(?:Time\s[^\n]*Argument[^\n]*\n)?"
)
_SNIFF = re.compile(r"^# Query_time: *[\d.]+ +Lock_time: ", re.MULTILINE)
_BEGINS = re.compile(r"^# (?:User@Host|Time): ", re.MULTILINE)
_SAMPLED = {
    True: "The server wrote 1 of {limit} statements: each counts as {limit}, except those of "
    f"{ALWAYS_WRITTEN_S} s and more, which are always written.",
    False: "The server wrote the statements of 1 of {limit} sessions: counts and sums are of those "
    "sessions only.",
}
"""By whether statements are drawn, and not sessions."""
_MOST_REST = 8 * 1024 * 1024
_MOST_SECONDS = 5_000_000
_ZEROS_S = 2 * 86_400
_S = 1_000_000


def sniff(head: str) -> bool | None:
    """Return True for a line of query times, None for a banner or the start of an entry alone.

    A general log has the same banner.
    """
    if "# Query_time: " in head and _SNIFF.search(head):
        return True
    begins = head.startswith("# ") and _BEGINS.search(head)
    return None if begins or _BANNER.search("\n" + head[:4000]) else False


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every entry as a Query, the banners' versions, and rates per second."""
    return parse_chunks(make_chunks(lines))


def parse_chunks(chunks: Iterable[Chunk]) -> Iterator[Item]:
    """Yield what ``parse`` yields, from chunks of text; an entry may span chunks."""
    reader = _Reader()
    for chunk in chunks:
        yield from reader.chunk(chunk)
    yield from reader.end()


class _Reader:
    def __init__(self) -> None:
        self._rest = ""
        self._line = 1
        """Number of the first line of ``_rest``."""
        self._inside = False
        """Whether the text continues a statement whose entry was already yielded."""
        self._local: int | None = None
        """The last ``# Time:`` without a zone."""
        self._clock_reported = False
        self._sampled = False
        """Whether the log is sampled, which is reported once."""
        self._seconds: list[pl.DataFrame] = []
        self._counted = 0

    def chunk(self, chunk: Chunk) -> Iterator[Item]:
        if not self._rest:
            self._line = chunk.first
        text = self._rest + chunk.text
        marks = list(_marks("\n" + text))
        starts = [at for at, _ in marks]
        end = starts[-1] if starts else 0
        if len(text) - end > _MOST_REST:  # one statement of many MiB
            yield from self._entries(text, marks, len(text))
            self._inside = True
            end = len(text)
        else:
            yield from self._entries(text, marks[:-1], end)
        self._line += text.count("\n", 0, end)
        self._rest = text[end:]

    def end(self) -> Iterator[Item]:
        yield from self._entries(self._rest, list(_marks("\n" + self._rest)), len(self._rest))
        yield from self._series()

    def _entries(
        self, text: str, marks: list[tuple[int, re.Match[str] | None]], end: int
    ) -> Iterator[Item]:
        """Yield the entries that begin at the marks, and a Problem for text before the first."""
        line = self._line
        first = marks[0][0] if marks else end
        if first:
            yield from self._before(text[:first], line)
            line += text.count("\n", 0, first)
        heads: list[str] = []
        statements: list[str] = []
        lines: list[int] = []
        lasts: list[int] = []
        for at, (start, banner) in enumerate(marks):
            stop = marks[at + 1][0] if at + 1 < len(marks) else end
            self._inside = False
            after = line + text.count("\n", start, stop)
            if banner is not None:
                yield Setting(
                    line_first=line,
                    line_last=line,
                    name="version",
                    value=banner[1],
                    source="slow log banner",
                )
            else:
                match = _HEADER.match(text, start, stop)
                body = match.end() if match else start
                heads.append(text[start:body])
                statements.append(_statement(text[body : min(stop, body + MOST_QUERY + 1024)]))
                lines.append(line)
                lasts.append(max(line, after - 1))
            line = after
        if heads:
            yield from self._rows(text, heads, statements, lines, lasts)

    def _before(self, text: str, line: int) -> Iterator[Item]:
        if text.strip() and not self._inside:
            last = line + text.count("\n") - (1 if text.endswith("\n") else 0)
            yield Problem(
                line,
                "A statement without its header; the log was cut above it.",
                found=text.strip()[:200],
            )
            yield Skipped(line, max(line, last), "a statement without its header")

    def _rows(
        self,
        text: str,
        heads: list[str],
        statements: list[str],
        lines: list[int],
        lasts: list[int],
    ) -> Iterator[Item]:
        raw = pl.DataFrame(
            {"head": heads, "sql": statements, "line_first": lines, "line_last": lasts},
            schema_overrides={"line_first": pl.Int64, "line_last": pl.Int64},
        )
        frame = extract_fields(raw, text, self._local, MOST_QUERY)
        held = frame["_local"].drop_nulls()
        if len(held):
            self._local = int(held[-1])
        if not self._clock_reported:
            yield from self._clock(frame)
        if not self._sampled:
            yield from self._sampling(frame)
        damaged = frame.filter(~pl.col("_is_entry"))
        for at, last in damaged.select("line_first", "line_last").iter_rows():
            yield Problem(
                at,
                "An entry without its Query_time; it was left out.",
                expected="# Query_time: ... Lock_time: ...",
            )
            yield Skipped(at, last, "an entry without its Query_time")
        whole = frame.filter("_is_entry")
        if whole.height:
            columns = {name: whole[name] for name in whole.columns if not name.startswith("_")}
            yield Rows("query", build_frame("query", columns))
            self._count(whole)

    def _clock(self, frame: pl.DataFrame) -> Iterator[Item]:
        """Yield the server's zone as an event if an entry prints an epoch and a local time."""
        both = frame.filter(pl.col("_printed").is_not_null() & pl.col("_logged").is_not_null())
        if both.height:
            self._clock_reported = True
            row = both.row(0, named=True)
            local = str(pl.Series([row["_printed"]]).cast(pl.Datetime("us"))[0])[:19]
            yield clock_event(row["line_first"], row["_logged"], local)

    def _sampling(self, frame: pl.DataFrame) -> Iterator[Item]:
        sampled = frame.filter(pl.col("_rate_limit") > 1).head(1)
        for line, kind, limit in sampled.select("line_first", "_rate_type", "_rate_limit").rows():
            self._sampled = True
            yield Problem(line, _SAMPLED[kind == "query"].format(limit=limit))

    def _count(self, frame: pl.DataFrame) -> None:
        if self._counted > _MOST_SECONDS:
            return
        seconds = _per_second(frame)
        self._counted += seconds.height
        self._seconds.append(seconds)

    def _series(self) -> Iterator[Item]:
        if not self._seconds:
            return
        frame = (
            pl.concat(self._seconds)
            .group_by("clock", "second")
            .agg(
                pl.col("queries").sum(), _sum("query_time"), _sum("lock_time"), pl.col("line").min()
            )
            .sort("clock", "second")
        )
        for (clock,), part in frame.group_by("clock", maintain_order=True):
            yield from _samples(str(clock), part)
        if self._counted > _MOST_SECONDS:
            yield Problem(
                None, "The log covers too many seconds for one series; later seconds have no rates."
            )


# a line's end of a statement, an empty line, and what somebody wrote below it
_REMARK = re.compile(r";[ \t]*\r?\n(?:[ \t]*\r?\n)+(?=\S)")
_ROUTINE = re.compile(r"\s*(?:create|alter|begin|declare)\b", re.IGNORECASE)


def _statement(text: str) -> str:
    """Return the text of an entry without the remarks below it; a routine has empty lines."""
    end = _REMARK.search(text)
    return text if end is None or _ROUTINE.match(text) else text[: end.start() + 1]


def _marks(text: str) -> Iterator[tuple[int, re.Match[str] | None]]:
    """Yield the offset of each entry, with None, and of each banner, with its match.

    ``text`` is the log with a line feed before it; the offsets are those in the log.
    """
    banners = list(_BANNER.finditer(text)) if "started with:" in text else []
    at = 0
    before = 4
    for match in _MARK.finditer(text):
        while at < len(banners) and banners[at].start() < match.start():
            yield banners[at].start(), banners[at]
            at += 1
            before = 4
        rank = match.lastindex or 0
        if rank <= before:  # any other order than Time, User, Query_time begins an entry
            yield match.start(), None
        before = rank
    for banner in banners[at:]:
        yield banner.start(), banner


_WEIGHT = pl.col("weight").fill_null(1)


def _per_second(frame: pl.DataFrame) -> pl.DataFrame:
    return (
        frame.filter(pl.col("wall_us").is_not_null())
        .group_by("clock", (pl.col("wall_us") // _S).alias("second"))
        .agg(
            _WEIGHT.sum().alias("queries"),
            _sum("query_time_s", _WEIGHT).alias("query_time"),
            _sum("lock_time_s", _WEIGHT).alias("lock_time"),
            pl.col("line_first").min().alias("line"),
        )
    )


def _sum(column: str, weight: pl.Expr | None = None) -> pl.Expr:
    """Sum a column; null if any of its values is null."""
    values = pl.col(column) if weight is None else pl.col(column) * weight
    return pl.when(pl.col(column).null_count() == 0).then(values.sum())


def _samples(clock: str, rates: pl.DataFrame) -> Iterator[Item]:
    """Yield three rates of one clock; a second of the log's range without an entry is zero."""
    first, last = rates["second"][0], rates["second"][-1]
    if last - first <= _ZEROS_S:
        every = pl.DataFrame({"second": pl.int_range(first, last + 1, eager=True)})
        rates = every.join(rates, on="second", how="left", maintain_order="left").with_columns(
            pl.when(pl.col("queries").is_not_null())
            .then(pl.col("query_time", "lock_time"))
            .otherwise(0.0),
            pl.col("queries").fill_null(0),
            pl.col("line").forward_fill(),
        )
    for name, unit in (("queries", "1/s"), ("query_time", "s/s"), ("lock_time", "s/s")):
        columns = {
            "series": f"slow_log.{name}",
            "kind": "rate",
            "unit": unit,
            "clock": clock,
            "wall_us": rates["second"] * _S,
            "value": rates[name].cast(pl.Float64),
            "line_first": rates["line"],
        }
        yield Rows(SAMPLE, build_frame(SAMPLE, columns))
