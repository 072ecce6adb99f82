"""Results of experiments, computed again: every leaf, every reason why one cannot be compared."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from pileup.cli.checking import experiments
from pileup.cli.checking.comparison import Compared
from tests.cli.checking.bundles import Row, bundle_of

FINISHED = "2026-11-20T22:00:00+00:00"
BEFORE, AFTER = "2026-11-20T21:59:59+00:00", "2026-11-20T22:00:01+00:00"


def computed(**more: Any) -> Row:
    """What a finish computed; every value is another one."""
    own = {
        "words": "running above 5",
        "run": True,
        "incident": False,
        "run_text": "for 3 s",
        "incident_text": "never",
        "predicate": {"op": ">", "value": 5},
    }
    symptoms = {
        "own": [own],
        "reproduced": ["waits"],
        "missing": ["stacks"],
        "new": ["own symptom: a"],
        "unknown": ["errors"],
        "text": "1 of 2",
        "same_way": True,
    }
    level = {"series": "s", "run": {"mad": 1}, "incident": {"mad": 2}, "ratio": 0.5}
    parts = {"measured": {"value": 7, "unit": None}, "trial": {"text": "better"}}
    return parts | {"symptoms": symptoms, "levels": [level]} | more


def experiment(number: int = 1, result: Any = None, **more: Any) -> Row:
    given = computed() if result is None else result
    row = {"id": f"old-{number}", "number": number, "computed": given, "finished_at": FINISHED}
    return row | more


def client(answers: dict[int, Any]) -> httpx.Client:
    """The clean room: its experiments in another order, and what each of them shows there."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/incidents/here/experiments":
            listed = [{"number": number, "id": f"new-{number}"} for number in sorted(answers)[::-1]]
            return httpx.Response(200, json=listed)
        number = int(request.url.path.removeprefix("/experiments/new-").removesuffix("/observed"))
        found = answers[number]
        return httpx.Response(404) if found is None else httpx.Response(200, json=found)

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://room")


WHAT = "numbers of experiments"
ALL = 17
"""Values of ``computed``."""


def test_the_same_values_are_the_same() -> None:
    bundle = bundle_of(experiments=[experiment(2), experiment(1)])
    room = client({1: computed(), 2: computed()})
    assert experiments.compared(room, "here", bundle) == Compared(WHAT, [], 2 * ALL, [])


def test_every_value_is_compared() -> None:
    """Each difference names its place; what is added is one too."""
    again = computed()
    again["measured"]["value"] = 8
    own = again["symptoms"]["own"][0]
    own |= {"run": False, "incident": True, "run_text": "a", "incident_text": "b"}
    own["predicate"]["value"] = 6
    again["symptoms"] |= {"reproduced": ["stacks"], "missing": ["waits"], "new": []}
    again["symptoms"] |= {"unknown": ["logs"], "text": "2 of 2", "same_way": False}
    again["trial"]["text"] = "worse"
    again["levels"][0] |= {"run": {"mad": 3}, "incident": {"mad": 4}, "ratio": 0.75}
    bundle = bundle_of(experiments=[experiment()])
    place = "own symptom 'running above 5'"
    wrong = [
        ("levels/s/incident/mad", "2", "4"),
        ("levels/s/ratio", "0.5", "0.75"),
        ("levels/s/run/mad", "1", "3"),
        ("measured/value", "7", "8"),
        (f"{place} in the incident", "False", "True"),
        (f"{place} in the incident, seen", "'never'", "'b'"),
        (f"{place} in the run", "True", "False"),
        (f"{place} in the run, seen", "'for 3 s'", "'a'"),
        (f"{place}, predicate/value", "5", "6"),
        ("symptoms/errors", "'unknown'", "nothing"),
        ("symptoms/logs", "nothing", "'unknown'"),
        ("symptoms/own symptom: a", "'new'", "nothing"),
        ("symptoms/same_way", "True", "False"),
        ("symptoms/stacks", "'missing'", "'reproduced'"),
        ("symptoms/text", "'1 of 2'", "'2 of 2'"),
        ("symptoms/waits", "'reproduced'", "'missing'"),
        ("trial/text", "'better'", "'worse'"),
    ]
    found = experiments.compared(client({1: again}), "here", bundle)
    assert found.differing == [
        f"experiment 1 {where}: {old} in the bundle, {new} computed again"
        for where, old, new in wrong
    ]
    assert found.total == len(wrong)


