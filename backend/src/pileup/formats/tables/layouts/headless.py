"""Recognise rows that are pasted without the names of their columns, by what their cells hold.

Source: ``mysql -N``; bug reports and tickets that quote some rows of a listing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

NAMED_VALUES = ("Variable_name", "Value")
PROCESSLIST = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")
COMMANDS = frozenset(
    (
        "Binlog Dump",
        "Binlog Dump GTID",
        "Bulk_execute",
        "Change user",
        "Clone",
        "clone",
        "Close stmt",
        "Connect",
        "Connect Out",
        "Create DB",
        "Daemon",
        "Debug",
        "Delayed insert",
        "Drop DB",
        "Error",
        "Execute",
        "Fetch",
        "Field List",
        "Group Replication Data Stream subscriber",
        "Init DB",
        "Kill",
        "Killed",
        "Long Data",
        "Ping",
        "Prepare",
        "Processlist",
        "Query",
        "Quit",
        "Refresh",
        "Register Slave",
        "Register Replica",
        "Reset Connection",
        "Reset stmt",
        "Set option",
        "Shutdown",
        "Sleep",
        "Slave_IO",
        "Slave_SQL",
        "Slave_worker",
        "Statistics",
        "Table Dump",
        "Time",
    )
)
"""The COMMAND column: get_command_name(), sql/sql_parse.cc, of MySQL and MariaDB."""
_THREADS = (
    *("Thread_id", "Name", "Type", "Processlist_id", "Processlist_user", "Processlist_host"),
    *("Processlist_db", "Processlist_command", "Processlist_time", "Processlist_state"),
    *("Processlist_info", "Parent_thread_id", "Role", "Instrumented", "History"),
    *("Connection_type", "Thread_os_id", "Resource_group"),
)
"""performance_schema.threads; before 8.0 without the last."""
_LEAST_OF_THREAD = 11
_BEHIND = {
    8: (),
    9: ("Progress",),
    10: ("Rows_sent", "Rows_examined"),
    11: ("Rows_sent", "Rows_examined", "Rows_read"),
}
"""By their number, the columns of a row of a processlist behind those of every server."""
# INNODB_TRX: the last columns differ between servers
_TRX = (
    "trx_id trx_state trx_started trx_requested_lock_id trx_wait_started trx_weight "
    "trx_mysql_thread_id trx_query trx_operation_state trx_tables_in_use trx_tables_locked "
    "trx_lock_structs trx_lock_memory_bytes trx_rows_locked trx_rows_modified "
    "trx_concurrency_tickets trx_isolation_level trx_unique_checks trx_foreign_key_checks "
    "trx_last_foreign_key_error trx_other_1 trx_other_2 trx_other_3 trx_other_4 trx_other_5"
)
_LOCKS = (
    "engine engine_lock_id engine_transaction_id thread_id event_id object_schema object_name "
    "partition_name subpartition_name index_name object_instance_begin lock_type lock_mode "
    "lock_status lock_data"
)
_OLD_LOCKS = (
    "lock_id lock_trx_id lock_mode lock_type lock_table lock_index lock_space lock_page lock_rec "
    "lock_data"
)
_LOCK = (
    "{0}_engine_lock_id {0}_engine_transaction_id {0}_thread_id {0}_event_id "
    "{0}_object_instance_begin"
)
_METADATA = (
    "object_type object_schema object_name {}object_instance_begin lock_type lock_duration "
    "lock_status source owner_thread_id owner_event_id"
)
_DURATION = "STATEMENT|TRANSACTION|EXPLICIT"
_STATUS = "GRANTED|PENDING|VICTIM|TIMEOUT|KILLED|[A-Z_]*NOTIFY"
_DATE = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?"
_KNOWN_ROWS = tuple(
    (
        tuple(names.split()),
        least,
        {at: re.compile(rf"(?:{cell})$", re.IGNORECASE) for at, cell in cells.items()},
    )
    for names, least, cells in (
        (
            _TRX,
            8,
            {1: "RUNNING|LOCK WAIT|ROLLING BACK|COMMITTING", 2: _DATE, 5: r"\d+", 6: r"\d+"},
        ),
        (
            _OLD_LOCKS,
            10,
            {0: r"\w+(?::\d+){1,3}", 1: r"\w+", 3: "RECORD|TABLE"},
        ),
        (
            "requesting_trx_id requested_lock_id blocking_trx_id blocking_lock_id",
            4,
            {0: r"\w+", 1: r"\w+(?::\d+){1,3}", 2: r"\w+", 3: r"\w+(?::\d+){1,3}"},
        ),
        (_LOCKS, 15, {0: "[A-Z_]+", 1: r"\d+(?::\d+)+", 11: "RECORD|TABLE", 13: "[A-Z]+"}),
        (
            f"engine {_LOCK.format('requesting')} {_LOCK.format('blocking')}",
            11,
            {0: "[A-Z_]+", 1: r"\d+(?::\d+)+", 2: r"\d+", 6: r"\d+(?::\d+)+", 7: r"\d+"},
        ),
        (
            "name count type status",
            4,
            {
                0: "[a-z]+(?:_[a-z0-9]+)+",
                1: r"-?\d+",
                2: "counter|value|status_counter|set_owner|set_member",
                3: "enabled|disabled|[01]",
            },
        ),
        (
            "variable_name variable_value type enabled",
            4,
            {
                0: r"[a-z_]\w+",
                2: "Global Status|InnoDB Metrics - .*|Performance Schema|System Time",
                3: "YES|NO|PARTIAL",
            },
        ),
        (_METADATA.format(""), 10, {0: "[A-Z ]+", 5: _DURATION, 6: _STATUS}),
        (_METADATA.format("column_name "), 11, {0: "[A-Z ]+", 6: _DURATION, 7: _STATUS}),
    )
)
"""Columns of the server's own tables, how many of them a row has at least, and what in a row tells
them: its cells by their position."""
LATCHES = ("Type", "Name", "Status")
COUNTED = ("State", "count")
# 22:10:01    3  1802  2.11  1.90      1000000 12.1 12.1 82644
_PLAIN_NUMBER = re.compile(r"-?\d{1,18}(?:[.,]\d{1,12})?(?:[eE][-+]?\d{1,3})?%?$|[-+]?(?:nan|inf)$")
_PLAIN_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:T\S{5,20})?$|\d\d:\d\d(?::\d\d(?:[.,]\d{1,6})?)?$|[AP]M$"
)
_LEAST_PLAIN, _MOST_PLAIN = 3, 64
_LONGEST_PLAIN = 1_000
_WHOLE = re.compile(r"-?\d{1,18}$")
_WAITS = re.compile(r"(?:os_)?waits=\d{1,18}$")
_STATUS_NAME = re.compile(
    r"(?:Aborted|Access|Acl|Aria|Binlog|Bytes|Com|Connection|Created|Delayed|Flush|Handler|Innodb"
    r"|Key|Last|Locked|Max|Memory|Not|Ongoing|Open|Opened|Performance|Prepared|Qcache|Rows|Rpl|Select"
    r"|Slave|Slow|Sort|Ssl|Table|Tc|Threadpool|Threads|Uptime|Wsrep|wsrep)_\w{1,100}|Uptime|Queries"
    r"|Questions|Connections"
)
_VARIABLE_NAME = re.compile(
    r"(?!tx_(?!isolation|read_only))"  # packets of a network
    r"(?!mysql_(?:global|info_schema|perf_schema|slave|exporter)_)"  # of mysqld_exporter
    r"(?:activate|admin|alter|analyze|aria|authentication|auto|autocommit|avoid|back|basedir|big"
    r"|bind|binlog|binlogging|block|bulk|caching|character|check|collation|column|completion"
    r"|concurrent|connect|core|create|datadir|debug|default|delay|disabled|div|encrypt|end"
    r"|enforce|eq|event|expire|explain|explicit|flush|foreign|ft|general|generated|group|gtid"
    r"|have|histogram|host|idle|ignore|immediate|in|information|init|innodb|interactive"
    r"|internal|join|keep|key|keyring|large|lc|license|local|lock|locked|log|long|low|lower"
    r"|mandatory|master|max|metadata|min|mrr|myisam|mysql|mysqlx|named|net|new|ngram|offline"
    r"|old|open|optimizer|original|partial|password|performance|persist|persisted|pid|plugin"
    r"|preload|print|profiling|progress|protocol|proxy|pseudo|query|rand|range|read|regexp"
    r"|relay|replica|replicate|report|require|resultset|rewriter|rowid|rpl|schema|secure"
    r"|select|server|session|sha|show|skip|slave|slow|socket|sort|source|sql|standards|storage"
    r"|stored|strict|super|sync|system|table|tablespace|tc|temptable|thread|threadpool|time"
    r"|timestamp|tls|tmp|tmpdir|transaction|tx|unique|unix|updatable|use|userstat|validate"
    r"|version|wait|windowing|wsrep|xa)"
    r"(?:_[a-z0-9_]{1,100})"
)


# Threads_running: 312      - Aborted_connects = 12      innodb_flush_method   O_DIRECT
# wsrep_ready   | ON        (a box that lost its edges)
_NAMED = re.compile(
    r"\s*(?:[-*\u2022|] +)?(?P<name>[A-Za-z]\w{2,120})(?: *(?P<sign>[:=|]) *(?=\S)| +(?=\S+\s*$))"
    r"(?P<value>\S[^|]*?)[,;]?(?: *\|)?\s*$"
)
_LONGEST_NAMED = 2_000
_SWITCH = re.compile(r"-?\d[\d.]{0,40}|ON|OFF|YES|NO|NONE|/\S{0,200}")

# | Aborted_clients        | 0      |    but with -r:  | Aborted_clients   |         -6|
# option_tracker_usage:Binary Log\t0
VARIABLE = re.compile(r"[A-Za-z][\w.]{0,120}(?:[:\-][\w. :\-]{0,120})?")
"""The name of a variable."""
_BARE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*_\w{1,120}\s*$")
"""A tab row whose value, and with it the tab, was trimmed away."""


def columns(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Return the columns of which this can be a row; None when it can be any row."""
    if (
        len(cells) in _BEHIND
        and cells[4].strip() in COMMANDS
        and _WHOLE.match(cells[0].strip())
        and _is_time(cells[5].strip())
    ):
        return (*PROCESSLIST, *_BEHIND[len(cells)])
    if _LEAST_OF_THREAD <= len(cells) <= len(_THREADS) and _is_thread(cells):
        return _THREADS[: len(cells)]
    if len(cells) == 2 and (_STATUS_NAME.fullmatch(cells[0].strip()) or _is_switch(*cells)):
        return NAMED_VALUES
    if len(cells) == len(COUNTED) and (counted := _counted(*cells)):
        return counted
    if len(cells) == len(LATCHES) and _WAITS.match(cells[2].strip()):
        return LATCHES
    for names, least, tests in _KNOWN_ROWS:
        if least <= len(cells) <= len(names) and all(
            test.match(cells[at].strip()) for at, test in tests.items()
        ):
            return names[: len(cells)]
    return None


