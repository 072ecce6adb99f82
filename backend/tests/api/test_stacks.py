"""Stacks over HTTP: groups of a sample, and the piles that people put them on."""

from __future__ import annotations

from typing import Any

from pileup.records import Frame, Record, Snapshot, Stack, StackThread
from tests.analysis.frames import T0, evidence
from tests.support.site import Site

FUNCTIONS = ("futex_wait", "rw_lock_x_lock_func", "row_search_mvcc", "do_command")


def with_stacks(site: Site) -> str:
    """An incident with one sample: four threads in one stack."""
    incident = site.incident()
    records: list[Record] = [
        Snapshot(line_first=1, line_last=9, kind="stacks", snapshot=0, wall_us=T0, clock="utc"),
        Stack(
            line_first=2, line_last=7, count=4, snapshot=0, wall_us=T0, clock="utc",
            frames=tuple(Frame(function=name) for name in FUNCTIONS),
            threads=(StackThread(pthread=140464743184064, lwp=4242, name="connection"),),
        ),
    ]  # fmt: skip
    site.app.state.services.placed.replace(incident, evidence({"a" * 64: records}))
    return incident


def sample(site: Site, incident: str) -> dict[str, Any]:
    base = f"/api/v1/incidents/{incident}/stacks"
    (moment,) = site.admin.get(f"{base}/moments").json()
    answer = site.admin.get(base, params={"artifact": moment["artifact"], "snapshot": 0})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_pile_is_remembered_with_who_chose_it(site: Site) -> None:
    """Suspicious until somebody takes it back; the audit trail has both."""
    incident = with_stacks(site)
    (group,) = sample(site, incident)["groups"]
    assert (group["name"], group["count"], group["activity"], group["verdict"]) == (
        "rw_lock_x_lock_func in row_search_mvcc", 4, "latch", None,
    )  # fmt: skip
    assert group["threads"] == [{"pthread": "140464743184064", "lwp": 4242, "name": "connection"}]
    url = f"/api/v1/incidents/{incident}/stacks/{group['id']}/verdict"
    assert site.admin.put(url, json={"pile": "suspicious"}).status_code == 204
    said = sample(site, incident)["groups"][0]["verdict"]
    assert (said["pile"], said["by"]) == ("suspicious", "admin")
    assert site.admin.put(url, json={"pile": "unreviewed"}).status_code == 204
    assert sample(site, incident)["groups"][0]["verdict"] is None
    activity = site.admin.get(f"/api/v1/incidents/{incident}/activity").text
    assert "stack.suspicious" in activity
    assert "stack.unreviewed" in activity


def test_a_key_that_is_none_is_refused(site: Site) -> None:
    incident = with_stacks(site)
    url = f"/api/v1/incidents/{incident}/stacks/nonsense/verdict"
    assert site.admin.put(url, json={"pile": "benign"}).status_code == 422
