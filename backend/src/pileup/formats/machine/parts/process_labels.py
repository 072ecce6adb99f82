"""Short labels for command lines, for all listings of processes."""

from __future__ import annotations

_LONGEST = 60


def program(command: str) -> str:
    """Return the program of a command line as a label: no arguments, no directory, no , or =.

    '/usr/sbin/mysqld --defaults-file=/etc/my.cnf' is 'mysqld', '[kworker/0:1H]' stays what it is.
    """
    first = command[:4096].split(None, 1)[0] if command.strip() else ""
    if first.startswith("/"):
        first = first.rsplit("/", 1)[1] or first
    return first[:_LONGEST].replace(",", "_").replace("=", "_")