def test_what_was_not_computed_is_not_compared() -> None:
    rows = [experiment(1, {}), experiment(2, {"measured": {"value": 1}}), experiment(3)]
    found = experiments.compared(
        client({1: None, 2: None, 3: None}), "here", bundle_of(experiments=rows)
    )
    assert found == Compared(
        WHAT, ["experiment 3: no artifact of its run can be read any more"], 1, []
    )


def test_symptoms_without_their_predicates_are_named() -> None:
    """Those of people, and what was unknown: neither is compared, nor are their count and text."""
    old = computed()
    del old["symptoms"]["own"]
    again = computed()
    del again["symptoms"]["own"]
    again["symptoms"] |= {"unknown": ["other"], "new": [], "text": "", "same_way": None}
    bundle = bundle_of(experiments=[experiment(1, old)])
    words = "was checked at finish, and its predicate of that day is not stored"
    assert experiments.compared(client({1: again}), "here", bundle) == Compared(
        WHAT,
        [],
        7,
        [
            f"experiment 1: 'own symptom: a' {words}",
            f"experiment 1: 'own symptom: errors' {words}",
        ],
    )


CASES: list[tuple[dict[str, list[Row]], str]] = [
    ({"artifacts": [{"id": "x", "uploaded_at": AFTER, "excluded": False}]}, "files"),
    ({"artifacts": [{"id": "x", "uploaded_at": FINISHED, "excluded": False}]}, ""),
    ({"artifacts": [{"id": "x", "uploaded_at": BEFORE, "excluded": False}]}, ""),
    ({"artifacts": [{"id": "x", "uploaded_at": AFTER, "excluded": True}]}, ""),
    ({"artifacts": [{"id": "own", "uploaded_at": AFTER, "excluded": False}]}, ""),
    ({"artifacts": [{"id": "other", "uploaded_at": AFTER, "excluded": False}]}, "files"),
    ({"audit": [{"at": FINISHED, "action": "artifact.changed"}]}, ""),
    ({"audit": [{"at": AFTER, "action": "comment.added"}]}, ""),
    *(
        ({"audit": [{"at": AFTER, "action": action}]}, words)
        for action, words in (
            ("artifact.changed", "an artifact's type, zone, offset or exclusion was changed"),
            ("artifact.deleted", "an artifact was deleted"),
            ("artifact.restored", "an artifact was restored"),
            ("stall.corrected", "a stall was corrected"),
            ("stall.reset", "a stall's correction was cleared"),
            ("mapping.remembered", "a column mapping was set"),
            ("mapping.forgotten", "a column mapping was deleted"),
        )
    ),
]


@pytest.mark.parametrize(("tables", "why"), CASES)
def test_an_incident_that_changed_is_not_compared(tables: dict[str, list[Row]], why: str) -> None:
    """Its numbers are counted and the reason is named; those of the run are compared."""
    again = computed()
    again["levels"][0]["incident"] = {"mad": 99}
    again["trial"]["text"] = "other"
    runs = [
        {"experiment_id": "old-1", "artifact_id": "own"},
        {"experiment_id": "old-2", "artifact_id": "other"},
    ]
    bundle = bundle_of(experiments=[experiment()], experiment_artifacts=runs, **tables)
    found = experiments.compared(client({1: again}), "here", bundle)
    if not why:
        assert (len(found.differing), found.total, found.unknown) == (2, ALL, [])
        return
    reason = "files came after its finish" if why == "files" else f"{why} after its finish"
    unknown = f"experiment 1: 11 numbers of the incident it is compared with: {reason}"
    assert found == Compared(WHAT, [], 6, [unknown])
