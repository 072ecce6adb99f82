"""Handle the parts of tus that need no route: headers and metadata."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Any

from pileup.api.errors import ApiError
from pileup.storage.artifacts.artifacts import Given

TUS = {"Tus-Resumable": "1.0.0", "Cache-Control": "no-store"}
MOST_WITHIN_S = 31 * 86400.0
"""Largest uncertainty of a given time, in seconds: a month."""
OFFSET_TYPE = "application/offset+octet-stream"

MULTIPART: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                        },
                        "path": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "Path of the file that follows, for folders.",
                        },
                    },
                }
            }
        },
    }
}
"""OpenAPI of an upload in one request, which is read as a stream."""


def given_in(metadata: dict[str, str]) -> Given:
    """Read the time and host that a person gave from the metadata of an upload."""
    at = within = None
    try:
        if metadata.get("at"):
            at = datetime.fromisoformat(metadata["at"])
        if metadata.get("within_s"):
            within = float(metadata["within_s"])
    except ValueError:
        raise ApiError(
            400, "Bad metadata", "at is not ISO 8601, or within_s is not a number of seconds"
        ) from None
    if at is not None and at.tzinfo is None:
        raise ApiError(400, "Bad metadata", f"at has no zone: write {metadata['at'][:40]}Z for UTC")
    if within is not None and not 0 <= within <= MOST_WITHIN_S:
        raise ApiError(400, "Bad metadata", "within_s must lie between 0 and 31 days")
    return Given(at, within, (metadata.get("host") or "").strip()[:255] or None)


def metadata_of(header: str) -> dict[str, str]:
    """Parse the header Upload-Metadata: 'key base64, key base64'."""
    names: dict[str, str] = {}
    for pair in header.split(","):
        key, _, encoded = pair.strip().partition(" ")
        try:
            names[key] = base64.b64decode(encoded, validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            raise ApiError(
                400, "Bad metadata", f"the value of {key[:40]!r} in Upload-Metadata is not base64"
            ) from None
    return names