def _counted(first: str, second: str) -> tuple[str, ...] | None:
    """Return the columns of a state and how many sessions are in it, in either order."""
    if is_state(first.strip()) and _WHOLE.match(second.strip()):
        return COUNTED
    return COUNTED[::-1] if is_state(second.strip()) and _WHOLE.match(first.strip()) else None


def _is_time(cell: str) -> bool:
    """Return whether a cell is a session's time; that of a client that logs in is NULL."""
    return cell == "NULL" or _WHOLE.match(cell) is not None


def spaced_cells(text: str, names: Sequence[str]) -> list[str] | None:
    """Split a row of a processlist of which only single blanks are left; None for any other line.

    The command and its time, two neighbours that no other words look like, say where the rest is.
    """
    lower = [name.lower() for name in names]
    if behind := _behind_info(lower):
        words = text.rsplit(None, behind)
        if len(words) <= behind or not all(map(_ANY_NUMBER.fullmatch, words[1:])):
            return None
        cells = spaced_cells(words[0], names[:-behind])
        return [*cells, *words[1:]] if cells else None
    if lower[-3:] == _BEHIND_DB[1:] and "command" not in lower and len(text) <= _LONGEST_SPACED:
        return _without_command(text, len(lower) - 3)
    if not _SPACED.match(text) or len(text) > _LONGEST_SPACED:
        return None
    if lower[-4:] != _BEHIND_DB or len(lower) > len(PROCESSLIST):
        return None
    words = text.split(None, len(lower) + 2)
    before = len(lower) - 4
    for at in range(max(1, before - 1), min(before + 2, len(words))):
        match = _COMMAND_AND_TIME.match(" ".join(words[at:]))
        if match is None or match["command"] not in COMMANDS or not _WHOLE.match(words[0]):
            continue
        cells = words[:at]
        if len(cells) > before:  # 'system user', 'unauthenticated user', 'event_scheduler'
            cells[1:3] = [" ".join(cells[1:3])]
        if len(cells) < before:
            cells.append("NULL")
        rest = match["rest"].strip()
        return [*cells, match["command"], match["time"], *_state_of(rest)]
    return None


