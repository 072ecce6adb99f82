"""Logs on a full disk are lost, and nothing else is."""

from __future__ import annotations

import errno
import io
import sys

import pytest
import structlog

from pileup import logs


class _Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_line_that_cannot_be_written_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = structlog.get_config()
    monkeypatch.setattr(sys, "stderr", _Full())
    try:
        logs.configure("INFO")
        structlog.get_logger().warning("disk.full")
    finally:
        structlog.configure(**before)
