"""Results of finished experiments, computed again from the artifacts of their runs."""

from __future__ import annotations

from typing import Any

import httpx

from pileup.cli.checking.bundle import Bundle, Row
from pileup.cli.checking.clean_room import get
from pileup.cli.checking.comparison import Compared, differences, leaves

_OWN = "own symptom: "
"""Prefix of people's own symptoms in lists (analysis/reasoning/similar.py)."""
_MOVES = {
    "artifact.changed": "an artifact's type, zone, offset or exclusion was changed",
    "artifact.deleted": "an artifact was deleted",
    "artifact.restored": "an artifact was restored",
    "stall.corrected": "a stall was corrected",
    "stall.reset": "a stall's correction was cleared",
    "mapping.remembered": "a column mapping was set",
    "mapping.forgotten": "a column mapping was deleted",
}
"""Actions that change an incident's analysis."""


def compared(client: httpx.Client, incident: str, bundle: Bundle) -> Compared:
    """Compare each number, symptom and sentence that was computed at a finish.

    People's own symptoms are checked with the predicates of that time. The numbers of the incident
    are compared only while it is unchanged: no action in ``_MOVES`` happened since the finish.
    """
    listed = get(client, f"/incidents/{incident}/experiments").json()
    here = {item["number"]: item for item in listed}
    wrong: list[str] = []
    unknown: list[str] = []
    looked = 0
    for row in bundle.rows("experiments"):
        name, computed = f"experiment {row['number']}", row["computed"]
        if not computed or not computed.get("symptoms"):
            continue  # nothing was computed: no artifact of its run had been read
        answer = client.get(f"/experiments/{here[row['number']]['id']}/observed")
        if not answer.is_success:
            looked += 1
            wrong.append(f"{name}: no artifact of its run can be read any more")
            continue
        again = answer.json()
        moved = _moved(bundle, row)
        old = _measured(computed, incident=not moved)
        new = _measured(again, incident=not moved)
        if computed["symptoms"].get("own") is None:
            unknown += [
                f"{name}: {line!r} was checked at finish, and its predicate of that day is not "
                "stored"
                for line in _listed(computed["symptoms"])
                if line.startswith(_OWN)
            ]
        if moved:
            numbers = len(_measured(computed, incident=True)) - len(old)
            unknown.append(
                f"{name}: {numbers} numbers of the incident it is compared with: {moved}"
            )
        looked += len(old)
        wrong += [f"{name} {line}" for line in differences(old, new)]
    return Compared("numbers of experiments", wrong, max(looked, len(wrong)), unknown)


def _moved(bundle: Bundle, experiment: Row) -> str:
    """Return why the incident changed since the finish; empty when it did not."""
    finished = str(experiment["finished_at"])
    own = {
        row["artifact_id"]
        for row in bundle.rows("experiment_artifacts")
        if row["experiment_id"] == experiment["id"]
    }
    for row in bundle.rows("artifacts"):
        if str(row["uploaded_at"]) > finished and not row["excluded"] and row["id"] not in own:
            return "files came after its finish"
    for row in bundle.rows("audit"):
        if str(row["at"]) > finished and row["action"] in _MOVES:
            return f"{_MOVES[row['action']]} after its finish"
    return ""


def _measured(computed: dict[str, Any], *, incident: bool) -> dict[str, Any]:
    values = dict(leaves(computed.get("measured"), "measured"))
    symptoms = computed.get("symptoms") or {}
    for item in symptoms.get("own") or ():
        place = f"own symptom {item['words']!r}"
        for name in ("run", "incident") if incident else ("run",):
            values[f"{place} in the {name}"] = item[name]
            values[f"{place} in the {name}, seen"] = item[f"{name}_text"]
        values |= leaves(item["predicate"], f"{place}, predicate")
    if incident:
        values |= dict(leaves(computed.get("trial"), "trial"))
        values |= _symptoms(symptoms)
    for level in computed.get("levels") or ():
        for name in ("run", "incident", "ratio") if incident else ("run",):
            values |= dict(leaves(level[name], f"levels/{level['series']}/{name}"))
    return values


def _symptoms(symptoms: dict[str, Any]) -> dict[str, Any]:
    """Return the state of each symptom by name, with their count and verdict."""
    complete = symptoms.get("own") is not None
    states: dict[str, Any] = {
        f"symptoms/{name}": state
        for state in ("reproduced", "missing", "new", "unknown")
        for name in symptoms.get(state) or ()
        if complete or not (name.startswith(_OWN) or state == "unknown")
    }
    if complete:  # the count and the verdict are of all of them
        states |= {"symptoms/text": symptoms["text"], "symptoms/same_way": symptoms["same_way"]}
    return states


def _listed(symptoms: dict[str, Any]) -> list[str]:
    named = [*(symptoms.get("unknown") or ())]
    names = [
        name for state in ("reproduced", "missing", "new") for name in symptoms.get(state) or ()
    ]
    return names + [f"{_OWN}{name}" for name in named]
