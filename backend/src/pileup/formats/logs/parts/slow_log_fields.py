"""Extract the fields of slow log entries from header lines and statement, many entries at once.

Each pattern ends at white space, so that a damaged number is not read in part.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from pileup.records import frame_schema

_S = 1_000_000
# Query_time: 0.580467  Lock_time: 0.000000 Rows_sent: 0  Rows_examined: 0
_TIMES = (
    r"Query_time: *(\S+)(?:\s+Lock_time: *(\S+))?(?:\s+Rows_sent: *(\S+))?"
    r"(?:\s+Rows_examined: *(\S+))?\s"
)
# Printed by some servers only, so searched only where the word occurs: field, word, pattern.
_MORE = (
    ("innodb_rec_lock_wait_s", "InnoDB_rec_lock_wait", r"InnoDB_rec_lock_wait: *(\S+)\s"),
    ("innodb_queue_wait_s", "InnoDB_queue_wait", r"InnoDB_queue_wait: *(\S+)\s"),
    ("innodb_io_r_wait_s", "InnoDB_IO_r_wait", r"InnoDB_IO_r_wait: *(\S+)\s"),
    ("rows_affected", "Rows_affected", r"Rows_affected: *(\S+)\s"),
    ("errno", "rrno: ", r"(?:Errno|Last_errno): *(\S+)\s"),
)
# Fields that have a place of their own, or repeat another: Start and End are the two times.
_READ = frozenset(
    {
        "Query_time",
        "Lock_time",
        "Rows_sent",
        "Rows_examined",
        "Rows_affected",
        "Thread_id",
        "Id",
        "Schema",
        "Errno",
        "Last_errno",
        "Time",
        "User",
        "Host",
        "Start",
        "End",
        "InnoDB_rec_lock_wait",
        "InnoDB_queue_wait",
        "InnoDB_IO_r_wait",
        "InnoDB_trx_id",
        "Log_slow_rate_type",
        "Log_slow_rate_limit",
        "explain",
        "command",
    }
)
_NAME = r"\s[A-Za-z]\w*:[ \t]"
_MOST_NAMES = 500
_TRX = r"InnoDB_trx_id: *(\S+)\s"
_RATE = r"Log_slow_rate_type: *(\S+)\s+Log_slow_rate_limit: *(\d{1,9})\s"
ALWAYS_WRITTEN_S = 10
"""Statements from this time on are written whatever the rate (slow_query_log_always_write_time)."""
_PLAN = "\n# explain: "
_NO_FIELDS = pl.lit([], dtype=frame_schema("query")["counts"])
_NO_RATE = pl.lit(None, dtype=pl.Struct({"1": pl.String, "2": pl.String}))
_SESSION = r"(?:Thread_id|\sId): *(\d+)\s"
# Time: 2026-11-20T22:22:58.255330Z
_ISO = r"# Time: *(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:\.\d{1,6})?)(Z|[+-]\d\d:\d\d)\s"
_OLD = r"# Time: *(\d{6} [ \d]\d:\d\d:\d\d)\s"
_USER = r"# User(?:@Host)?: *([^\[\n]*?) *\[([^\]\n]*)\] @ *([^\s\[]*) *\[([^\]\n]*)\]"
_SCHEMA = r"Schema: ?([^\s:]+)\s"
_USE = r"(?i)\Ause\s+([^;\s]+)\s*;?\z"
_ADMIN = r"# administrator command: ([^;\n]*)"
# use `sbtest`;
# SET last_insert_id=1,insert_id=2,timestamp=1795212987;
_PREFIX = (
    r"\A(?:\s*(?i:use) +([^;\n]*);\s*\n)?"
    r"(?:\s*SET (?:(?:last_)?insert_id=\d+,?)*(?:timestamp=(\d+(?:\.\d+)?))?;\s*(?:\n|\z))?"
)


def extract_fields(
    raw: pl.DataFrame, text: str, local_us: int | None, most_query: int
) -> pl.DataFrame:
    """Extract the columns of the record ``query``, and internal columns that begin with _.

    Takes:  raw with head, sql, line_first, line_last; text: the log that they were cut from;
            local_us: the last ``# Time:`` without a zone before these entries, in microseconds;
            most_query: the most bytes of a statement.
    Gives:  also _is_entry (it has a Query_time line), _local (the local time that applies),
            _printed (the local time printed by this entry), _logged (the epoch of SET timestamp),
            _rate_type and _rate_limit (Percona's sampling).
            An empty frame in gives an empty frame.
    """
    parts = _parts_of(raw, text)
    rest = pl.col("_rest")
    admin = pl.coalesce(
        pl.when(rest.str.starts_with("# administrator")).then(rest.str.extract(_ADMIN)), "_admin"
    )
    query = pl.when(rest == "").then(None).otherwise(rest.str.strip_suffix(";"))
    return parts.with_columns(
        pl.col("_printed").forward_fill().fill_null(pl.lit(local_us, pl.Int64)).alias("_local"),
        admin.is_not_null().alias("administrator"),
        pl.when(admin.is_not_null())
        .then(pl.format("administrator command: {}", admin))
        .when(query.str.len_bytes() > most_query)
        .then(pl.format("{}…", query.str.head(most_query)))
        .otherwise(query)
        .alias("query"),
    ).with_columns(
        pl.coalesce("_iso", "_logged", "_local").alias("wall_us"),
        pl.when(pl.col("_iso").is_not_null() | pl.col("_logged").is_not_null())
        .then(pl.lit("utc"))
        .when(pl.col("_local").is_not_null())
        .then(pl.lit("local"))
        .alias("clock"),
    )


def _parts_of(raw: pl.DataFrame, text: str) -> pl.DataFrame:
    """Extract what each entry prints on its own; what needs other entries is added later."""
    head, sql = pl.col("head"), pl.col("sql")
    times = head.str.extract_groups(_TIMES)
    user = head.str.extract_groups(_USER)
    prefix = sql.str.extract_groups(_PREFIX)
    nothing = pl.lit(None, pl.String)
    more = [
        (_seconds if name.endswith("_s") else _count)(head.str.extract(pattern)).alias(name)
        for name, word, pattern in _MORE
        if word in text
    ]
    return (
        raw.select("line_first", "line_last", head, sql, times.alias("times"))
        .select(
            "line_first",
            "line_last",
            head.str.contains("Query_time: ", literal=True).alias("_is_entry"),
            *more,
            *(
                read(pl.col("times").struct.field(str(at))).alias(name)
                for at, (name, read) in enumerate(
                    (
                        ("query_time_s", _seconds),
                        ("lock_time_s", _seconds),
                        ("rows_sent", _count),
                        ("rows_examined", _count),
                    ),
                    start=1,
                )
            ),
            _count(head.str.extract(_SESSION)).alias("session_id"),
            user.alias("_user"),
            (head.str.extract(_SCHEMA) if "Schema: " in text else nothing).alias("_db"),
            head.str.extract_groups(_ISO).alias("_when"),
            _old_us(head).alias("_printed"),
            _further(raw["head"], text).alias("counts"),
            (head.str.extract(_TRX) if "InnoDB_trx_id" in text else nothing).alias("trx_id"),
            (head.str.extract_groups(_RATE) if "Log_slow_rate_" in text else _NO_RATE).alias(
                "_rate"
            ),
            prefix.alias("_prefix"),
            sql.str.replace(_PREFIX, "").str.strip_chars().alias("_rest"),
            (head.str.extract(_ADMIN) if "# administrator" in text else nothing).alias("_admin"),
        )
        .with_columns(*_derived())
        .with_columns(_weight().alias("weight"))
    )


def _derived() -> Iterator[pl.Expr]:
    """Yield the columns that combine several groups of what an entry prints."""
    user, prefix, rate = pl.col("_user"), pl.col("_prefix"), pl.col("_rate")
    yield _iso_us(pl.col("_when")).alias("_iso")
    yield pl.coalesce(_text(user, 0), _text(user, 1)).alias("user")
    yield pl.coalesce(_text(user, 2), _text(user, 3)).alias("client_host")
    yield _text(user, 3).alias("client_ip")
    used = pl.coalesce(_text(prefix, 0), pl.col("_rest").str.extract(_USE))
    yield pl.coalesce(used.str.strip_chars("` "), "_db").alias("db")
    logged = _seconds(_text(prefix, 1)) * _S
    yield logged.round().cast(pl.Int64, strict=False).alias("_logged")
    yield _text(rate, 0).alias("_rate_type")
    yield _count(_text(rate, 1)).alias("_rate_limit")


def _weight() -> pl.Expr:
    """Compute how many statements an entry represents; null for one."""
    is_drawn = (pl.col("_rate_type") == "query") & (pl.col("query_time_s") < ALWAYS_WRITTEN_S)
    return pl.when(is_drawn & (pl.col("_rate_limit") > 1)).then(pl.col("_rate_limit"))


def _seconds(text: pl.Expr) -> pl.Expr:
    """Parse a printed decimal; the words inf and nan are not numbers."""
    value = text.cast(pl.Float64, strict=False)
    return pl.when(value.is_finite()).then(value)


def _count(text: pl.Expr) -> pl.Expr:
    return text.cast(pl.Int64, strict=False)


def _further(heads: pl.Series, text: str) -> pl.Series:
    """Extract every field without a place of its own: numbers, Yes and No as values, else text."""
    names = heads.str.extract_all(_NAME).explode().unique().drop_nulls()
    more = sorted({name.strip(" \t\n:") for name in names} - _READ)[:_MOST_NAMES]
    frame = heads.to_frame("head").with_columns(_NO_FIELDS.alias("fields"))
    if more:
        printed = pl.col("head").str.extract_all(rf"\s(?:{'|'.join(more)}): *\S+")
        frame = frame.with_columns(_values(printed).alias("fields"))
    if _PLAN in text:
        plan = _plan(pl.col("head"))
        frame = frame.with_columns(pl.concat_list("fields", plan).alias("fields"))
    return frame["fields"]


def _plan(head: pl.Expr) -> pl.Expr:
    """Extract the lines of MariaDB's plan as one field, an empty list without any."""
    lines = head.str.extract_all(r"# explain: [^\n]*")
    text = lines.list.eval(pl.element().str.strip_prefix("# explain: ")).list.join("\n")
    nothing = pl.lit(None, pl.Float64).alias("value")
    field = pl.struct(pl.lit("explain").alias("name"), nothing, text.alias("text"))
    return pl.when(lines.list.len() > 0).then(pl.concat_list(field)).otherwise(_NO_FIELDS)


def _values(printed: pl.Expr) -> pl.Expr:
    name, value, text = (
        pl.element().str.extract(pattern)
        for pattern in (r"(\w+):", r": *(Yes|No|\d[\d.]*)$", r": *(\S+)$")
    )
    flag = pl.when(value == "Yes").then(1.0).when(value == "No").then(0.0)
    number = pl.coalesce(flag, _seconds(value))
    field = pl.struct(
        name.alias("name"),
        number.alias("value"),
        pl.when(number.is_null()).then(text).alias("text"),
    )
    return printed.list.eval(field)


def _text(groups: pl.Expr, at: int) -> pl.Expr:
    expression = groups.struct.field(str(at + 1))
    return pl.when(expression != "").then(expression)


def _iso_us(when: pl.Expr) -> pl.Expr:
    """Convert '2026-11-20T22:22:58.255330Z', or with '+08:00', to microseconds UTC."""
    day, time, zone = (when.struct.field(str(at)) for at in (1, 2, 3))
    # Without the fraction many entries print the same time, which polars converts once.
    second = pl.concat_str([day, time.str.head(8)], separator=" ").str.to_datetime(
        "%Y-%m-%d %H:%M:%S", time_unit="us", strict=False
    )
    fraction = time.str.slice(9).str.pad_end(6, "0").cast(pl.Int64, strict=False)
    printed = second.dt.timestamp("us") + fraction
    hours = zone.str.slice(1, 2).cast(pl.Int64, strict=False)
    minutes = hours * 60 + zone.str.slice(4, 2).cast(pl.Int64, strict=False)
    signed = pl.when(zone.str.starts_with("-")).then(-minutes).otherwise(minutes).fill_null(0)
    return printed - signed * 60 * _S


def _old_us(head: pl.Expr) -> pl.Expr:
    """Convert '# Time: 071015 21:43:52', whose hour may have one digit, to microseconds."""
    printed = head.str.extract(_OLD).str.replace("  ", " 0", literal=True)
    return printed.str.to_datetime("%y%m%d %H:%M:%S", time_unit="us", strict=False).dt.timestamp(
        "us"
    )