def _behind_info(lower: Sequence[str]) -> int:
    """Return how many columns are behind the statement: numbers such as Progress or Rows_sent."""
    return len(lower) - 1 - lower.index("info") if "info" in lower else 0


_ANY_NUMBER = re.compile(r"\d{1,20}(?:\.\d{1,9})?")


def _without_command(text: str, before: int) -> list[str] | None:
    """Split such a row whose list has no command: ``before`` cells, the time, and the rest."""
    words = text.split(None, before + 1)
    if len(words) < before + 1 or not before or not _WHOLE.match(words[0]):
        return None
    if not _WHOLE.match(words[before]):
        return None
    return [*words[: before + 1], *_state_of(" ".join(words[before + 1 :]).strip())]


_SPACED = re.compile(r" {0,40}\d{1,18} +[A-Za-z_]\S* [^\t|]*[A-Z]")
_LONGEST_SPACED = 64 * 1024
_BEHIND_DB = ["command", "time", "state", "info"]
_COMMAND_AND_TIME = re.compile(
    r"(?P<command>[A-Z][A-Za-z]+(?: [A-Z]\w+)*) (?P<time>-?\d{1,10})(?P<rest>(?: .*)?)$", re.DOTALL
)


def _state_of(rest: str) -> tuple[str, str]:
    """Split what is behind the time of a session: its state, and its statement."""
    if rest.upper() in ("", "NULL"):
        return "", "NULL"
    if _STATEMENT.match(rest):
        return "", rest
    first, _, more = rest.partition(" ")
    return state_and_info(first, more) if more else (rest, "NULL")


