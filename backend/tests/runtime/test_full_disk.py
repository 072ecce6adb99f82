"""A full disk does not end `pileup run`: it says so once, and goes on when there is space."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pileup.runtime import supervisor
from pileup.runtime.supervisor import Supervisor
from pileup.settings import Settings


def test_it_waits_for_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_DISK_PAUSE_S", 0.0)
    said: list[str] = []
    rounds = [errno.ENOSPC, errno.EDQUOT, 0, errno.ENOSPC]
    watching = Supervisor(Settings(home=tmp_path), said.append)

    def watch() -> None:
        if number := rounds.pop(0):
            raise OSError(number, "no space")

    monkeypatch.setattr(watching, "_watch", watch)
    for expected in (1, 1, 1, 2):
        watching._watch_patiently()
        assert len(said) == expected
    assert str(tmp_path) in said[0]


def test_another_error_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watching = Supervisor(Settings(home=tmp_path), print)

    def watch() -> None:
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(watching, "_watch", watch)
    with pytest.raises(OSError, match="broken"):
        watching._watch_patiently()
