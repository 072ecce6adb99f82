"""What a request body costs: nothing for strangers, a bounded part of memory for others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pileup.api.bodies import MOST_BYTES, MOST_PUBLIC_BYTES
from tests.support.site import Site


def undeclared() -> Iterator[bytes]:
    """A body of 64 MB that declares no length."""
    for _ in range(64):
        yield b" " * (1 << 20)


@pytest.mark.parametrize("path", ["/session", "/session/link"])
def test_a_stranger_sends_an_address_and_a_password_at_most(site: Site, path: str) -> None:
    body = b'{"email": "' + b"x" * MOST_PUBLIC_BYTES + b'"}'
    assert site.stranger.post(f"/api/v1{path}", content=body).status_code == 413


def test_who_is_asking_is_known_before_the_body(site: Site) -> None:
    """Without a session the answer is 401, whatever is sent."""
    for content in (b"x" * (MOST_BYTES + 1), b"not json", b"{}"):
        answer = site.stranger.post("/api/v1/incidents", content=content)
        assert answer.status_code == 401, answer.text
        assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_of_the_limit_is_parsed_and_one_byte_more_is_not(site: Site) -> None:
    """Whether its length is declared or not."""
    start = b'{"title": "x"'
    fits = start + b" " * (MOST_BYTES - len(start) - 1) + b"}"
    assert len(fits) == MOST_BYTES
    json = {"Content-Type": "application/json"}
    assert site.admin.post("/api/v1/incidents", content=fits, headers=json).status_code == 201
    answer = site.admin.post("/api/v1/incidents", content=fits + b" ", headers=json)
    assert (answer.status_code, answer.json()["title"]) == (413, "Too large")
    assert (
        site.admin.post("/api/v1/incidents", content=undeclared(), headers=json).status_code == 413
    )