def cut_columns(text: str) -> tuple[str, ...] | None:
    """Return the columns of a row of a processlist whose first cells were cut off.

    A cell that is cut has no name. None for any other line, and for a row that begins with a bar:
    its rest may be in the next line.
    """
    bare = text.strip() if text.count("|") >= _LEAST_BARS and len(text) <= _LONGEST_NAMED else "|"
    if bare.startswith("|"):
        return None
    cells = [cell.strip() for cell in bare.removesuffix("|").split("|")]
    more = _BEHIND[max(_BEHIND)]
    for at, cell in enumerate(cells[: _COMMAND + 1]):
        if cell in COMMANDS and at + 1 < len(cells) and _is_time(cells[at + 1]):
            known = PROCESSLIST[_COMMAND - at :]
            known += more[: max(0, len(cells) - len(known))]
            if len(known) < len(cells) or len(cells) - at < _LEAST_BEHIND:
                return None
            return known if at == 0 else ("", *known[1:])
    if _WAITS_FOR.fullmatch(cells[0]) and _STATEMENT.match(cells[1]):
        return (*PROCESSLIST[_COMMAND + 2 :], *more)[: len(cells)]
    return None


_LEAST_BARS = 1
_COMMAND = PROCESSLIST.index("Command")
_LEAST_BEHIND = 3
"""Command, Time and State."""
_WAITS_FOR = re.compile(r"[Ww]aiting for [\w /'-]{3,60}")
"""A state by its first words: a cell of nothing else."""
_STATEMENT = re.compile(
    r"(?:/\*|(?:select|insert|update(?! (?:insert|replace|load)\b)|delete|replace|alter|create"
    r"|drop|truncate|call|with|set|show|optimize|analyze|rename|begin|load data|lock tables?"
    r"|flush (?:tables?|logs)|commit\s*$)\b)",
    re.IGNORECASE,
)
"""How a statement begins, and no state goes on."""


def state_and_info(state: str, info: str) -> tuple[str, str]:
    """Split a state of several words from the statement behind it.

    Columns of blanks are too narrow for long states: 'Waiting', 'for table flush SELECT ...'.
    """
    if not state or info in ("", "NULL") or _STATEMENT.match(info):
        return state, info
    text = f"{state} {info}"
    begins = next(
        (word for word in _WORD.finditer(text) if _STATEMENT.match(text, word.end())), None
    )
    if begins is not None:
        return text[: begins.start()], text[begins.end() :]
    return text.removesuffix(" NULL"), ""


