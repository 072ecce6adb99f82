"""The commands that settle an open question, in the words of this server's flavour and release.

Which gaps a capture has, and their commands for any server, does not belong here: see
``evidence/gaps``.
"""

from __future__ import annotations

from pileup.analysis.contract import ActiveSessionsDoc
from pileup.analysis.evidence.context import Context, Server

_MOST = 2
_MANY = "while it lasts"
_LOCKS = {
    "row_lock": "row_locks",
    "metadata_lock": "metadata_locks",
    "global_lock": "metadata_locks",
    "table_lock": "metadata_locks",
    "user_lock": "metadata_locks",
}
_GLOBAL_LOCKS = (
    "SELECT OBJECT_TYPE, LOCK_TYPE, OWNER_THREAD_ID, PROCESSLIST_ID, PROCESSLIST_INFO "
    "FROM performance_schema.metadata_locks JOIN performance_schema.threads "
    "ON THREAD_ID = OWNER_THREAD_ID WHERE LOCK_STATUS = 'GRANTED' "
    "AND OBJECT_TYPE IN ('GLOBAL', 'COMMIT', 'BACKUP LOCK')"
)
_USER_LOCKS = "SELECT * FROM performance_schema.metadata_locks WHERE OBJECT_TYPE='USER LEVEL LOCK'"
_STORAGE = frozenset({"commit_queue", "log_flush", "data_read", "data_write", "redo_space"})


def client(server: Server) -> str:
    """Return the name of the command-line client."""
    return "mariadb" if _is_mariadb(server, (10, 5)) else "mysql"


def query(server: Server, statement: str) -> str:
    """Return the command that runs a statement and prints its rows one below the other."""
    quote = '"' if "'" in statement else "'"
    return f"{client(server)} -e {quote}{statement}\\G{quote}"


def processlist(server: Server) -> str:
    return f"{query(server, 'SHOW FULL PROCESSLIST')} > processlist.txt"


def status_dump(server: Server) -> str:
    return f"{query(server, 'SHOW ENGINE INNODB STATUS')} > status-$(date +%T).txt"


def stacks(server: Server) -> str:
    """Return the command for the stacks of all threads."""
    binary = "mariadbd" if _is_mariadb(server, (10, 5)) else "mysqld"
    if server.family is None:
        binary = "mysqld mariadbd"
    return (
        f"gdb -p $(pidof {binary}) -batch -ex 'thread apply all bt' > stacks.txt (it stops the "
        "server for a second or more)"
    )


def row_locks(server: Server) -> str:
    """Return the command that lists who waits for whose row lock."""
    old = query(server, "SELECT * FROM information_schema.INNODB_LOCK_WAITS")
    new = query(server, "SELECT * FROM sys.innodb_lock_waits")
    if server.family == "mariadb" or (server.numbers and server.numbers < (5, 7)):
        return old
    if server.numbers:
        return new
    return f"{new} (before 5.7, and MariaDB: information_schema.INNODB_LOCK_WAITS)"


def metadata_locks(server: Server) -> str:
    """Return the command that lists who holds which metadata lock; else the processlist."""
    plugin = query(
        server,
        "INSTALL SONAME 'metadata_lock_info'; SELECT * FROM information_schema.METADATA_LOCK_INFO",
    )
    view = query(server, "SELECT * FROM sys.schema_table_lock_waits")
    if server.family == "mariadb":
        return plugin
    if not server.numbers:
        return f"{view} (MariaDB: information_schema.METADATA_LOCK_INFO, with the plugin)"
    if server.numbers < (5, 7):
        return processlist(server)
    if server.numbers < (8,):
        return f"{view} (after switching on the instrument wait/lock/metadata/sql/mdl)"
    return view


def global_locks(server: Server) -> str:
    """Return the command that lists who holds the global, commit or backup lock."""
    if server.family == "mariadb" or (server.numbers and server.numbers < (5, 7)):
        return metadata_locks(server)
    held = query(server, _GLOBAL_LOCKS)
    if not server.numbers:
        return f"{held} (MariaDB: information_schema.METADATA_LOCK_INFO, with the plugin)"
    return held


def holder(kind: str, server: Server) -> str:
    """Return the command that names the holder of what sessions wait for; '' if none does."""
    match kind:
        case "row_lock" | "table_lock":
            return row_locks(server)
        case "metadata_lock":
            return metadata_locks(server)
        case "queue:global-read-lock" | "queue:commit-lock" | "queue:backup-lock":
            return global_locks(server)
        case "queue:table-flush" | "queue:table-lock":
            return f"{processlist(server)}: look for the oldest statement on the table"
        case "queue:user-lock":
            return query(server, _USER_LOCKS)
    return ""


def to_settle(context: Context, active: ActiveSessionsDoc | None) -> str:
    """Return the commands that would name an unknown cause, the most useful first; '' for none.

    active: the classes of time, which tell what most sessions wait for.
    """
    server = context.server
    waits = [each for each in active.classes if each.waits] if active else []
    top = max(waits, key=lambda each: each.share, default=None)
    wanted: list[tuple[tuple[str, ...], str]] = []
    if top is not None and _LOCKS.get(top.id) == "row_locks":
        wanted.append((("lock_wait",), row_locks(server)))
    elif top is not None and top.id in _LOCKS:
        wanted.append((("metadata_lock",), metadata_locks(server)))
    elif top is not None and top.id in _STORAGE:
        wanted.append((("device",), "iostat -xt 1 60 > iostat.txt"))
    wanted += [
        (("session",), processlist(server)),
        (("semaphore_wait", "transaction"), status_dump(server)),
        (("stack",), stacks(server)),
        (("setting",), f"{query(server, 'SHOW GLOBAL VARIABLES')} > variables.txt"),
    ]
    missing = [how for kinds, how in wanted if not any(_has(context, kind) for kind in kinds)]
    if not missing:
        missing = [f"{status_dump(server)} and {processlist(server)}, both every second"]
    return f"{_MANY}: {'; '.join(missing[:_MOST])}"


def _has(context: Context, kind: str) -> bool:
    """Return whether the stall (settings: the capture) has records of a kind."""
    if kind == "device":
        return any(name.startswith("iostat.") for name in context.values["series"].unique())
    frame = context.evidence.frame(kind)
    if frame is None or frame.is_empty():
        return False
    if kind == "setting" or context.stall is None:
        return True
    return not frame.filter(context.stall.holds()).is_empty()


def _is_mariadb(server: Server, since: tuple[int, ...]) -> bool:
    return server.family == "mariadb" and (not server.numbers or server.numbers >= since)


__all__ = [
    "client",
    "holder",
    "metadata_locks",
    "processlist",
    "query",
    "row_locks",
    "stacks",
    "status_dump",
    "to_settle",
]
