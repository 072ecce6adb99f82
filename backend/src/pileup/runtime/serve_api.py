"""The API process: uvicorn on a listening socket that the supervisor opened and keeps.

The supervisor holds the port, so nobody can take it while the API restarts, and requests that
arrive meanwhile wait instead of failing. Usage: python -m pileup.runtime.serve_api FD
"""

from __future__ import annotations

import socket
import sys

import uvicorn

from pileup.garbage import collect_rarely
from pileup.runtime.http_protocol import BoundedHttp

APPLICATION = "pileup.api.app:create_app"


def main() -> None:
    """Serve until a stop signal comes."""
    collect_rarely()
    listener = socket.socket(fileno=int(sys.argv[1]))
    config = uvicorn.Config(
        APPLICATION,
        factory=True,
        http=BoundedHttp,
        log_level="info",
        access_log=False,
        timeout_graceful_shutdown=2,  # event streams stay open for ever
        timeout_keep_alive=30,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
