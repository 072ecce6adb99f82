"""Encode a whole response once: an analysis document, or a large record of a view.

FastAPI validates and walks what a route returns. A wait graph of thousands of nodes is built by our
own code and typed already, so a ``Document`` goes out as it is; its type argument is what OpenAPI
shows for the route.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, TypeVar, get_args

import msgspec
from fastapi import Response
from pydantic import GetCoreSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema

from pileup.analysis.contract import Doc
from pileup.views.documents import MARK

D = TypeVar("D")


class Document(Response, Generic[D]):
    """A response encoded once from an analysis struct or a dataclass."""

    media_type = "application/json"

    def __init__(self, document: D) -> None:
        super().__init__(msgspec.json.encode(document))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of the type argument, for OpenAPI; it validates nothing."""
        (declared,) = get_args(source)
        if issubclass(declared, Doc):
            shown = WithJsonSchema({MARK: declared.__name__})
            return handler.generate_schema(Annotated[dict[str, Any], shown])
        return handler.generate_schema(declared)
