"""Inject faults into a whole installation, one after another, and keep a ledger.

Before each fault files are uploaded; people comment and type all the time. After each fault the
installation must be whole again within 30 s: both APIs take writes, and every file was read and
analysed. Everything that was acknowledged must be there, once.

Usage: python -m faults [--minutes 9] [--faults 1000] [--seed 1] [--only "kill -9 an API"]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import random
import shutil
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from faults.installation import Installation, wait_for
from faults.kinds import KINDS, Kind
from faults.ledger import Ledger
from faults.remains import remove_remains

_LIMIT_S = 30.0
_PATIENCE_S = 240.0
"""Time after which a run that does not recover ends."""
_START_S = 120.0
_PER_INCIDENT = 25


@dataclass
class Record:
    """What happened with the faults of one kind."""

    recovered_s: list[float] = field(default_factory=list)
    late: int = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print a table; return 1 when anything was lost, doubled or late."""
    options = _options(arguments)
    logging.disable(logging.CRITICAL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # hung up: its terminal closed
        signal.signal(number, _leave)
    remove_remains()
    dice = random.Random(options.seed)
    installation = Installation({})
    print(f"seed {options.seed}, files and logs in {installation.base}", flush=True)
    records: dict[str, Record] = defaultdict(Record)
    problems: list[str] = []
    counts: dict[str, int] = {}
    kinds = _kinds(installation, options.only)
    try:
        for service in installation.services.values():
            wait_for(f"the {service.name} runs", partial(getattr, service, "running"), _START_S)
        ledger = Ledger(installation, random.Random(options.seed + 1))
    except BaseException:
        installation.close()
        raise
    try:
        ledger.begin()
        wait_for("the installation is ready", ledger.ready, _START_S)
        problems = _inject(installation, ledger, kinds, dice, options, records)
        ledger.end()
        wait_for("all work is over", ledger.settled, _PATIENCE_S)
        problems += ledger.all_problems()
        counts = ledger.counts()
    except TimeoutError as error:
        problems += [str(error), *ledger.open_work(), *ledger.problems()]
    finally:
        if problems and options.keep:
            _keep_logs(installation, options.keep)
        installation.close()
    late = sum(record.late for record in records.values())
    _print(records, counts, problems, late)
    if options.json:
        _write_json(options.json, options.seed, records, counts, problems)
    return 1 if problems or late else 0


def _leave(number: int, _frame: object) -> None:
    sys.exit(128 + number)


def _inject(
    installation: Installation,
    ledger: Ledger,
    kinds: list[Kind],
    dice: random.Random,
    options: argparse.Namespace,
    records: dict[str, Record],
) -> list[str]:
    until = time.monotonic() + 60 * options.minutes
    bag: list[Kind] = []
    for number in range(1, options.faults + 1):
        if time.monotonic() > until:
            break
        if not bag:  # every kind has its turn, in another order each time
            bag = [kind for kind in kinds for _ in range(kind.weight)]
            dice.shuffle(bag)
        kind = bag.pop()
        ledger.upload(archive=number % 4 == 0)
        kind.does(installation, dice)
        healed = time.monotonic()
        ledger.upload(1)
        wait_for(f"ready after: {kind.name}", ledger.ready, _PATIENCE_S)
        wait_for(f"all is read after: {kind.name}", ledger.settled, _PATIENCE_S)
        seconds = time.monotonic() - healed
        records[kind.name].recovered_s.append(seconds)
        records[kind.name].late += seconds > _LIMIT_S
        print(f"{number:5} {seconds:6.1f} s  {kind.name}", flush=True)
        if problems := ledger.problems():
            return [f"after fault {number}, {kind.name}: {text}" for text in problems]
        if number % _PER_INCIDENT == 0:
            ledger.new_incident()
    return []


def _kinds(installation: Installation, only: Sequence[str] | None) -> list[Kind]:
    chosen = [kind for kind in KINDS if not only or kind.name in only]
    if not chosen:
        sys.exit("no such kind of fault; there are:\n  " + "\n  ".join(k.name for k in KINDS))
    for kind in chosen:
        if not kind.possible(installation):
            print(f"not possible here: {kind.name} (needs {kind.needs})")
    return [kind for kind in chosen if kind.possible(installation)]


def _print(
    records: dict[str, Record], counts: dict[str, int], problems: list[str], late: int
) -> None:
    print(f"\n{'fault':<46} {'times':>5} {'median':>7} {'longest':>8}")
    for name, record in sorted(records.items()):
        times = sorted(record.recovered_s)
        print(f"{name:<46} {len(times):>5} {times[len(times) // 2]:>5.1f} s {times[-1]:>6.1f} s")
    total = sum(len(record.recovered_s) for record in records.values())
    kept = ", ".join(f"{number} {name}" for name, number in counts.items())
    print(f"{total} faults; acknowledged: {kept or 'not counted'}")
    print(f"{len(problems)} lost, doubled or failed; {late} recovered later than {_LIMIT_S:.0f} s")
    for text in problems:
        print(f"  {text}")


def _write_json(
    path: Path,
    seed: int,
    records: dict[str, Record],
    counts: dict[str, int],
    problems: list[str],
) -> None:
    found = {
        "seed": seed,
        "processors": os.cpu_count(),
        "counts": counts,
        "problems": problems,
        "recovered_s": {name: record.recovered_s for name, record in records.items()},
    }
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _keep_logs(installation: Installation, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for log in installation.base.glob("*.log*"):
        with contextlib.suppress(OSError):
            shutil.copy(log, folder)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--faults", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", action="append", help="a kind of fault; repeat it for several")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--keep", type=Path, help="copy the logs of a run with problems here")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
