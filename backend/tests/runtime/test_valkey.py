"""The embedded Valkey on a throw-away folder."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from pileup.runtime.valkey import EmbeddedValkey


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    server = EmbeddedValkey(tmp_path / "valkey", tmp_path, tmp_path / "log")
    server.start()
    yield server
    server.stop()


def _ask(server: EmbeddedValkey, *words: str) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(server.socket))
        connection.sendall((" ".join(words) + "\r\n").encode())
        return connection.recv(4096).decode()


def test_what_was_pushed_survives_a_kill(valkey: EmbeddedValkey) -> None:
    for number in range(100):
        _ask(valkey, "RPUSH", "queue", str(number))
    assert valkey.child is not None
    os.kill(valkey.child.pid, signal.SIGKILL)
    valkey.start()
    assert _ask(valkey, "LLEN", "queue") == ":100\r\n"


def test_a_damaged_file_is_moved_aside_and_kept(valkey: EmbeddedValkey) -> None:
    _ask(valkey, "RPUSH", "queue", "1")
    valkey.stop()
    (incremental,) = (valkey.folder / "appendonlydir").glob("*.incr.aof")
    incremental.write_bytes(b"*3\r\nnot what it should be\r\n" + incremental.read_bytes())
    valkey.start()
    assert _ask(valkey, "LLEN", "queue") == ":0\r\n"
    assert valkey.folder.with_name("valkey.damaged").is_dir()
