"""What the listings of processes share: a short label for a command line."""

from __future__ import annotations

_LONGEST = 60


def program(command: str) -> str:
    """The program of a command line, fit for a label: no arguments, no directory, no , or =.

    '/usr/sbin/mysqld --defaults-file=/etc/my.cnf' is 'mysqld', '[kworker/0:1H]' stays what it is.
    """
    first = command[:4096].split(None, 1)[0] if command.strip() else ""
    if first.startswith("/"):
        first = first.rsplit("/", 1)[1] or first
    return first[:_LONGEST].replace(",", "_").replace("=", "_")
