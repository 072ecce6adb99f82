"""A name that a release changed is still the same thing."""

from __future__ import annotations

import pytest
from tests.analysis.frames import evidence, setting

from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.servers import effective_settings
from pileup.knowledge import knowledge
from pileup.knowledge.renamed import current_name, look_up


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tx_isolation", "transaction_isolation"),
        ("slave_parallel_workers", "replica_parallel_workers"),
        ("Rpl_semi_sync_master_wait_sessions", "rpl_semi_sync_source_wait_sessions"),
        ("log_slow_slave_statements", "log_slow_replica_statements"),
        ("Waiting for master to send event", "waiting for source to send event"),
    ],
)
def test_both_names_are_one(old: str, new: str) -> None:
    assert current_name(old) == current_name(new) == new
    assert look_up({old: 1}, new) == 1 or old != old.lower()
    assert look_up({new: 1}, old) == 1


@pytest.mark.parametrize("name", ["tx_isolation", "transaction_isolation", "Tx_Isolation"])
def test_a_name_as_it_is_comes_first(name: str) -> None:
    """Of a server that has both, and of one that prints capitals."""
    every = {"transaction_isolation": "new", "tx_isolation": "old"}
    assert look_up(every | {name: "as it is"}, name) == "as it is"


def test_other_names_stay() -> None:
    for name in ("mastermind", "slaver_count", "innodb_buffer_pool_size"):
        assert current_name(name) == name
        assert look_up({}, name) is None


def test_a_setting_is_found_under_any_name() -> None:
    """Of an old server under the new name, and the other way round."""
    for printed in ("tx_isolation", "transaction_isolation"):
        given = evidence({"v": [setting(printed, "READ-COMMITTED")]})
        context = Context(given, settings=effective_settings(given))
        assert context.setting("tx_isolation") == "READ-COMMITTED"
        assert context.setting("transaction_isolation") == "READ-COMMITTED"


@pytest.mark.parametrize(
    "state",
    [
        "Waiting for source to send event",
        "Replica has read all relay log; waiting for more updates",
        "Waiting until SOURCE_DELAY seconds after source executed event",
        "Waiting for acl cache lock",
    ],
)
def test_states_of_current_servers_have_a_meaning(state: str) -> None:
    assert knowledge().state_for(None, state) is not None
