"""Decide whether a text of the team can stand in a version without internals of the database."""

from __future__ import annotations

import re

_IDENTIFIER = re.compile(
    r"\w_\w|\w::\w|\w\(\)|0x[0-9a-fA-F]|@@|`|\b[A-Za-z]\w*\.[a-z]\w*\b|\b[a-z]+[A-Z]\w*"
    r"|\b[A-Z][a-z]+[A-Z]\w*"
)
"""Names of code, settings and tables: 'a_b', 'f()', 'buf0buf.cc', 'app.accounts', 'LockOpen'."""
_PRODUCTS = re.compile(r"\b(?:MySQL|MariaDB|PostgreSQL|GitHub|JavaScript|DevOps|SaaS|PagerDuty)\b")
_STATEMENT = re.compile(
    r"\b(?:ALTER|ANALYZE|BEGIN|COMMIT|CREATE|DELETE|DROP|FLUSH|INSERT|JOIN|KILL|OPTIMIZE|REPLACE"
    r"|ROLLBACK|SELECT|SET|TRUNCATE|UPDATE|DDL|DML|SQL)\b"
)
_NUMBERED = re.compile(r"\b(?:session|thread|trx|transaction|connection|id)s? #?\d", re.IGNORECASE)
_TERMS = re.compile(
    r"\b(?:latch|mutex|semaphore|spin(?:s|ning|lock)?|(?:rw|row|table|metadata|gap|next-key|read|"
    r"write|global|user)[- ]locks?|mdl|deadlock|trx|transaction|thread|session|ind(?:ex|exes|ices)"
    r"|hash|buffer|page|lru|redo|undo|bin(?:ary )?log|wal|fsync|flush|checkpoint|purge|rollback"
    r"|history list|read view|isolation level|innodb|myisam|aria|rocksdb|galera|wsrep|gtid|replica"
    r"|slave|ddl|dml|sql|query cache|table cache|group commit|commit (?:queue|stage|order)"
    r"|commit|auto-?increment|primary key|foreign key|tablespace|file descriptor|stack|mysqld"
    r"|kernel|syscall|futex|numa|cpu|i/o|iops|qps|tps|dba|optimi[sz]er|full-?text|partition"
    r"|shard|schema|cardinality|histogram|prepared statement|adaptive)(?:e?s)?\b",
    re.IGNORECASE,
)


def is_plain(text: str) -> bool:
    """Return whether a text names nothing that only people who run databases know.

    Doubtful words count as internals: the full report has the text in any case.
    """
    bare = _PRODUCTS.sub("", text)
    patterns = (_NUMBERED, _TERMS, _STATEMENT, _IDENTIFIER)
    return not any(pattern.search(bare) for pattern in patterns)
