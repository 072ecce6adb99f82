"""Check that a body never changes while its tag stays: the law of ``api.versioned``."""

from __future__ import annotations

import re

from pileup.api.body_store import Bodies, Body
from pileup.storage.database import Database

_INCIDENT = re.compile(r"/incidents/([^/?]+)")


class CheckedBodies(Bodies):
    """Bodies that are computed for every request and compared with the last one of their tag.

    A worker may write between the reading of the versions and of the answer, which is then newer
    than its tag: where a version changed since the last body, the next request has another tag.
    """

    def __init__(self, build: str, database: Database) -> None:
        super().__init__(build)
        self._database = database
        self._versions: dict[tuple[str, str], dict[str, str]] = {}

    def get(self, key: tuple[str, str], tag: str) -> Body | None:
        return None

    def lately(self, key: tuple[str, str], *, or_before: float = 0.0) -> Body | None:
        return None

    def put(self, key: tuple[str, str], body: Body) -> None:
        if body.until:
            return  # by moment: it depends on the clock
        earlier = super().get(key, body.tag)
        versions = self._versions_now(key)
        is_same = earlier is None or earlier.content == body.content
        assert is_same or versions != self._versions[key], (
            f"{key[0]} changed without a new version: a write that does not touch its incident"
        )
        self._versions[key] = versions
        super().put(key, body)

    def _versions_now(self, key: tuple[str, str]) -> dict[str, str]:
        incident = _INCIDENT.search(key[0])
        assert incident is not None, key
        with self._database.unit() as unit:
            return unit.versions(incident[1])
