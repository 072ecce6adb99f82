"""SHOW FULL PROCESSLIST as a box, in rows of \\G, and between tabs."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.incidents.rendering.printed import Printed, is_idle, state
from benchmarks.incidents.simulation import Moment, Session

COLUMNS = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")


def process_list(printed: Printed, moment: Moment, layout: str, *, full: bool = True) -> str:
    """Print a list; ``layout`` is box, rows (\\G) or tabs."""
    columns = list(COLUMNS)
    maria = printed.server.maria
    rows = [_cells(printed, moment, session, full=full) for session in listed(printed, moment)]
    if maria:
        columns.append("Progress")
    else:
        rows = [row[:-1] for row in rows]
    if printed.server.family == "percona":
        columns += ["Rows_sent", "Rows_examined"]
        rows = [[*row, "0", "0"] for row in rows]
        if printed.server.key == "ps80":
            columns.insert(8, "Time_ms")
            rows = [[*row[:8], f"{int(row[5]) * 1000 + 121}", *row[8:]] for row in rows]
    return {"box": _box, "rows": _rows, "tabs": _tabs}[layout](columns, rows)


def selected(printed: Printed, moment: Moment, layout: str) -> str:
    """Print what a query of information_schema.processlist returns: no sleepers, by time."""
    columns = [name.upper() for name in COLUMNS]
    rows = [_cells(printed, moment, session, full=True)[:8] for session in listed(printed, moment)]
    rows = sorted((row for row in rows if row[4] != "Sleep"), key=lambda row: -int(row[5]))
    rows[-1][7] = "SELECT * FROM information_schema.processlist WHERE command <> 'Sleep'"
    if printed.rng.random() < 0.3:
        wanted = [0, 1, 5, 6, 7]
        columns = [columns[n] for n in wanted]
        rows = [[row[n] for n in wanted] for row in rows]
    return {"box": _box, "rows": _rows, "tabs": _tabs}[layout](columns, rows)


def listed(printed: Printed, moment: Moment) -> list[Session]:
    """Return the sessions that a list shows: its own, and the scheduler of 8.0."""
    sessions = [session for session in moment.sessions if not session.background]
    if printed.server.generation in ("my80", "my84"):
        daemon = Session(5, "event_scheduler", "localhost", "", command="Daemon")
        daemon.state, daemon.since, daemon.database = "Waiting on empty queue", -86_000.0, "NULL"
        sessions = [daemon, *sessions]
    own = Session(max(s.id for s in sessions) + 3, "root", "localhost", "NULL")
    own.statement, own.verb, own.since = "SHOW FULL PROCESSLIST", "show", moment.time
    own.state = "starting" if printed.server.generation in ("my57", "my84") else "init"
    own.doing = "reading"
    if printed.server.key in ("ma106", "ma114"):
        own.state = "starting"
    return [*sessions, own]


def _cells(printed: Printed, moment: Moment, session: Session, *, full: bool) -> list[str]:
    idle = is_idle(session)
    info = session.statement if session.statement is not None else "NULL"
    return [
        str(session.id),
        session.user,
        session.host,
        session.database or "NULL",
        session.command or ("Sleep" if idle else "Query"),
        str(int(moment.time - session.since)),
        state(session, printed.server) or ("NULL" if printed.server.key == "my84" else ""),
        info if full else info[:100],
        "0.000",
    ]


def _box(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[n]) for row in [columns, *rows]) for n in range(len(columns))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.rjust(width)
            if name.capitalize() in ("Id", "Time", "Progress") and cells is not columns
            else cell.ljust(width)
            for name, cell, width in zip(columns, cells, widths, strict=True)
        )
        return "| " + " | ".join(padded) + " |"

    body = [line(row) for row in rows]
    return (
        "\n".join([rule, line(columns), rule, *body, rule, f"{len(rows)} rows in set (0.00 sec)"])
        + "\n"
    )


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    stars, width = "*" * 27, max(len(name) for name in columns)
    lines = []
    for number, row in enumerate(rows, start=1):
        lines.append(f"{stars} {number}. row {stars}")
        lines += [f"{name:>{width}}: {cell}" for name, cell in zip(columns, row, strict=True)]
    return "\n".join([*lines, f"{len(rows)} rows in set (0.01 sec)"]) + "\n"


def _tabs(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join("\t".join(row) for row in [columns, *rows]) + "\n"
