"""Check that a body never changes while its tag stays: the law of ``api.versioned``."""

from __future__ import annotations

from pileup.api.versioned import Bodies, Body


class CheckedBodies(Bodies):
    """Bodies that are computed for every request and compared with the last one of their tag."""

    def get(self, key: tuple[str, str], tag: str) -> Body | None:
        return None

    def put(self, key: tuple[str, str], body: Body) -> None:
        earlier = super().get(key, body.tag)
        assert earlier is None or earlier.content == body.content, (
            f"{key[0]} changed without a new version: a write that does not touch its incident"
        )
        super().put(key, body)
