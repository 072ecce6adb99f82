"""Settings and counters in sentences: "we run with innodb_buffer_pool_size=64G".

Source: posts, tickets and chats: a name of SHOW VARIABLES and a value behind '=', ':', 'is',
        'set to', or behind 'from A to'. Parameters of Terraform and gcloud are names with values.
        Alerts print counters so: 'FIRING db-7 Threads_running 412'.
Yields: a Setting per name, as written; mysql.<Variable> per name of SHOW STATUS; nothing of a name
        that has two values. There is no time.
Note:   what a sentence asks, plans or tells of the past is no setting: 'should we set x=1?'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.tables.meanings.server_variables import (
    UNITS,
    shown,
    variable_kind,
    variable_unit,
)
from pileup.records import Item, Problem, Samples, Setting, Skipped

NAME = "named-settings"
TITLE = "settings and counters named in a text"
GIVES = "Settings that a sentence states of the server; counters as `mysql.<Variable>`."
PRINTED_BY = "people: posts, tickets, chats; alerts"
VERSION = 2
HINTS = ()
ONLY_UNCLAIMED = True

_NAMED = re.compile(
    r"(?<![\w./@-])(?:--)?(?P<name>[a-z][a-z0-9]{1,30}(?:[_-][a-z0-9]{1,30}){1,8})[`*]{0,2}"
    r"(?:\s{0,3}(?P<sign>[=:])\s{0,3}|\s{1,3}(?:is|are|was|=|at|to|of)\s{1,3}(?:(?:currently|now|still|set|kept"
    r"|at|to)\s{1,3}){0,3}|\s{1,3}(?:currently |now )?(?:set\s{1,3})?to\s{1,3}"
    r"|\s{1,3}from\s{1,3}\S{1,40}\s{1,3}to\s{1,3}|\s{1,3}\()"
    r"[`*\"']{0,2}(?P<value>\d{1,20}(?:\.\d{1,9})?(?:\s?[KMGT]i?B?\b)?"
    r"|[A-Z][A-Z0-9]{1,30}(?:[_-][A-Z0-9]{1,30}){0,6}|[A-Z](?:[_-][A-Z0-9]{1,30}){1,6}"
    r"|on\b|off\b|(?<=[=:])[a-z_]{2,30}\b)(?![\w/]|\.\w)"
)
# name = "max_connections"  value = "2000"     - name: max_connections\n  value: 2000
_PAIR = re.compile(
    r"\bname\s{0,9}[:=]\s{0,3}[\"']?(?P<name>[a-z][a-z0-9_-]{2,80})[\"']?,?\s{1,40}"
    r"value\s{0,9}[:=]\s{0,3}[\"']?(?P<value>[^\"'\s,}]{1,200})"
)
_OPTION = re.compile(
    r"(?:innodb|binlog|wsrep|gtid|performance_schema|group_replication|rpl_semi_sync|query_cache"
    r"|thread_pool|aria|rocksdb|tokudb|optimizer|temptable|relay_log|character_set|collation"
    r"|metadata_locks|(?:replica|slave)_(?:parallel|preserve|net|pending|exec|type))_\w+"
    r"|(?:sort|join|read|read_rnd|key|net|bulk_insert|myisam_sort)_buffer(?:_size|_length)?"
    r"|table_(?:open|definition)_cache\w*|slow_query_log\w*|sync_\w+|log_(?:bin|slow|output|error)\w*"
    r"|max_(?:connections|user_connections|connect_errors|allowed_packet|heap_table_size"
    r"|prepared_stmt_count|execution_time|binlog_size|relay_log_size|write_lock_count)"
    r"|(?:lock_wait|wait|interactive|connect|net_read|net_write)_timeout|(?:super_)?read_only"
    r"|thread_(?:cache_size|stack|handling|concurrency)|(?:transaction|tx)_isolation|tmp_table_size"
    r"|long_query_time|back_log|open_files_limit|event_scheduler|lower_case_table_names|sql_mode"
    r"|server_id|skip_name_resolve|expire_logs_days|default_storage_engine|old_passwords"
)
"""Names that nothing but options of the server has: not 'thread_id', 'lock_word', 'log_pos'."""
# Threads_running 412     Threads_running=412     Threads_running is at 1,912
_COUNTER = re.compile(
    r"(?<![\w./@-])(?P<name>[A-Za-z][a-z]{1,20}(?:_[a-z0-9]{1,20}){1,8})[`*]{0,2}"
    r"(?:\s{0,3}[=:]\s{0,3}|\s{1,3}(?:is |was |at |of |= |up to ){0,3})[`*]{0,2}"
    r"(?P<value>\d{1,3}(?:,\d{3}){1,5}|\d{1,18}(?:\.\d{1,9})?)(?![\w/:-]|[.,]\w)"
)
_NO_FACT = re.compile(
    r"(?:^|\W)(?:should|could|would|might|may|if|try|tried|trying|suggest(?:s|ed)?"
    r"|recommend(?:s|ed)?|consider(?:ing)?|maybe|perhaps|plan(?:ning)?|want(?:ed)?|used to"
    r"|previously|before|default|defaults|instead of|unless|when|docs?|manual"
    r"|testing|tested)(?=\W)",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:was|were)\b", re.IGNORECASE)
"""Of the past, unless the sentence tells what a counter was at that time."""
_ELSEWHERE = re.compile(
    r"[\s,)]{1,3}(?:only )?(?:on|in|for) (?:the |our |all |its |my )?"
    r"(?:other|replica|slave|standby|stag|test|dev)",
    re.IGNORECASE,
)
_WORD = re.compile(r"(?!(?:ON|OFF|YES|NO)$)[A-Z][A-Z0-9]*")
"""A capital word is a value behind an equals sign only."""
_END = re.compile(r"(?<=[.;!?])\s|\n\s*\n")
_VALUE = re.compile(r"(?P<number>\d[\d.]*)\s?(?P<unit>[KMGT])i?B?")
_LONGEST = 4_000
_MOST_LINES = 400
_SNIFFED = 8 * 1024
"""Characters: a text of sentences soon states what it has to state."""


def sniff(head: str) -> bool | None:
    """Return whether a sentence of the beginning states a setting."""
    if head.lstrip()[:1] in ("{", "[") and '":' in head:
        return False  # JSON, whose names have their own meaning
    if head.lstrip()[:1] in ("|", "+"):
        return False  # rows of a box
    text = "\n".join(line[:_LONGEST] for line in head[:_SNIFFED].split("\n"))
    return any(next(found(text), None) is not None for found in (_settings, _counters))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Setting per name; a Problem for a name with two values.

    Raises FormatError when no sentence states a setting.
    """
    held = [line[:_LONGEST] for line, _ in zip(lines, range(_MOST_LINES), strict=False)]
    found: dict[str, list[tuple[int, str]]] = {}
    stated: set[int] = set()
    text = "\n".join(held)
    for name, value, number in (*_settings(text), *_counters(text)):
        found.setdefault(name, []).append((number, value))
        stated.add(number)
    for number, line in enumerate(held, start=1):
        if line.strip() and number not in stated:
            yield Skipped(number, number, "states no setting")
    if not found:
        raise FormatError("No setting was found: a name of SHOW VARIABLES, and its value.")
    for name, values in found.items():
        number, value = values[0]
        if len({value for _, value in values}) > 1:
            why = f"{name} has several values in this text; which one counts is not known."
            yield Problem(number, why, found=", ".join(value for _, value in values)[:200])
            continue
        if name in _STATUS:
            yield Samples(
                series=f"mysql.{name}",
                kind=variable_kind(name),
                unit=variable_unit(name),
                clock="relative",
                wall_us=[0],
                values=[float(value)],
                lines=[number],
            )
            continue
        yield Setting(
            line_first=number,
            line_last=number,
            name=name,
            value=shown(name, value),
            source="text",
        )


