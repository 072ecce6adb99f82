"""docker ps and docker inspect: how containers ended."""

from __future__ import annotations

import pytest

from pileup.formats.logs import container_states
from pileup.records import Event, Skipped
from tests.formats.checks import SAMPLES, samples


@pytest.mark.parametrize("path", samples("container-states"), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def test_a_row_is_an_event_with_the_name_and_how_it_ended() -> None:
    text = (SAMPLES / "container-states" / "docker-ps.txt").read_text(encoding="utf-8")
    items = list(container_states.parse(text.split("\n")))
    assert [(i.code, i.message) for i in items if isinstance(i, Event)] == [
        ("137", "Container shop-db-1: Exited (137) 2 minutes ago"),
        ("1", "Container wiki-db-1: Restarting (1) 12 seconds ago"),
    ]
    assert sum(isinstance(i, Skipped) for i in items) == 2


def test_a_state_says_when_and_whether_memory_ran_out() -> None:
    text = (SAMPLES / "container-states" / "docker-inspect.txt").read_text(encoding="utf-8")
    (event,) = (i for i in container_states.parse(text.split("\n")) if isinstance(i, Event))
    assert (event.kind, event.wall_us, event.clock) == ("oom_kill", 1795213305_987654, "utc")
    assert event.message == "Container shop-db-1 ended: OOMKilled, exit code 137"
    calm = text.replace("true", "false").replace("137", "0")
    assert not [i for i in container_states.parse(calm.split("\n")) if isinstance(i, Event)]


def test_two_states_are_two_containers_and_a_row_needs_no_heading() -> None:
    state = '"Status": "exited",\n"OOMKilled": false,\n"ExitCode": 1,\n"Error": "no such file",\n'
    events = [i for i in container_states.parse((state * 2).split("\n")) if isinstance(i, Event)]
    assert [event.message for event in events] == [
        "A container ended: exit code 1, no such file"
    ] * 2
    row = 'd2c9d3f4a1b2   mysql:8.4   "mysqld"   3 hours ago   Exited (137) 2 minutes ago'
    assert container_states.sniff(row)
    (event,) = container_states.parse([row])
    assert isinstance(event, Event)
    assert event.message == "Container d2c9d3f4a1b2: Exited (137) 2 minutes ago"
    assert not container_states.sniff(row.replace("Exited (137)", "Up"))
    assert not container_states.sniff("the log says that it Exited (1) again")
