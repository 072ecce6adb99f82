"""The Time of a processlist: the age of a statement, or how far an applier is behind."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.evidence import listed_times
from pileup.cli.captures import Captures

LAG = 662_248


def session(user: str, command: str, state: str, time_s: float = LAG) -> dict[str, object]:
    return {"user": user, "command": command, "state": state, "time_s": time_s}


@pytest.mark.parametrize("user, command, state", [
    ("system user", "Connect", "Waiting for preceding transaction to commit"),
    ("system user", "Query", "waiting for handler commit"),
    ("repl", "Slave_worker", "Waiting for prior transaction to commit"),
    ("system user", "Connect", "Waiting for table metadata lock"),
])  # fmt: skip
def test_an_applier_has_not_waited_for_its_lag(user: str, command: str, state: str) -> None:
    row = session(user, command, state)
    assert listed_times.waited_s(row) is None
    assert listed_times.without_lags(pl.DataFrame([row]))["time_s"].to_list() == [None]


@pytest.mark.parametrize("user, command, state", [
    ("app", "Query", "Waiting for table metadata lock"),
    ("app", "Connect", "login"),
    ("system user", "Sleep", "wsrep: committing write set (81)"),
    ("system user", "Query", "wsrep: committing write set (81)"),
])  # fmt: skip
def test_any_other_session_has_waited_since_its_statement_began(
    user: str, command: str, state: str
) -> None:
    row = session(user, command, state)
    assert listed_times.waited_s(row) == LAG
    assert listed_times.without_lags(pl.DataFrame([row]))["time_s"].to_list() == [LAG]


@pytest.mark.parametrize(
    "state", ["Reading event from the relay log", "Waiting for Slave Worker to release partition"]
)
def test_how_far_behind_an_applier_at_work_is_stays_known(state: str) -> None:
    frame = pl.DataFrame([session("system user", "Connect", state)])
    assert listed_times.without_lags(frame)["time_s"].to_list() == [LAG]


def test_an_unknown_time_stays_unknown() -> None:
    row = session("app", "Query", "Waiting for table metadata lock") | {"time_s": None}
    assert listed_times.waited_s(row) is None
    assert listed_times.waited_s(None) is None


def test_other_sessions_keep_their_order_and_times() -> None:
    rows = [
        session("app", "Query", "updating", 7.0),
        session("system user", "Connect", "Waiting for preceding transaction to commit"),
        session("app", "Query", "Sending data", 3.0),
    ]
    found = listed_times.without_lags(pl.DataFrame(rows))
    assert found["time_s"].to_list() == [7.0, None, 3.0]
    assert found["user"].to_list() == ["app", "system user", "app"]


def test_no_text_calls_a_lag_a_wait(tmp_path: Path) -> None:
    rows = [
        f"| {20 + at} | system user | | NULL | Connect | {LAG} "
        "| Waiting for preceding transaction to commit | NULL |"
        for at in range(4)
    ]
    rows.append(
        "| 31 | system user | | NULL | Connect | 3 | Applying batch of row changes | NULL |"
    )
    (tmp_path / "list.txt").write_text("\n".join(rows) + "\n")
    captures = Captures()
    captures.read((tmp_path,))
    evidence = gather(captures.artifacts)
    analysis = analyse(evidence)
    assert analysis.blockers[0].holder.startswith("session 31")
    texts = [analysis.headline.text, *(finding.why for finding in analysis.findings)]
    assert not [text for text in texts if "662" in text]
