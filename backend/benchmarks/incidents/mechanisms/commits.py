"""Commits that wait: slow flushes, acknowledgements, work inside the group commit."""

from __future__ import annotations

from benchmarks.incidents.mechanisms.catalogue import ALL, mechanism
from benchmarks.incidents.scenario import Scenario


@mechanism("slow-flush", least=3, shown="stacks", rooted="")
def slow_flush(s: Scenario) -> None:
    """Make every flush of the logs slow."""
    s.app.write_share = s.rng.uniform(0.5, 0.9)
    low = s.rng.uniform(0.4, 3.0)
    quick = s.world.fsync_s
    s.world.fsync_s = lambda: s.rng.uniform(low, 3 * low) if s.on else quick()
    s.truth.root = r"fsync|flush|commit|fdatasync|storage"
    s.machine |= {"io_await_ms": low * 400, "io_util": 100.0, "iowait": 40.0}
    s.settings |= {"sync_binlog": "1", "innodb_flush_log_at_trx_commit": "1"}


@mechanism(
    "semi-sync",
    least=2,
    shown="list stacks",
    servers=tuple(key for key in ALL if key not in ("ma102", "ma106", "ma114")),
)
def semi_sync(s: Scenario) -> None:
    """Lose the acknowledgement of the replica: each group waits for the timeout."""
    s.app.write_share = s.rng.uniform(0.5, 0.9)
    low = s.rng.uniform(2.0, 8.0)
    quick = s.world.fsync_s
    s.world.fsync_s = lambda: low if s.on else quick()
    s.truth.root = r"semi|ack|commit"
    s.world.leader_doing = lambda: "awaiting ack" if s.on else "flushing"
    s.settings |= {"rpl_semi_sync_master_enabled": "ON", "rpl_semi_sync_master_timeout": "10000"}
