"""Measure the analysis on generated incidents: `python -m benchmarks.incidents`.

Usage: python -m benchmarks.incidents [-n 300] [--seed 1] [--jobs 2] [--mechanism NAME]
       [--form FORM] [--failures FILE] [--json FILE] [--write FOLDER]
       [--show MECHANISM.SERVER.FORM.SEED]
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.incidents.cases import PASTES, WHOLE, Plan, make, plans
from benchmarks.incidents.report import failures, report
from benchmarks.incidents.scoring import Outcome, measure, write


def main() -> int:
    """Measure, print the tables, and write what failed."""
    options = _options()
    if options.show:
        mechanism, server, form, seed = options.show.split(".")
        return _show(Plan(mechanism, server, form, int(seed)), options.write)
    many = 100_000 if options.mechanism or options.form else options.n
    planned = [
        plan
        for plan in plans(many, options.seed)
        if options.mechanism in (None, plan.mechanism) and options.form in (None, plan.form)
    ][: options.n]
    if options.write:
        for plan in planned:
            write(make(plan), options.write / plan.name)
        return 0
    start = time.perf_counter()
    outcomes = measure_all(planned, options.jobs)
    print(report(outcomes, time.perf_counter() - start))
    if options.json:
        rows = [{"case": o.plan.name, "hold_out": o.plan.hold_out} | asdict(o) for o in outcomes]
        options.json.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    if options.failures:
        options.failures.parent.mkdir(parents=True, exist_ok=True)
        options.failures.write_text(failures(outcomes))
    return 0


def measure_all(planned: Sequence[Plan], jobs: int) -> list[Outcome]:
    """Measure the plans, in so many processes."""
    if jobs < 2:
        return [measure(plan) for plan in planned]
    # spawn: polars runs threads, and a fork of a process with threads may hang
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        return list(pool.imap_unordered(measure, planned, chunksize=8))


def _show(plan: Plan, folder: Path | None) -> int:
    """Print the outcome of one case, and write its files if a folder is given."""
    case = make(plan)
    print(f"truth: {case.truth}, {case.waiting} waiting, shown: {case.shown}")
    if folder:
        print("\n".join(str(path) for path in write(case, folder / plan.name)))
    print(measure(plan))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.incidents", description=__doc__)
    parser.add_argument("-n", type=int, default=300, help="cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mechanism", help="only this one")
    parser.add_argument("--form", choices=[*PASTES, WHOLE], help="only this one")
    parser.add_argument("--failures", type=Path, help="write what failed, by class, to this file")
    parser.add_argument("--json", type=Path, help="write each outcome as a line of JSON")
    parser.add_argument("--write", type=Path, help="write the cases into this folder, analyse none")
    parser.add_argument("--show", metavar="CASE", help="analyse one case by its name")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
