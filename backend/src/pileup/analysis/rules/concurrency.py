"""Too many threads, too many connections."""

from __future__ import annotations

from dataclasses import dataclass

from pileup.analysis import signs
from pileup.analysis.context import Context
from pileup.analysis.contract import ShiftDoc
from pileup.analysis.rules import Match, Rule, graded

THREADS = ("metric.threads_running", "mysql.Threads_running", "processlist.running")
RATES = ("metric.qps", "mysql.Questions", "mysql.Queries", "mysql.Com_select", "metric.com_select")


@dataclass(frozen=True, slots=True)
class Collapse:
    threads: ShiftDoc
    rate: ShiftDoc


def collapse(context: Context) -> Collapse | None:
    """More threads, less work, and they meet in latches: not a queue for a lock or a disk."""
    threads, rate = signs.shift(context, *THREADS), signs.shift(context, *RATES)
    if threads is None or rate is None or threads.direction != "up" or rate.direction != "down":
        return None
    many = (threads.stall or 0) >= 64 and (threads.ratio or 99) >= 4
    collapsed = (rate.ratio if rate.ratio is not None else 1) <= 0.5
    waiters = signs.most_waiters(context)
    rows, _, _ = signs.lock_waiters(context)
    if not (many and collapsed) or waiters < 0.2 * (threads.stall or 0) or rows.most > waiters:
        return None
    return Collapse(threads, rate)


def unlimited(context: Context) -> Match | None:
    """innodb_thread_concurrency=0 and a collapse of throughput (thread-concurrency-zero)."""
    found = collapse(context)
    if found is None:
        return None
    limit = context.number("innodb_thread_concurrency")
    spins = context.number("innodb_sync_spin_loops")
    if limit is not None and 0 < limit <= 64:
        return None
    score = graded(
        (True, 0.55),
        (limit == 0, 0.2),
        ((found.rate.ratio or 0) <= 0.2, 0.12),
        (spins is not None and spins > 30, 0.05),
    )
    evidence = [signs.moved(context, found.threads), signs.moved(context, found.rate)]
    named = ("innodb_thread_concurrency", "innodb_sync_spin_loops")
    evidence += [where for name in named if (where := signs.setting(context, name))]
    why = (
        f"Running threads rose to {found.threads.stall:,.0f} while the work done fell to "
        f"{found.rate.ratio or 0:.0%}: more threads, less work. Threads meet in latches "
        f"({signs.most_waiters(context)} at once)"
        + (
            ", and nothing limits how many run (innodb_thread_concurrency=0)."
            if limit == 0
            else "."
        )
    )
    return Match("thread-concurrency-zero", score, why, tuple(evidence))


def slots(context: Context) -> Match | None:
    """Statements queue for a concurrency slot (thread-concurrency-limit)."""
    queued = signs.stacks(
        context,
        lambda stack: any(name.startswith("srv_conc_enter_innodb") for name in stack),
        "queue to enter InnoDB",
    )
    waiting = signs.shift(context, "innodb.queries_in_queue")
    rose = waiting is not None and waiting.direction == "up" and (waiting.stall or 0) >= 5
    if queued.most < 5 and not rose:
        return None
    evidence = queued.evidence
    if waiting is not None and rose:
        evidence += (signs.moved(context, waiting),)
    why = "Statements queue for a slot of innodb_thread_concurrency while those inside are slow."
    return Match("thread-concurrency-limit", graded((True, 0.45), (rose, 0.2)), why, evidence)


def storm(context: Context) -> Match | None:
    """New connections many times the usual rate (connection-storm)."""
    rate = signs.shift(context, "mysql.Connections", "mysql.Threads_created", "metric.connections")
    if rate is None or rate.direction != "up" or (rate.ratio or 0) < 4 or (rate.stall or 0) < 20:
        return None
    login = signs.sessions(context, r"(?i)^login|^$^")
    why = f"New connections per second rose {rate.ratio:.0f} times to {rate.stall:.0f}."
    evidence = (signs.moved(context, rate), *login.evidence)
    return Match("connection-storm", graded((True, 0.35), (login.most > 5, 0.2)), why, evidence)


def dns(context: Context) -> Match | None:
    """Sessions stay unauthenticated (dns-login)."""
    frame = context.evidence.frame("session")
    if frame is None:
        return None
    strangers = frame.filter(frame["user"].fill_null("") == "unauthenticated user")
    if strangers.is_empty():
        return None
    most = int(strangers.group_by("artifact", "snapshot").len()["len"].max() or 0)  # type: ignore[arg-type]
    if most < 5:
        return None
    why = f"{most} sessions at once are 'unauthenticated user': logins wait for a reverse look-up."
    return Match("dns-login", 0.6, why, ())


RULES: tuple[Rule, ...] = (unlimited, slots, storm, dns)
