"""Decide whether a text of the team can stand in a version without internals of the database."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(
    r"\w_\w|\w::\w|\w\(\)|0x[0-9a-fA-F]|@@|`|\b[A-Za-z]\w*\.[a-z]\w*\b|\b[a-z]+[A-Z]\w*"
    r"|\b[A-Z][a-z]+[A-Z]\w*|\bpt-[a-z]+"
)
"""Names of code, settings, tables and tools: 'a_b', 'f()', 'app.accounts', 'LockOpen', 'pt-pmp'."""
_WORD = re.compile(r"\S+")
_PRODUCTS = re.compile(r"\b(?:MySQL|MariaDB|PostgreSQL|GitHub|JavaScript|DevOps|SaaS|PagerDuty)\b")
_STATEMENT = re.compile(
    r"\b(?:ALTER|ANALYZE|BEGIN|COMMIT|CREATE|DELETE|DROP|FLUSH|INSERT|JOIN|KILL|OPTIMIZE|REPLACE"
    r"|ROLLBACK|SELECT|SET|TRUNCATE|UPDATE|DDL|DML|SQL)\b"
)
_TERMS = re.compile(
    r"\b(?:(?:session|thread|trx|transaction|connection|id)s? #?\d+"
    r"|(?:latch|mutex|semaphore|spin(?:s|ning|lock)?|(?:rw|row|table|metadata|gap|next-key|read|"
    r"write|global|user)[- ]locks?|mdl|deadlock|trx|transaction|thread|session|ind(?:ex|exes|ices)"
    r"|hash|buffer|page|lru|redo|undo|bin(?:ary )?log|wal|fsync|flush|checkpoint|purge|rollback"
    r"|history list|read view|isolation level|innodb|myisam|aria|rocksdb|galera|wsrep|gtid|replica"
    r"|slave|ddl|dml|sql|query cache|table cache|group commit|commit (?:queue|stage|order)"
    r"|commit|auto-?increment|primary key|foreign key|tablespace|file descriptor|stack|mysqld"
    r"|kernel|syscall|futex|numa|cpu|i/o|iops|qps|tps|dba|optimi[sz]er|full-?text|partition"
    r"|shard|schema|cardinality|histogram|prepared statement|adaptive)(?:e?s)?\b)",
    re.IGNORECASE,
)


def technical_words(text: str) -> list[str]:
    """List what only people who run databases know, each once: terms, then statements and names.

    Doubtful words count: the full report has the text in any case.
    """
    bare = _PRODUCTS.sub("", text)
    terms = [match[0] for match in _TERMS.finditer(bare)]
    statements = _STATEMENT.findall(bare)
    names = [word.strip("`.,;:!?()") for word in _WORD.findall(bare) if _IDENTIFIER.search(word)]
    return list(dict.fromkeys([*terms, *statements, *names]))


def is_plain(text: str) -> bool:
    """Return whether a text names nothing that only people who run databases know."""
    return not technical_words(text)
