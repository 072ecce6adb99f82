"""Output of monitoring and tracers, grown to a size: pieces for ``inputs``.

The forms are those of the committed samples (backend/tests/samples); values and times advance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count

from benchmarks.sources import sample

_START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
_EPOCH_S = int(_START.timestamp())
_POINTS = 5_000


def csv_legends(_: float) -> Iterator[str]:
    """Yield Grafana's "series joined by time": legends as headers, units that change by row."""
    header = sample("csv-table/grafana-joined-by-time-legends.csv").partition("\n")[0]
    columns = header.count('","') or header.count(",")
    yield header + "\n"
    for second in count():
        stamp = (_START + timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S")
        cells = [f"{(second * (n + 7)) % 99_991 / 8:g}" for n in range(columns)]
        cells[-1] = f"{second % 1_500} ms" if second % 1_500 < 1_000 else f"{second % 60 / 8} s"
        yield f"{stamp},{','.join(cells)}\n"


def openmetrics(_: float) -> Iterator[str]:
    """Yield consecutive scrapes of an exporter, with milliseconds after each value."""
    names = [(f"mysql_global_status_counter_{n}", n) for n in range(400)]
    for second in count():
        stamp = (_EPOCH_S + second) * 1000
        yield "".join(
            [
                f"# TYPE {name} counter\n"
                f'{name}{{instance="db{n % 7}:9104",job="mysql"}} {second * n % 99_991} {stamp}\n'
                for name, n in names
            ]
        )


def prometheus_json(_: float) -> Iterator[str]:
    """Yield the response of a range query on one line: series of 5,000 points each."""
    yield '{"status":"success","data":{"resultType":"matrix","result":['
    for series in count():
        name = {"__name__": f"mysql_global_status_counter_{series}", "instance": "db1:9104"}
        points = ",".join(
            f'[{_EPOCH_S + 15 * n},"{series * n % 99_991 / 8:g}"]' for n in range(_POINTS)
        )
        yield f'{"," if series else ""}{{"metric":{json.dumps(name)},"values":[{points}]}}'


def strace(_: float) -> Iterator[str]:
    """Yield ``strace -f -T -tt`` of a server: the sample's calls with other threads and times."""
    lines = sample("strace/5.6-f-T-tt-collapse.txt").splitlines()
    calls = [match[1] for line in lines if (match := re.match(r"\d+ +[\d:.]{15} (.*)", line))]
    for at in count():
        when = _START + timedelta(milliseconds=at)
        yield "".join(
            [
                f"{2_500 + (n + at) % 997}  {when:%H:%M:%S}.{(at * 1000 + n) % 1_000_000:06d} {c}\n"
                for n, c in enumerate(calls)
            ]
        )