def _settings(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the names, values and lines of the settings that sentences state."""
    for match in _PAIR.finditer(text):
        name = match["name"].replace("-", "_")
        if _OPTION.fullmatch(name) and name not in UNITS:
            yield name, _plain(match["value"]), 1 + text.count("\n", 0, match.start())
    at = 0
    for end in [*(match.start() for match in _END.finditer(text)), len(text)]:
        sentence = text[at:end]
        if not sentence.rstrip().endswith("?"):
            begin = 0
            is_past = bool(_PAST.search(sentence)) and not any(_counters(sentence))
            for match in _NAMED.finditer(sentence):
                name = match["name"].replace("-", "_")
                before = sentence[begin : match.start()]
                is_fact = _WORD.fullmatch(match["value"]) is None or match["sign"] == "="
                is_fact &= not _NO_FACT.search(f" {before} ")
                is_fact &= not (is_past and _PAST.search(sentence, begin, match.end()))
                is_fact &= not _ELSEWHERE.match(sentence, match.end())
                if _OPTION.fullmatch(name) and name not in UNITS and is_fact:
                    line = 1 + text.count("\n", 0, at + match.start())
                    yield name, _plain(match["value"]), line
                    begin = match.end()
        at = end


def _counters(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield the names, values and lines of counters of SHOW STATUS."""
    for match in _COUNTER.finditer(text):
        name = f"{match['name'][0].upper()}{match['name'][1:]}"
        if name in _STATUS:
            line = 1 + text.count("\n", 0, match.start())
            yield name, match["value"].replace(",", ""), line


_STATUS = frozenset(
    f"{name[0].upper()}{name[1:]}" for name in UNITS if "_" in name and name[:6] != "wsrep_"
)


def _plain(value: str) -> str:
    """Write a value as an option file does: '64 GB' is 64G."""
    match = _VALUE.fullmatch(value)
    if match:
        return f"{match['number']}{match['unit']}"
    return value.upper() if value in ("on", "off") else value
