"""Excerpts of the error log in the prefixes of each series, among the usual lines."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.incidents.rendering.deadlocks import deadlock
from benchmarks.incidents.rendering.printed import Printed, waits_for
from benchmarks.incidents.rendering.status_dump import semaphore_waits
from benchmarks.incidents.simulation import Moment, Session

_CODES = {"Warning": "MY-010055", "ERROR": "MY-000000", "Note": "MY-010914"}


def error_log(printed: Printed, until: float, moment: Moment | None = None) -> str:
    """Print the log until a time; the waits of ``moment`` last since minutes then."""
    scenario, rng = printed.scenario, printed.rng
    entries: list[tuple[float, str]] = [
        (time, _line(printed, time, level, text)) for time, level, text in scenario.log
    ]
    for _ in range(rng.randrange(1, 8)):
        time = rng.uniform(-3000, until)
        session = rng.choice(list(scenario.world.sessions.values()))
        entries.append((time, _line(printed, time, "Note", _aborted(session))))
    for time, first, second in scenario.deadlocks:
        entries.append((time, "\n".join(_deadlock(printed, time, first, second))))
    if moment is not None and any(waits_for(s, "latch") for s in moment.sessions):
        entries.append((until, "\n".join(_long_waits(printed, until, moment))))
    return "\n".join(text for time, text in sorted(entries) if time <= until) + "\n"


def _long_waits(printed: Printed, until: float, moment: Moment) -> Iterator[str]:
    """Print what the watchdog writes about waits of more than 240 seconds."""
    for wait in semaphore_waits(printed, moment, printed.rng.uniform(240, 500)):
        if printed.server.old:
            yield "InnoDB: Warning: a long semaphore wait:"
        else:
            yield _line(printed, until, "Warning", "InnoDB: A long semaphore wait:")
        yield from wait
    yield "InnoDB: ###### Starts InnoDB Monitor for 30 secs to print diagnostic info:"
    yield "InnoDB: Pending preads 0, pwrites 0"


def _aborted(session: Session) -> str:
    return (
        f"Aborted connection {session.id} to db: '{session.database}' user: '{session.user}' "
        f"host: '{session.host.split(':')[0]}' (Got timeout reading communication packets)"
    )


def _line(printed: Printed, seconds: float, level: str, text: str, thread: int = 0) -> str:
    at, server = printed.local(seconds), printed.server
    if server.generation == "my56":
        return f"{at:%Y-%m-%d %H:%M:%S} 2450 [{level}] {text}"
    if server.maria:
        thread = 140623716136768 if server.key == "ma102" else thread
        return f"{at:%Y-%m-%d} {at.hour:2d}:{at:%M:%S} {thread} [{level}] {text}"
    stamp = f"{at:%Y-%m-%dT%H:%M:%S.%f}Z"
    if server.generation == "my57":
        return f"{stamp} {thread} [{level}] {text}"
    subsystem = "InnoDB" if text.startswith("***") or "deadlock" in text else "Server"
    return f"{stamp} {thread} [{level}] [{_CODES[level]}] [{subsystem}] {text}"


def _deadlock(printed: Printed, time: float, first: Session, second: Session) -> Iterator[str]:
    prefix = "" if printed.server.generation in ("my80", "my84") else "InnoDB: "

    def note(text: str) -> str:
        return _line(printed, time, "Note", prefix + text, second.id)

    yield note("Transactions deadlock detected, dumping detailed information.")
    yield from deadlock(printed, time, first, second, lambda text: note(f"\n{text}\n"))
