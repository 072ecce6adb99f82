"""Laws of one population: views of the same sessions are joined, never added."""

from __future__ import annotations

import random

import polars as pl
import pytest

from pileup.analysis.blocked_time import measure
from pileup.analysis.blocked_time.population import Population, limited, population
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.scene import scene
from pileup.analysis.waits import view
from pileup.analysis.waits.counts import threads_behind
from pileup.analysis.waits.draft import Graph
from pileup.analysis.waits.graph import build
from pileup.analysis.waits.moment_graph import count_graph, whole_graph
from pileup.analysis.waits.moments import moments, spread
from pileup.analysis.waits.one_population import is_background, is_guess
from pileup.knowledge import wait_classes
from tests.analysis.blocked_time.scenes import VIEWS, people, some_people, views
from tests.analysis.frames import T0
from tests.support.captures import evidence_of, of_samples, sample


def measured(found: Evidence) -> tuple[Population, int]:
    here = scene(found, T0)
    graph = build(found, here)
    blocks_no_more_than_wait(graph)
    return population(here, graph), len(graph.counted)


def blocks_no_more_than_wait(graph: Graph) -> None:
    """Whatever is blocked behind all roots together waits, and counts once."""
    total = count_graph(graph).total
    assert max(total.values(), default=0) <= len(graph.counted)
    assert graph.counted <= graph.waiting()
    ahead = {edge.source for edge in graph.edges}
    roots = {edge.target for edge in graph.edges} - ahead
    behind: dict[str, list[str]] = {}
    for edge in graph.edges:
        behind.setdefault(edge.target, []).append(edge.source)
    blocked = threads_behind(roots, behind, graph.waiting(), graph.uncounted, through=True)
    assert blocked <= len(graph.counted)


@pytest.mark.seeds(40, 400)
def test_no_session_is_drawn_twice(seed: int) -> None:
    """Who does not count is drawn only for what it holds, as the server's own, or when found."""
    dice = random.Random(seed)
    names = dice.sample(VIEWS, dice.randint(1, len(VIEWS)))
    whole = whole_graph(views(some_people(dice), names), T0)
    graph, drawn = whole.graph, view.shown(whole, folded=False)
    nodes = {node.id for node in drawn.nodes}
    assert graph.counted <= nodes
    shared = {edge.target for edge in graph.edges if edge.source in graph.counted}
    for name in graph.uncounted & nodes:
        edges = graph.touching[name]
        holds = any(edge.target == name for edge in edges)
        alone = not is_guess(graph.actors[name]) and not shared.issuperset(e.target for e in edges)
        assert holds or alone or is_background(graph.actors[name])
    assert all(edge.source in nodes and edge.target in nodes for edge in drawn.edges)
    left_out = graph.waiting() - nodes
    assert bool(left_out) == any("not drawn" in note for note in drawn.notes)


@pytest.mark.seeds(40, 400)
def test_any_views_of_a_population_show_no_more_than_it(seed: int) -> None:
    dice = random.Random(seed)
    everybody = some_people(dice)
    active = sum(person.doing != "idle" for person in everybody)
    names = dice.sample(VIEWS, dice.randint(1, len(VIEWS)))
    shown, waiting = measured(views(everybody, names))
    assert waiting <= shown.active + 1e-6
    assert shown.active <= active + 1e-6
    assert sum(shown.by_class().values()) == pytest.approx(shown.active)
    assert all(member.weight >= 0 for member in shown.members.values())
    again, waiting_again = measured(views(everybody, names, order=seed + 1))
    assert waiting_again == waiting
    assert again.by_class() == pytest.approx(shown.by_class())


@pytest.mark.seeds(20, 400)
def test_no_more_threads_count_than_are_connected(seed: int) -> None:
    """Printed session ids always count; what has none fits in the rest; classes still add up."""
    dice = random.Random(seed)
    everybody = some_people(dice)
    found = views(everybody, dice.sample(VIEWS, dice.randint(1, len(VIEWS))))
    free, _ = measured(found)
    connected = float(dice.randint(1, len(everybody) + 2))
    held = limited(measured(found)[0], connected)
    printed = sum(m.weight for m in free.members.values() if m.session_id is not None)
    assert held.active <= max(connected, printed) + 1e-6
    assert min(free.active, connected) - 1e-6 <= held.active <= free.active + 1e-6
    assert sum(held.by_class().values()) == pytest.approx(held.active)
    named = [m.weight for m in held.members.values() if m.session_id is not None]
    assert sum(named) == pytest.approx(printed)
    assert (len(held.notes) > len(free.notes)) == (held.active < free.active - 1e-6)
    assert limited(free, None) is free


@pytest.mark.seeds(20, 200)
def test_a_further_view_adds_nobody(seed: int) -> None:
    """With a processlist, everybody is known: other layers only say more of the same sessions."""
    dice = random.Random(seed)
    everybody = some_people(dice)
    active = sum(person.doing != "idle" for person in everybody)
    others = dice.sample(VIEWS[1:], dice.randint(0, len(VIEWS) - 1))
    shown, _ = measured(views(everybody, ["processlist", *others]))
    assert shown.active == pytest.approx(active)


@pytest.mark.parametrize("view", ["gdb", "pmp"])
def test_stacks_and_states_of_one_wait_are_the_same_sessions(view: str) -> None:
    """160 stacks below MDL_context::acquire_lock, 160 states: 160 sessions."""
    everybody = people({"metadata_lock": 160, "working": 2})
    shown, waiting = measured(views(everybody, ["processlist", view]))
    assert waiting == 160
    assert shown.by_class() == {"metadata_lock": 160, "working": 2}


def test_stacks_without_ids_say_what_sessions_wait_for() -> None:
    """A State says only "Sending data"; the stacks say that most wait for a latch."""
    everybody = people({"latch": 30, "working": 4})
    shown, _ = measured(views(everybody, ["processlist", "pmp"]))
    assert shown.by_class() == pytest.approx({"latch": 30, "working": 4})


def test_the_collector_is_no_suspect() -> None:
    found = views(people({"working": 1}), ["processlist"])
    frame = found.frames["session"]
    text = "select * from performance_schema.threads"
    found.frames["session"] = frame.with_columns(pl.lit(text).alias("query"))
    shown, _ = measured(found)
    assert shown.active == 0
    assert [member.collector for member in shown.members.values()] == [True]


@of_samples()
def test_one_population_in_the_moments_of_a_sample(name: str) -> None:
    holds_in_moments(evidence_of(sample(name)))


def holds_in_moments(found: Evidence) -> None:
    """Waiters are active sessions or background threads; each session has one class, and an id."""
    every = moments(found)
    fullest = sorted(every, key=lambda moment: -moment.waiting)[:2]
    for moment in [*fullest, *spread(every, 3)]:
        drawn = measure.draw(found, moment)
        shown = population(drawn.scene, drawn.graph)
        members = shown.members.values()
        background = sum(member.kind == "background" and member.waits for member in members)
        assert drawn.threads <= shown.active + background + 1e-6
        blocks_no_more_than_wait(drawn.graph)
        assert sum(shown.by_class().values()) == pytest.approx(shown.active)
        assert wait_classes.IDLE not in shown.by_class()
        ids = [m.session_id for m in members if m.session_id is not None and m.weight]
        assert len(ids) == len(set(ids))
        assert all(member.weight >= 0 for member in members)
        listed = sum(1 for actor in drawn.scene.actors.values() if actor.session)
        if listed:
            named = sum(m.weight for m in members if m.session_id is not None)
            assert named <= max(listed, len(ids))
