"""What finished experiments showed, computed again from the artifacts of their runs."""

from __future__ import annotations

from typing import Any

import httpx

from pileup.cli.checking.bundle import Bundle, Row
from pileup.cli.checking.clean_room import get
from pileup.cli.checking.comparison import Compared, differences, leaves

_OWN = "own symptom: "
"""How a symptom of people's own is listed (analysis/reasoning/similar.py)."""
_MOVES = {
    "artifact.changed": "an artifact's type, zone, offset or exclusion was changed",
    "artifact.deleted": "an artifact was deleted",
    "artifact.restored": "an artifact was restored",
    "stall.corrected": "a stall was corrected",
    "stall.reset": "a stall's correction was taken back",
    "mapping.remembered": "the columns of a table were told",
    "mapping.forgotten": "the columns of a table were forgotten",
}
"""Actions after which an incident is not what it was."""


def compared(client: httpx.Client, incident: str, bundle: Bundle) -> Compared:
    """Each number, symptom and sentence that was computed at a finish.

    People's own symptoms are asked as they were asked then. The incident beside a run is compared
    as long as it is what it was: what ``_MOVES`` names did not happen since.
    """
    listed = get(client, f"/incidents/{incident}/experiments").json()
    here = {item["number"]: item for item in listed}
    wrong: list[str] = []
    unknown: list[str] = []
    looked = 0
    for row in bundle.rows("experiments"):
        name, told = f"experiment {row['number']}", row["computed"]
        if not told or not told.get("symptoms"):
            continue  # nothing was computed: no artifact of its run had been read
        answer = client.get(f"/experiments/{here[row['number']]['id']}/observed")
        if not answer.is_success:
            looked += 1
            wrong.append(f"{name}: nothing of its run can be read any more")
            continue
        found = answer.json()
        moved = _moved(bundle, row)
        old = _measured(told, incident=not moved)
        new = _measured(found, incident=not moved)
        if told["symptoms"].get("own") is None:
            unknown += [
                f"{name}: {line!r} was asked at its finish, and the predicate of that day is not "
                "kept"
                for line in _listed(told["symptoms"])
                if line.startswith(_OWN)
            ]
        if moved:
            beside = len(_measured(told, incident=True)) - len(old)
            unknown.append(f"{name}: {beside} numbers of the incident beside its run: {moved}")
        looked += len(old)
        wrong += [f"{name} {line}" for line in differences(old, new)]
    return Compared("numbers of experiments", wrong, max(looked, len(wrong)), unknown)


def _moved(bundle: Bundle, experiment: Row) -> str:
    """Why the incident is not what it was at the finish; empty when it is."""
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


def _measured(told: dict[str, Any], *, incident: bool) -> dict[str, Any]:
    found = dict(leaves(told.get("measured"), "measured"))
    symptoms = told.get("symptoms") or {}
    for item in symptoms.get("own") or ():
        place = f"own symptom {item['words']!r}"
        for name in ("run", "incident") if incident else ("run",):
            found[f"{place} in the {name}"] = item[name]
            found[f"{place} in the {name}, seen"] = item[f"{name}_text"]
        found |= leaves(item["predicate"], f"{place} asked")
    if incident:
        found |= dict(leaves(told.get("trial"), "trial"))
        found |= _symptoms(symptoms)
    for level in told.get("levels") or ():
        for name in ("run", "incident", "ratio") if incident else ("run",):
            found |= dict(leaves(level[name], f"levels/{level['series']}/{name}"))
    return found


def _symptoms(told: dict[str, Any]) -> dict[str, Any]:
    """Each symptom by its name and whether the run shows it, and what that comes to."""
    kept = told.get("own") is not None
    found: dict[str, Any] = {
        f"symptoms/{name}": state
        for state in ("reproduced", "missing", "new", "unknown")
        for name in told.get(state) or ()
        if kept or not (name.startswith(_OWN) or state == "unknown")
    }
    if kept:  # the count and the verdict are of all of them
        found |= {"symptoms/text": told["text"], "symptoms/same_way": told["same_way"]}
    return found


def _listed(told: dict[str, Any]) -> list[str]:
    named = [*(told.get("unknown") or ())]
    found = [name for state in ("reproduced", "missing", "new") for name in told.get(state) or ()]
    return found + [f"{_OWN}{name}" for name in named]
