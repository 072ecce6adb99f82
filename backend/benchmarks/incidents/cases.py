"""One case from one seed: a mechanism on a server, as single files or as a whole capture."""

from __future__ import annotations

import itertools
import math
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from benchmarks.incidents import noise
from benchmarks.incidents.load import application
from benchmarks.incidents.mechanisms import MECHANISMS, Mechanism
from benchmarks.incidents.rendering.capture import capture_files
from benchmarks.incidents.rendering.error_log import error_log
from benchmarks.incidents.rendering.lock_tables import lock_table
from benchmarks.incidents.rendering.printed import Printed
from benchmarks.incidents.rendering.process_list import process_list, selected
from benchmarks.incidents.rendering.stack_samples import gdb, pmp
from benchmarks.incidents.rendering.status_dump import status_dump
from benchmarks.incidents.scenario import Scenario, Truth
from benchmarks.incidents.servers import pick
from benchmarks.incidents.simulation import Moment, World

PASTES = ("dump", "list", "stacks", "log", "locks")
WHOLE = "whole"
_SECONDS = 75
_SIZES = ((2, 6), (4, 12), (8, 40), (30, 120))
"""Sessions of an application: most pastes are of small servers or small troubles."""
_NAMES = {
    "dump": "innodb.txt",
    "list": "processlist.txt",
    "stacks": "stacks.txt",
    "log": "error.log",
    "locks": "locks.txt",
}
_RAMP = 4
"""Seconds until the load is even; a capture begins then."""
_FORMS = {
    "dump": "innodb-status",
    "list": "processlist",
    "stacks": "stacktrace",
    "log": "mysqld-error",
    "machine": "vmstat",
}
_HOLD_OUT = 0.35


@dataclass(frozen=True)
class Plan:
    """Which case to make."""

    mechanism: str
    server: str
    form: str
    """dump, list, stacks: one file; whole: a capture of many."""
    seed: int

    @property
    def name(self) -> str:
        """A name for folders and messages."""
        return f"{self.mechanism}.{self.server}.{self.form}.{self.seed}"

    @property
    def hold_out(self) -> bool:
        """Whether the case is for measuring only; weights are fitted on the others."""
        share = zlib.crc32(f"{self.mechanism} on {self.server}".encode()) % 1000 / 1000
        return share < _HOLD_OUT


@dataclass(frozen=True)
class Case:
    """Files as somebody would paste or upload them, and the truth."""

    plan: Plan
    files: dict[str, str]
    formats: dict[str, str]
    """File to the format that it is printed in."""
    truth: Truth
    shown: bool
    """Whether the files show the mechanism."""
    rooted: bool
    """Whether the files show the root."""
    holders: tuple[str, ...]
    """Session ids and threads that hold a latch that others wait for at the moment shown."""
    waiting: int
    """Sessions that wait at the moment shown, at most."""
    onset: datetime | None = None
    """When a whole capture's trouble begins, by the server's clock."""


def plans(count: int, seed: int = 1) -> list[Plan]:
    """Plan so many cases: every mechanism, server and form gets its turn, in mixed order.

    Whole captures take longest, loads that are fine have most forms, and a file that does not show
    its mechanism only tests that nothing false is stated: they come less often.
    """
    order = random.Random(seed)
    forms = (*PASTES, WHOLE)
    combinations = [
        (m.name, server, form)
        for m in MECHANISMS.values()
        for server in m.servers
        for form in forms
        if form in m.shown or form not in ("log", "locks") or (m.healthy and form == "log")
        if form != "locks" or server in m.locks
    ]
    planned: list[Plan] = []
    for turn in itertools.count():
        if len(planned) >= count:
            break
        order.shuffle(combinations)
        planned += [
            Plan(*names, order.randrange(1 << 30))
            for at, names in enumerate(combinations)
            if (at + turn) % _turns(*names) == 0
        ]
    return planned[:count]


def _turns(mechanism: str, _: str, form: str) -> int:
    """Return in which of how many rounds a combination takes part."""
    known = MECHANISMS[mechanism]
    if form == WHOLE:
        return 3
    return 2 if known.healthy else 1 if form in known.shown else 4


def make(plan: Plan) -> Case:
    """Simulate and print a case; the same plan always gives the same files."""
    rng = random.Random(f"{plan.name}")
    mechanism = MECHANISMS[plan.mechanism]
    if plan.form == WHOLE:
        return _whole(plan, mechanism, rng)
    for attempt in range(4):
        scenario = _scenario(plan, mechanism, rng)
        moment = _advance(scenario, rng)
        if mechanism.healthy or _waiting(moment) >= mechanism.least or attempt == 3:
            break
    return _paste(plan, mechanism, scenario, moment, rng)


def _scenario(
    plan: Plan,
    mechanism: Mechanism,
    rng: random.Random,
    onset: tuple[float, float] = (2.0, 5.0),
    least: int = 0,
    lasts: float = math.inf,
) -> Scenario:
    world = World(rng)
    app = application(world, rng)
    low, high = rng.choice(_SIZES)
    size = max(least, rng.randrange(low, high))
    began = rng.uniform(*onset)
    truth = Truth(plan.mechanism, began)
    scenario = Scenario(pick(plan.server, rng), world, app, rng, size, began, truth, began + lasts)
    mechanism.inject(scenario)
    for culprit in scenario.culprits:
        world.at(scenario.end, lambda session=culprit: world.kill(session))  # type: ignore[misc]
    app.arrive(size, 0.0)
    _bystanders(scenario)
    return scenario


