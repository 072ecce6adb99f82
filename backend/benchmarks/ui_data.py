"""Store a large incident for the screens in the data folder of a running `pileup run`.

200 series of a million samples each (a day, 11.6 a second, on four hosts) and three moments in
which 5,000 transactions wait for one another's rows, 715 of them with others behind. An upload of
that much text would take the worker most of an hour, and is not measured here: the samples are
made piece by piece and written by the store's own writer, the rest goes through the analysis.
Usage: python -m benchmarks.ui_data --home FOLDER --incident ID [--series 200] [--samples 1000000]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from pileup.analysis import Evidence, EvidenceArtifact, analyse, gather
from pileup.analysis.blocked_time.first_view import first_waits
from pileup.records import LockWait, Samples, Snapshot, records_frame, samples_frame
from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings
from pileup.storage.database import Database
from pileup.storage.files.placed_evidence import PlacedStore, write_samples
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incidents
from pileup.worker.digest import compute_digest

HOSTS, WAITERS, FAN, TABLES, MOMENTS = 4, 4999, 7, 40, 3
_S = 1_000_000
_T0 = 1_795_212_000 * _S
_STEP = 86_400  # µs: a million samples are a day
_FROM, _TO = 0.60, 0.602
"""The stall, as shares of the day."""


def main() -> None:
    """Make the incident and print how long that took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", required=True)
    parser.add_argument("--incident", required=True)
    parser.add_argument("--series", type=int, default=200)
    parser.add_argument("--samples", type=int, default=1_000_000)
    given = parser.parse_args()
    started = time.monotonic()
    settings = resolve(Settings(home=Path(given.home)))
    store = PlacedStore(settings.placed_dir)
    evidence = small()
    document = analyse(evidence)
    store.replace(given.incident, evidence, first_waits(evidence, document))
    catalogue = add_series(settings.placed_dir, given.incident, given.series, given.samples)
    whole: dict[str, Any] = msgspec.to_builtins(document)
    whole["series"] += catalogue
    with Database(need_database(settings)).unit() as unit:
        Analyses(unit).replace(given.incident, whole, time.monotonic() - started)
        Incidents(unit).digest(given.incident, compute_digest(document, evidence))
    rows = given.series * given.samples
    print(f"{rows:,} samples, {time.monotonic() - started:.0f} s", file=sys.stderr)


def small() -> Evidence:
    """Make the evidence that the analysis uses: running threads per second, and lock waits."""
    onset = round(_FROM * 86_400)
    length = round((_TO - _FROM) * 86_400)
    values = [3.0 + n % 3 for n in range(86_400)]
    for second in range(onset, onset + length):
        values[second] = 4000.0
    running = Samples(
        series="metric.threads_running",
        kind="gauge",
        unit="threads",
        clock="utc",
        wall_us=[_T0 + n * _S for n in range(86_400)],
        values=values,
        lines=list(range(1, 86_401)),
        labels=(),
        host="db-0",
    )
    seen, waits = [], []
    line = 0
    for snapshot in range(MOMENTS):
        after = 20 + 10 * snapshot
        moment: dict[str, Any] = {
            "wall_us": _T0 + (onset + after) * _S,
            "clock": "utc",
            "host": "db-0",
            "snapshot": snapshot,
        }
        line += 1
        seen.append(
            Snapshot(
                line_first=line, line_last=line, kind="lock_waits", time_quality="exact", **moment
            )
        )
        for waiter, blocker, holder in _pairs():
            line += 1
            waits.append(
                LockWait(
                    line_first=line,
                    line_last=line,
                    lock_kind="record",
                    waiting_trx=str(10_000 + waiter),
                    waiting_session=10_000 + waiter,
                    waiting_s=float(after),
                    blocking_trx=str(10_000 + blocker),
                    blocking_session=10_000 + blocker,
                    table=f"shop.t{holder % TABLES}",
                    index="PRIMARY",
                    mode="X",
                    lock_id=f"140:{20 + holder % TABLES}:{4 + holder // 100}:{2 + holder % 100}",
                    **moment,
                )
            )
    described = EvidenceArtifact("b" * 64, "lock-waits.txt", 1, None)
    frames = {
        "sample": samples_frame([running]),
        "snapshot": records_frame("snapshot", seen),
        "lock_wait": records_frame("lock_wait", waits),
    }
    return gather([(described, frames)])


def _pairs() -> Iterator[tuple[int, int, int]]:
    """Yield waiter, blocker and holder of the row, as data_lock_waits lists them.

    Each of the first transactions has a row that seven others want, and waits for one itself. A
    waiter is listed with the holder and with all waiters ahead of it in the queue as blockers.
    """
    for waiter in range(1, WAITERS + 1):
        holder = (waiter - 1) // FAN
        yield waiter, holder, holder
        for ahead in range(FAN * holder + 1, waiter):
            yield waiter, ahead, holder


def add_series(placed: Path, incident: str, count: int, size: int) -> list[dict[str, Any]]:
    """Write the long series after the few, and return their rows of the catalogue."""
    home = placed / incident
    run = home / (home / "current").read_text().split()[0]
    few = pl.read_parquet(run / "sample.parquet").sort("id", "time")
    parts = write_samples(run, _pieces(few, count, size))
    index = msgspec.json.decode((run / "evidence.json").read_bytes())
    index["parts"] = parts
    (run / "evidence.json").write_bytes(msgspec.json.encode(index))
    (run / "files.json").unlink()  # the lengths of the files as they were
    return [_row(number, size) for number in range(count)]


def _pieces(few: pl.DataFrame, count: int, size: int) -> Iterator[pl.DataFrame]:
    yield few
    for number in range(count):
        about = _row(number, size)
        at = pl.int_range(size)
        inside = at.is_between(round(_FROM * size), round(_TO * size))
        # deterministic, without two samples alike: a wave, a scatter, and the stall
        wave = (at / (3000 + 13 * number)).sin() * 40 + 60
        value = (
            wave
            + (at.hash(seed=number) % 1000) / 100
            + pl.when(inside).then(200 * (number % 5)).otherwise(0)
        )
        if about["kind"] == "counter":
            value = (value * 10).cum_sum()
        made = pl.select(time=_T0 + at * _STEP, value=value.round(2))
        known = {"id": about["id"], "series": about["name"], "labels": "", "kind": about["kind"],
                 "host": about["host"], "artifact": about["artifact"], "clock": "utc"}  # fmt: skip
        yield made.select(
            [
                pl.col(name)
                if name in made.columns
                else pl.lit(known.get(name), dtype=dtype).alias(name)
                for name, dtype in few.schema.items()
            ]
        )


def _row(number: int, size: int) -> dict[str, Any]:
    host = f"db-{number % HOSTS}"
    name = f"mysql.Counter_{number:03d}"
    return {
        "id": f"{name}@{host}",
        "name": name,
        "labels": "",
        "host": host,
        "kind": "counter" if number % 3 == 0 else "gauge",
        "unit": None,
        "points": size,
        "first": "2026-11-20T22:00:00Z",
        "last": "2026-11-21T21:59:59Z",
        "min": 0.0,
        "max": 1000.0,
        "artifact": "b" * 64,
    }


if __name__ == "__main__":
    main()
