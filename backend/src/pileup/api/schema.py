"""Define what all schemas share: base classes, and analysis documents in OpenAPI.

In the OpenAPI document the parts of the analysis (``views.documents``) are references to schemas
made from the same structs, so that the client gets types for them.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, ConfigDict

from pileup.analysis import contract
from pileup.views.documents import MARK


class Out(BaseModel):
    """Base of every response; built from records by attribute."""

    model_config = ConfigDict(
        from_attributes=True, json_schema_serialization_defaults_required=True
    )


class In(BaseModel):
    """Base of every request body; refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", str_max_length=200_000)


def install(app: FastAPI) -> None:
    """Serve the OpenAPI document; it is the same for everybody, and built once."""

    @cache
    def body() -> bytes:
        return msgspec.json.encode(openapi_document(app))

    def serve(_: Request) -> Response:
        return Response(body(), media_type="application/json")

    app.add_route("/openapi.json", serve, methods=["GET", "HEAD"], include_in_schema=False)


def openapi_document(app: FastAPI) -> dict[str, Any]:
    """Build the OpenAPI document, with the analysis structs among its schemas."""
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
        if MARK in node:
            return {"$ref": f"#/components/schemas/{node[MARK]}"}
        return {key: _resolved(value) for key, value in node.items()}
    if isinstance(node, list):
        return [_resolved(item) for item in node]
    return node