def _bystanders(s: Scenario) -> None:
    """Add what most servers have: idle pool members, a monitor, a replica, an old sleeper."""
    for _ in range(s.rng.randrange(6)):
        session = s.app.client()
        session.since = -s.rng.uniform(1, 2000)
    if s.rng.random() < 0.4:
        session = s.app.client("monitor")
        session.since = s.rng.uniform(0, 3)
    if s.rng.random() < 0.25:
        session = s.app.client("repl")
        session.command, session.verb, session.statement = "Binlog Dump", "dump", None
        session.since = -s.rng.uniform(5000, 900_000)
        session.state = (
            "Master has sent all binlog to slave; waiting for more updates"
            if s.server.generation not in ("my84",)
            else "Source has sent all binlog to replica; waiting for more updates"
        )


def _advance(scenario: Scenario, rng: random.Random) -> Moment:
    world = scenario.world
    world.run(scenario.onset + rng.uniform(3.0, 14.0))
    for _ in range(6):
        moment = world.look()
        if scenario.truth.healthy or _waiting(moment) >= min(3, scenario.size // 4):
            break
        world.run(world.now + rng.uniform(0.2, 2.0))
    return moment


def _waiting(moment: Moment) -> int:
    return sum(session.wait is not None for session in moment.sessions)


def _one_file(form: str, printed: Printed, moment: Moment) -> tuple[str, str]:
    """Print one file and name its format."""
    rng = printed.rng
    if form == "dump":
        return status_dump(printed, moment, head=rng.choice(("g", "g", "t", ""))), "innodb-status"
    if form == "log":
        return error_log(printed, moment.time, moment), "error-log"
    if form == "list":
        layout = rng.choice(("box", "box", "rows", "tabs"))
        if rng.random() < 0.25:
            return selected(printed, moment, layout), "processlist"
        return process_list(printed, moment, layout, full=rng.random() < 0.8), "processlist"
    if form == "locks":
        return lock_table(printed, moment), "lock-tables"
    stripped, excerpt = rng.random() < 0.3, rng.random() < 0.3
    if rng.random() < 0.5:
        return gdb(printed, moment, stripped=stripped, excerpt=excerpt), "gdb"
    return pmp(printed, moment, stripped=stripped, excerpt=excerpt), "pmp"


def _clients_waiting(moment: Moment) -> int:
    """Count the waiting sessions that series show: appliers are no running threads."""
    return sum(s.wait is not None and not s.command for s in moment.sessions)


def _paste(
    plan: Plan, mechanism: Mechanism, scenario: Scenario, moment: Moment, rng: random.Random
) -> Case:
    printed = Printed(scenario, rng)
    text, format_ = _one_file(plan.form, printed, moment)
    text = noise.paste(text, format_, rng)
    name = _NAMES[plan.form]
    return Case(
        plan,
        {name: text},
        {name: format_},
        replace(scenario.truth),
        plan.form in mechanism.shown and _waiting(moment) >= mechanism.least,
        plan.form in mechanism.rooted,
        tuple(_holders(printed, moment)),
        _waiting(moment),
    )


def _whole(plan: Plan, mechanism: Mechanism, rng: random.Random) -> Case:
    """Print a capture: series of every second, listings, dumps, stacks, the machine, settings."""
    lasts = rng.choice((rng.uniform(15, 30), math.inf))
    scenario = _scenario(plan, mechanism, rng, (30.0, 45.0), 24, lasts)
    scenario.app.think_s = min(scenario.app.think_s, 0.3)
    moments = []
    for second in range(_SECONDS):
        scenario.world.run(float(second))
        moments.append(scenario.world.look())
    printed = Printed(scenario, rng, skew_s=rng.choice((0.0, 0.0, 0.4, -0.7)))
    files = capture_files(printed, moments[_RAMP:])
    ill = [m for m in moments if scenario.onset + 2 < m.time < scenario.end]
    worst = max(ill, key=_waiting)
    typical = sorted(_clients_waiting(moment) for moment in ill)[len(ill) // 2]
    forms = {form for name in files for form, stem in _FORMS.items() if stem in name}
    stalled = typical >= max(3, mechanism.least)
    onset = printed.at(scenario.onset) if stalled and not mechanism.healthy else None
    return Case(
        plan,
        {name: text for name, (text, _) in files.items()},
        {name: format_ for name, (_, format_) in files.items()},
        scenario.truth,
        stalled and not forms.isdisjoint(mechanism.shown),
        not forms.isdisjoint(mechanism.rooted),
        (),
        _waiting(worst),
        onset,
    )


def _holders(printed: Printed, moment: Moment) -> Iterator[str]:
    for resource, holders in moment.holders.items():
        for session, _ in holders if resource.kind == "latch" else ():
            yield str(session)
            yield str(printed.thread(printed.scenario.world.sessions[session]))


def made(count: int, seed: int = 1) -> Iterator[Case]:
    """Yield so many cases."""
    for plan in plans(count, seed):
        yield make(plan)
