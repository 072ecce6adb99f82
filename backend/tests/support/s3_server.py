"""An S3 server for tests, and a proxy in front of it that fails on demand."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BUCKET = "pileup"
KEY, SECRET = "testing-key", "testing-secret"
_WAIT_S = 30.0


def bucket_settings(endpoint: str, **more: Any) -> dict[str, Any]:
    """Return settings of an installation with this bucket, and short patience."""
    return {
        "s3_bucket": BUCKET,
        "s3_endpoint": endpoint,
        "s3_access_key": KEY,
        "s3_secret_key": SECRET,
        "s3_timeout_s": 5.0,
        "s3_retry_s": 1.0,
        **more,
    }


class S3Server:
    """A server in a process of its own: versitygw where it is installed, else moto.

    PILEUP_VERSITYGW names the program; versitygw keeps its objects in a folder and survives a kill.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        self.program = os.environ.get("PILEUP_VERSITYGW") or shutil.which("versitygw")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def endpoint(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it answers; the bucket is there then."""
        if self.program is not None:
            root = self._folder / "objects"
            (root / BUCKET).mkdir(parents=True, exist_ok=True)
            command = [
                *(self.program, "--access", KEY, "--secret", SECRET),
                *("--port", f"127.0.0.1:{self.port}", "posix", str(root)),
            ]
        else:
            command = [sys.executable, "-m", "moto.server", "-p", str(self.port)]
        with (self._folder / "s3.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)
        deadline = time.monotonic() + _WAIT_S
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                break
            if time.monotonic() > deadline:
                raise AssertionError((self._folder / "s3.log").read_text())
            time.sleep(0.05)
        if self.program is None:
            make_bucket(self.endpoint)

    def kill(self) -> None:
        """Kill it, without a farewell."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()


def make_bucket(endpoint: str) -> None:
    """Create the bucket of the tests."""
    import boto3

    boto3.client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=KEY,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
    ).create_bucket(Bucket=BUCKET)


@contextmanager
def moto_in_process() -> Iterator[str]:
    """Run moto's server in a thread and yield its address, with an empty bucket."""
    from moto.server import ThreadedMotoServer

    port = free_port()
    server = ThreadedMotoServer("127.0.0.1", port=port, verbose=False)
    server.start()
    try:
        make_bucket(f"http://127.0.0.1:{port}")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop()


@dataclass
class Faults:
    """What the proxy does with a request; changed while it runs."""

    answer: int | None = None
    """Answer every matching request with this status."""
    cut_after: int | None = None
    """Break the connection after so many bytes of a matching request."""
    slow_s: float = 0.0
    """Wait before each matching request."""
    matching: bytes = b""
    """Bytes in the first line of the requests that are meant: b'PUT' or b'partNumber='."""
    skip: int = 0
    """Let so many matching requests through first."""
    seen: list[bytes] = field(default_factory=list)
    """First lines of the requests that met a fault."""

    def clear(self) -> None:
        """Let everything through again."""
        self.answer = self.cut_after = None
        self.slow_s, self.skip = 0.0, 0

    def meets(self, line: bytes) -> bool:
        """Return whether this request meets the fault, and count it."""
        if self.matching not in line:
            return False
        if self.answer is None and self.cut_after is None and not self.slow_s:
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.seen.append(line)
        return True


@contextmanager
def faulty(endpoint: str) -> Iterator[tuple[str, Faults]]:
    """Run a proxy in front of a server; each request has a connection of its own."""
    faults = Faults()
    host, port = endpoint.removeprefix("http://").split(":")
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_relay, args=(client, (host, int(port)), faults)).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", faults
    finally:
        listener.close()


def _relay(client: socket.socket, address: tuple[str, int], faults: Faults) -> None:
    """Pass one request on and its answer back; then close."""
    client.settimeout(60)
    with client, suppress(OSError):
        head = b""
        while b"\r\n\r\n" not in head:
            data = client.recv(65536)
            if not data:
                return
            head += data
        lines, _, body = head.partition(b"\r\n\r\n")
        first, *headers = lines.split(b"\r\n")
        fault = faults.meets(first)
        length = sum(
            int(value)
            for name, _, value in (line.partition(b":") for line in headers)
            if name.lower() == b"content-length"
        )
        if fault and faults.slow_s:
            time.sleep(faults.slow_s)
        if fault and faults.answer is not None:
            _read(client, length - len(body))
            client.sendall(b"HTTP/1.1 %d Fault\r\nContent-Length: 0\r\n\r\n" % faults.answer)
            return
        kept = [line for line in headers if not line.lower().startswith(b"connection:")]
        with socket.create_connection(address, 30) as server:
            server.sendall(b"\r\n".join([first, *kept, b"Connection: close", b"", b""]) + body)
            left = length - len(body)
            while left > 0:
                data = client.recv(min(65536, left))
                if not data:
                    return
                left -= len(data)
                if fault and faults.cut_after is not None and length - left > faults.cut_after:
                    return
                server.sendall(data)
            while data := server.recv(65536):
                client.sendall(data)


def _read(client: socket.socket, left: int) -> None:
    while left > 0 and (data := client.recv(min(65536, left))):
        left -= len(data)


def free_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
