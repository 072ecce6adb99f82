"""Routes for settings: their sources, all of one source, two sources compared by name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from pileup.api.deps import IncidentDep, SourceDep, UnitDep
from pileup.api.versioned import NOTES, by_version
from pileup.storage.incidents.analyses import Analyses
from pileup.views.evidence import server_settings as view
from pileup.views.evidence.server_settings import SettingSource, SettingTable

router = APIRouter(tags=["tables"])


@router.get("/incidents/{incident_id}/settings/sources")
@by_version(ignoring=NOTES)
def setting_sources(records: SourceDep) -> list[SettingSource]:
    """List every source of settings, servers before files, in time order."""
    return view.setting_sources(records)


@router.get("/incidents/{incident_id}/settings")
@by_version(ignoring=NOTES)
def setting_table(
    incident: IncidentDep,
    records: SourceDep,
    unit: UnitDep,
    a: Annotated[str, Query(max_length=300)],
    b: Annotated[str | None, Query(max_length=300)] = None,
) -> SettingTable:
    """Return the settings of one source, or of two next to each other by name."""
    parts = Analyses(unit).parts(incident.id, "findings") or {"findings": []}
    return view.setting_table(records, a, b, parts["findings"] or [])