_WORD = re.compile(r"(?<=\S) +(?=\S)")


def is_state(text: str) -> bool:
    """Whether a text is one of the commonest states of sessions, or a wait by its first words."""
    return bool(_WAITS_FOR.fullmatch(text) or _STATE.fullmatch(text))


_STATE = re.compile(
    r"(?:sending data|sending to client|opening tables?|closing tables|system lock|table lock|end"
    r"|query end|freeing items|statistics|creating sort index|sorting result|creating tmp table"
    r"|copying to tmp table(?: on disk)?|removing tmp table|updating|update|init|executing|login"
    r"|locked|receiving from client|user lock|user sleep|preparing|optimizing)",
    re.IGNORECASE,
)


def begins_statement(text: str) -> bool:
    """Whether a text begins as a statement does, and no state."""
    return _STATEMENT.match(text) is not None


def _is_thread(cells: Sequence[str]) -> bool:
    """Return whether cells begin like a row of performance_schema.threads."""
    number, name, kind = (cell.strip() for cell in cells[:3])
    return bool(
        _WHOLE.match(number) and name.startswith("thread/") and kind in ("FOREGROUND", "BACKGROUND")
    )


def is_named_value(text: str) -> bool:
    """Whether a line is a counter or a variable of the server and its value."""
    found = named_value(text)
    return found is not None and (bool(_STATUS_NAME.fullmatch(found[0])) or _is_switch(*found))


def may_be_named_value(text: str) -> bool:
    """Whether a line may be so: the line below it decides about a value that is a word."""
    found = named_value(text)
    return found is not None and _VARIABLE_NAME.fullmatch(found[0]) is not None


def named_value(text: str) -> list[str] | None:
    """Split 'name: value', 'Name = value' or 'name  value'; None for another line.

    A text of several words is a value only behind a colon. A variable before an equals sign is a
    line of an option file.
    """
    match = _NAMED.match(text) if len(text) <= _LONGEST_NAMED else None
    if match is None or (match["sign"] == "=" and not _STATUS_NAME.fullmatch(match["name"])):
        return None
    return [match["name"], match["value"]]


def is_variable_name(name: str) -> bool:
    """Whether SHOW VARIABLES may print the name, as its first word shows."""
    return _VARIABLE_NAME.fullmatch(name) is not None


def _is_switch(name: str, value: str) -> bool:
    """Whether two cells are a variable and a value that is no name of a column."""
    return bool(_SWITCH.fullmatch(value.strip()) and _VARIABLE_NAME.fullmatch(name.strip()))


def pair(text: str) -> tuple[str, str] | None:
    """Return the name and the value of a row of variables, also of one that is cut; else None."""
    if text.startswith("|"):
        name, bar, value = text[1:].partition("|")
        value = value.strip()
        value = value[:-1].rstrip() if value.endswith("|") else value
    else:
        name, bar, value = text.partition("\t")
        if not bar:
            return (text.rstrip(), "") if _BARE_NAME.match(text) else None
        value = value.strip()
    name = name.strip()
    return (name, value) if bar and VARIABLE.fullmatch(name) else None


def are_variables(first: Sequence[str], second: Sequence[str]) -> bool:
    """Whether two rows of two cells are variables and their values, and the first is no header."""
    return all(
        len(cells) == 2 and _VARIABLE_NAME.fullmatch(cells[0].strip()) for cells in (first, second)
    )


def numbers(text: str) -> list[str] | None:
    """Split a row of numbers between blanks; one cell may be a word, such as a device's name."""
    if len(text) > _LONGEST_PLAIN:
        return None
    cells = text.split()
    if not _LEAST_PLAIN <= len(cells) <= _MOST_PLAIN:
        return None
    plain = sum(_PLAIN_NUMBER.match(cell) is not None for cell in cells)
    times = sum(_PLAIN_TIME.match(cell) is not None for cell in cells)
    others = len(cells) - plain - times
    return cells if plain >= _LEAST_PLAIN and others <= (plain > _LEAST_PLAIN) else None


__all__ = [
    "COMMANDS",
    "PROCESSLIST",
    "VARIABLE",
    "are_variables",
    "begins_statement",
    "columns",
    "cut_columns",
    "is_named_value",
    "may_be_named_value",
    "named_value",
    "pair",
    "state_and_info",
]
