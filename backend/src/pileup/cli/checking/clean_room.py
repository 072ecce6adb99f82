"""A fresh installation in a temporary folder, for `pileup verify`; the machine's own is not used.

It starts like `pileup run`, on a free port; bundles are imported, their artifacts are read, and
the answers of its API are compared with the bundle.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from urllib.parse import parse_qs, urlsplit

import click
import httpx

from pileup.cli.answers import checked

_START_S = 120.0
_READ_S = 3600.0


@contextmanager
def installation(home: Path, keep_log: bool) -> Iterator[httpx.Client]:
    """Start a fresh `pileup run` on a free port; yield a client that is signed in there."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PILEUP_")}
    for name in ("PILEUP_KNOWLEDGE_DIR", "PILEUP_MAX_UPLOAD_BYTES", "PILEUP_MAX_EXPANDED_BYTES"):
        if name in os.environ:
            environment[name] = os.environ[name]  # the results depend on them
    environment |= {"PILEUP_HOME": str(home / "home"), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pileup", "run", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        link = _link(process, keep_log)
        address = urlsplit(link)
        with httpx.Client(
            base_url=f"{address.scheme}://{address.netloc}/api/v1", timeout=120
        ) as client:
            token = parse_qs(address.query)["link"][0]
            answer = client.post(
                "/session/link",
                json={"link": token, "name": "pileup verify", "email": None, "password": None},
            )
            checked(answer)
            client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
            yield client
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def _link(process: subprocess.Popen[str], keep_log: bool) -> str:
    assert process.stdout is not None
    lines: list[str] = []
    deadline = time.monotonic() + _START_S
    for line in process.stdout:
        lines.append(line)
        if keep_log:
            click.echo(line, nl=False, err=True)
        if match := re.search(r"https?://\S+/sign-in\?link=\S+", line):
            # unread output would fill the pipe and block the installation
            threading.Thread(target=_drain, args=(process.stdout, keep_log), daemon=True).start()
            return match[0]
        if time.monotonic() > deadline:
            break
    raise click.ClickException("The clean room did not start:\n" + "".join(lines[-10:]))


def _drain(lines: IO[str], keep_log: bool) -> None:
    for line in lines:
        if keep_log:
            click.echo(line, nl=False, err=True)


def put(client: httpx.Client, bundle: Path) -> str:
    """Import a bundle; return the id of its incident."""
    with bundle.open("rb") as body:
        answer = client.post(
            "/incidents/import", content=body, headers={"Content-Type": "application/zip"}
        )
    return str(checked(answer).json()["id"])


def wait(client: httpx.Client, incidents: Collection[str]) -> None:
    """Wait until the artifacts of all these incidents are read and analysed."""
    deadline = time.monotonic() + _READ_S
    waiting = list(incidents)
    while waiting:
        overview = get(client, f"/incidents/{waiting[0]}/overview").json()
        artifacts, state = overview["artifacts"], overview["analysis"]["state"]
        if artifacts["parsing"] == 0 and state in ("done", "failed", "none"):
            del waiting[0]
        elif time.monotonic() > deadline:
            raise click.ClickException("The artifacts were not read within an hour.")
        else:
            time.sleep(0.5)


def get(client: httpx.Client, path: str) -> httpx.Response:
    """Return an answer of the API; raise a sentence for the terminal on an error."""
    return checked(client.get(path))
