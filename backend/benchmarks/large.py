"""Measure the analysis of a large incident: seconds and memory at a quarter, a half and the whole.

The whole is the content of about 450 MB of captures: 20 hosts, 250 series each (mysqladmin, a value
a second for twenty minutes: 6 million samples), 500 status dumps of 300 transactions and up to 300
waiting threads, 20 stack samples. One host stalls on one latch. Frames are made as parsers yield
them and read from Parquet, each size in a process of its own.
Usage: python -m benchmarks.large
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import polars as pl

from pileup.analysis import EvidenceArtifact, analyse, gather
from pileup.records import (
    Frame,
    Samples,
    SemaphoreWait,
    Setting,
    Snapshot,
    Stack,
    Transaction,
    records_frame,
    samples_frame,
)

HOSTS, SERIES, SECONDS, DUMPS, WAITERS, STACKS = 20, 250, 1200, 500, 300, 20
_S = 1_000_000
_T0 = 1_795_212_000 * _S
_ONSET, _END = 600, 720
_BYTES_A_SAMPLE, _BYTES_A_WAIT, _BYTES_A_TRX = 55, 330, 420
"""Bytes of text, as mysqladmin and the status dump print them."""


def main() -> None:
    """Print a line per size: its size as text, seconds, peak memory."""
    columns = f"{'samples':>12}{'dumps':>7}{'wall s':>9}{'CPU s':>8}{'peak MB':>9}"
    print(f"{'share':<8}{'text MB':>9}{columns}")
    for share in (0.25, 0.5, 1.0):
        with tempfile.TemporaryDirectory() as folder:
            _child("--make", folder, str(share))
            seen = json.loads(_child("--analyse", folder, str(share)))
        print(
            f"{share:<8}{seen['text_mb']:>9.0f}{seen['samples']:>12,}{seen['dumps']:>7}"
            f"{seen['seconds']:>9.1f}{seen['cpu']:>8.1f}{seen['peak_mb']:>9.0f}  {seen['says']}",
            flush=True,
        )


def _child(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.large", *words], stdout=subprocess.PIPE, check=True
    )
    return done.stdout.decode()


def make(folder: Path, share: float) -> None:
    """Write the frames of a size, as the frame store does."""
    for artifact, frames in _artifacts(round(HOSTS * share), round(DUMPS * share)):
        for kind, frame in frames.items():
            frame.write_parquet(folder / f"{artifact.path.replace('/', '@')}.{kind}")


def analyse_size(folder: Path, share: float) -> None:
    """Analyse the frames of a size and print time and memory as JSON."""
    hosts = round(HOSTS * share)
    dumps = round(DUMPS * share)
    start, cpu = time.perf_counter(), time.process_time()
    evidence = gather(_stored(folder))
    analysis = analyse(evidence)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    samples = hosts * SERIES * SECONDS
    text = samples * _BYTES_A_SAMPLE + dumps * WAITERS * (_BYTES_A_WAIT + _BYTES_A_TRX)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    best = analysis.findings[0].id if analysis.findings else "nothing found"
    print(
        json.dumps(
            {
                "text_mb": text / 1e6,
                "samples": samples,
                "dumps": dumps,
                "seconds": seconds,
                "cpu": cpu,
                "peak_mb": peak / 1e6,
                "says": f"{best}; {len(analysis.stalls)} stalls",
            }
        )
    )


def _stored(folder: Path) -> Iterator[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]]:
    files: dict[str, list[Path]] = {}
    for path in sorted(folder.iterdir()):
        files.setdefault(path.name.rpartition(".")[0], []).append(path)
    for name, paths in files.items():
        frames = {path.suffix[1:]: pl.read_parquet(path) for path in paths}
        yield _artifact(name.replace("@", "/"), frames)


def _artifacts(
    hosts: int, dumps: int
) -> Iterator[tuple[EvidenceArtifact, dict[str, pl.DataFrame]]]:
    for number in range(hosts):
        host = f"db-{number:02}"
        yield _artifact(f"{host}/mysqladmin-ext", {"sample": _samples(host, stalled=number == 0)})
    yield _artifact("db-00/innodb-status", _dumps("db-00", dumps))
    settings = [
        Setting(line_first=1, line_last=1, name=name, value=value, source="SHOW VARIABLES")
        for name, value in (("version", "5.7.29"), ("innodb_adaptive_hash_index", "ON"))
    ]
    yield _artifact("db-00/variables", {"setting": records_frame("setting", settings)})


def _artifact(
    path: str, frames: dict[str, pl.DataFrame]
) -> tuple[EvidenceArtifact, dict[str, pl.DataFrame]]:
    return EvidenceArtifact(path.ljust(64, "0"), path, 1, None), frames


def _samples(host: str, *, stalled: bool) -> pl.DataFrame:
    """Make running threads and 249 growing counters; on the stalled host they slow down."""
    rng = random.Random(host)
    times = [_T0 + i * _S for i in range(SECONDS)]
    lines = list(range(1, SECONDS + 1))
    chunks = []
    kind: Literal["counter", "gauge"]
    for number in range(SERIES):
        if number == 0:
            name, kind = "mysql.Threads_running", "gauge"
            values = [
                float(
                    rng.randint(150, 250) if stalled and _ONSET <= i < _END else rng.randint(2, 9)
                )
                for i in range(SECONDS)
            ]
        else:
            name = "mysql.Questions" if number == 1 else f"mysql.Counter_{number}"
            kind, total, values = "counter", 0.0, []
            for i in range(SECONDS):
                slow = stalled and _ONSET <= i < _END
                total += rng.randint(80, 120) * (0.1 if slow else 1.0) * number
                values.append(total)
        chunks.append(
            Samples(
                series=name,
                kind=kind,
                unit=None,
                clock="utc",
                wall_us=times,
                values=values,
                lines=lines,
                host=host,
            )
        )
    return samples_frame(chunks)


def _dumps(host: str, dumps: int) -> dict[str, pl.DataFrame]:
    rng = random.Random(1)
    snapshots, waits, transactions, stacks = [], [], [], []
    step = SECONDS / dumps
    for dump in range(dumps):
        second = dump * step
        at: dict[str, Any] = {
            "wall_us": _T0 + round(second * _S), "clock": "utc", "snapshot": dump, "host": host,
            "line_first": dump * 9000 + 1, "line_last": dump * 9000 + 9000,
        }  # fmt: skip
        snapshots.append(Snapshot(kind="innodb_status", time_quality="exact", **at))
        waits += [
            SemaphoreWait(
                thread_id=140_000_000 + thread, file="btr0sea.ic", line=98, waited_s=0.0, mode="S",
                latch_address="0x2db49f8" if rng.random() < 0.8 else hex(thread),
                created_file="btr0sea.cc", created_line=202, **at,
            )
            for thread in range(WAITERS if _ONSET <= second < _END else WAITERS // 3)
        ]  # fmt: skip
        transactions += [
            Transaction(
                trx_id=str(dump * 1000 + n), state="ACTIVE", active_s=1.0, session_id=n,
                os_thread=140_000_000 + n, query=f"SELECT * FROM t WHERE id IN ({n}, {n + 1})",
                row_locks=0, **at,
            )
            for n in range(WAITERS)
        ]  # fmt: skip
    for sample in range(STACKS):
        at = {"wall_us": _T0 + sample * 60 * _S, "clock": "utc", "snapshot": sample, "host": host}
        snapshots.append(Snapshot(kind="stacks", line_first=1, line_last=1, **at))
        for line in range(1, 60):
            frames = tuple(
                Frame(function=name)
                for name in ("pthread_cond_wait", "os_event_wait_low", f"work_{line}", "main")
            )
            stacks.append(Stack(count=5, frames=frames, line_first=line, line_last=line, **at))
    return {
        "snapshot": records_frame("snapshot", snapshots),
        "semaphore_wait": records_frame("semaphore_wait", waits),
        "transaction": records_frame("transaction", transactions),
        "stack": records_frame("stack", stacks),
    }


if __name__ == "__main__":
    if sys.argv[1:2] == ["--make"]:
        make(Path(sys.argv[2]), float(sys.argv[3]))
    elif sys.argv[1:2] == ["--analyse"]:
        analyse_size(Path(sys.argv[2]), float(sys.argv[3]))
    else:
        main()
