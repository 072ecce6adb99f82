"""PostgreSQL as root: each way that identity.py knows, tried for real."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pileup.runtime import identity
from pileup.runtime.postgres import EmbeddedPostgres

AS_ROOT = os.geteuid() == 0


def test_an_ordinary_user_stays_who_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert identity.choose_identity(tmp_path, Path("/bin/true")) == identity.Identity("self")


@pytest.mark.skipif(
    not AS_ROOT, reason="this machine runs the tests as a user, and these ways are for root"
)
@pytest.mark.parametrize("way", ["capability", "namespace"])
def test_root_runs_the_server_below_a_closed_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    works = identity._works

    def only(candidate: identity.Identity, folder: Path, program: Path) -> bool:
        return candidate.way == way and works(candidate, folder, program)

    monkeypatch.setattr(identity, "_works", only)
    server = EmbeddedPostgres(closed / "postgres", closed / "run", tmp_path / "log", durable=False)
    try:
        server.start()
    except identity.StartError:
        pytest.skip(f"this machine refuses the way {way!r}")
    try:
        assert server.child is not None
        real_uid = os.stat(server.data).st_uid
        assert (real_uid == 0) == (way == "namespace")
    finally:
        server.stop()
