"""What all schemas share: base classes, and how documents of the analysis appear in OpenAPI.

The analysis contract is msgspec; its parts travel through the API as they were stored. In the
OpenAPI document they are references to schemas made from the same structs, so that the client
gets types for them.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ConfigDict, WithJsonSchema

from pileup.analysis import contract

_MARK = "x-analysis-document"


class Out(BaseModel):
    """Base of every response: built from records by attribute."""

    model_config = ConfigDict(
        from_attributes=True, json_schema_serialization_defaults_required=True
    )


class In(BaseModel):
    """Base of every request body: unknown fields are refused, not ignored."""

    model_config = ConfigDict(extra="forbid", str_max_length=200_000)


def _marked(struct: type[contract.Doc]) -> WithJsonSchema:
    return WithJsonSchema({_MARK: struct.__name__})


ClockJson = Annotated[dict[str, Any], _marked(contract.ClockDoc)]
ProblemJson = Annotated[dict[str, Any], _marked(contract.ProblemDoc)]
LocatorJson = Annotated[dict[str, Any], _marked(contract.Locator)]
HeadlineJson = Annotated[dict[str, Any], _marked(contract.Headline)]
StallJson = Annotated[dict[str, Any], _marked(contract.StallDoc)]
ShiftJson = Annotated[dict[str, Any], _marked(contract.ShiftDoc)]
FindingJson = Annotated[dict[str, Any], _marked(contract.FindingDoc)]
AbsenceJson = Annotated[dict[str, Any], _marked(contract.AbsenceDoc)]
LookedAtJson = Annotated[dict[str, Any], _marked(contract.LookedAtDoc)]
BlockerJson = Annotated[dict[str, Any], _marked(contract.BlockerDoc)]
TriageJson = Annotated[dict[str, Any], _marked(contract.TriageDoc)]
HotWaitJson = Annotated[dict[str, Any], _marked(contract.HotWaitDoc)]
HotLatchJson = Annotated[dict[str, Any], _marked(contract.HotLatchDoc)]
HotStackJson = Annotated[dict[str, Any], _marked(contract.HotStackDoc)]
DeadlockJson = Annotated[dict[str, Any], _marked(contract.DeadlockDoc)]
EventJson = Annotated[dict[str, Any], _marked(contract.EventDoc)]
AnalysisJson = Annotated[dict[str, Any], _marked(contract.Analysis)]
WaitGraphJson = Annotated[dict[str, Any], _marked(contract.WaitGraph)]
WaitNodeDocJson = Annotated[dict[str, Any], _marked(contract.WaitNodeDoc)]
WaitPersistenceJson = Annotated[dict[str, Any], _marked(contract.WaitPersistence)]
SidesJson = Annotated[dict[str, Any], _marked(contract.SidesDoc)]
OverlayJson = Annotated[dict[str, Any], _marked(contract.OverlayDoc)]
ComparedSettingJson = Annotated[dict[str, Any], _marked(contract.ComparedSetting)]
TrialJson = Annotated[dict[str, Any], _marked(contract.TrialDoc)]
FlameJson = Annotated[dict[str, Any], _marked(contract.FlameDoc)]
StackHeatJson = Annotated[dict[str, Any], _marked(contract.StackHeatDoc)]
FleetJson = Annotated[dict[str, Any], _marked(contract.FleetDoc)]


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of the application, with the analysis structs among its schemas."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    document = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes
    )
    _, components = msgspec.json.schema_components(
        [
            contract.Analysis,
            contract.WaitGraph,
            contract.WaitNodeDoc,
            contract.WaitPersistence,
            contract.SidesDoc,
            contract.OverlayDoc,
            contract.ComparedSetting,
            contract.FleetDoc,
            contract.FlameDoc,
            contract.StackHeatDoc,
        ],
        ref_template="#/components/schemas/{name}",
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    clash = schemas.keys() & components.keys()
    if clash:
        raise RuntimeError(f"response models named like analysis documents: {sorted(clash)}")
    schemas.update(components)
    app.openapi_schema = _resolved(document)
    return app.openapi_schema


def _resolved(node: Any) -> Any:
    if isinstance(node, dict):
        if _MARK in node:
            return {"$ref": f"#/components/schemas/{node[_MARK]}"}
        return {key: _resolved(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_resolved(item) for item in node]
    return node
