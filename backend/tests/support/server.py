"""Serve the application on a real socket, for streams and broken connections."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from pileup.runtime.http_protocol import BoundedHttp


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """Serve on a free port and yield the address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(app, http=BoundedHttp, log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        listener.close()
