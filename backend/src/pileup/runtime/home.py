"""The data folder of one installation: its layout, its lock, its free space.

Layout: postgres/ (database), valkey/ (queue), blobs/, frames/, uploads/, logs/, run/ (sockets),
secret.key (encrypts the secrets of the database), lock (held while it runs), instance.json (what
runs, for others to read).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pileup.runtime.errors import StartError, disk_full

# struct sockaddr_un holds 104 bytes on macOS and 108 on Linux; ".s.PGSQL.5432.lock" is the longest
# name that PostgreSQL appends, and an upgrade starts a second server in a folder of its own.
LONGEST_SOCKET_FOLDER = 104 - len("/n/postgres/.s.PGSQL.5432.lock") - 1


def prepare(home: Path, *, min_free_bytes: int) -> None:
    """Create the data folder; refuse it when it cannot be written or its disk is nearly full."""
    try:
        # 0711 as root: PostgreSQL then runs as somebody else and must reach its own folder below
        home.mkdir(parents=True, exist_ok=True, mode=0o711 if os.geteuid() == 0 else 0o700)
        for name in ("logs", "blobs", "frames", "uploads"):
            (home / name).mkdir(exist_ok=True, mode=0o700)
        probe = home / ".probe"
        probe.write_bytes(b"x" * 4096)
        probe.unlink()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise disk_full(home) from error
        raise StartError(
            f"the data folder {home} cannot be used ({error.strerror}): choose another one with "
            "PILEUP_HOME, or correct its permissions."
        ) from error
    free = shutil.disk_usage(home).free
    if free < min_free_bytes:
        raise StartError(
            f"the disk that holds {home} has {free // 1024**2} MiB free and Pileup wants "
            f"{min_free_bytes // 1024**2} MiB to start: free some space, or choose another folder "
            "with PILEUP_HOME."
        )


@contextlib.contextmanager
def lock(home: Path) -> Iterator[None]:
    """Lock the folder for this process; the kernel releases it however the process ends."""
    descriptor = os.open(home / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise StartError(_already_running(home)) from error
        yield
    finally:
        os.close(descriptor)


def socket_folder(home: Path) -> Path:
    """Return a 0700 folder for sockets: home/run, or a temporary one if that path is too long."""
    folder = home / "run"
    if len(os.fsencode(folder)) > LONGEST_SOCKET_FOLDER:
        name = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
        folder = Path(tempfile.gettempdir()) / f"pileup-{os.getuid()}-{name}"
    folder.mkdir(exist_ok=True, mode=0o700)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise StartError(
            f"the socket folder {folder} belongs to somebody else: remove it, or set PILEUP_HOME "
            "to a shorter path so that it is not needed."
        )
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)  # see prepare()
    return folder


def write_instance(home: Path, facts: dict[str, Any]) -> None:
    """Record what runs here (process ids, addresses), for `pileup doctor` and the next start."""
    draft = home / "instance.json.new"
    draft.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    draft.chmod(0o600)
    draft.replace(home / "instance.json")


def read_instance(home: Path) -> dict[str, Any]:
    """Return what the last start recorded; empty when nothing readable is there."""
    try:
        facts = json.loads((home / "instance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def clear_instance(home: Path) -> None:
    """Delete the record of the running instance, after everything stopped."""
    (home / "instance.json").unlink(missing_ok=True)


def _already_running(home: Path) -> str:
    facts = read_instance(home)
    where = f" at {facts['url']}" if facts.get("url") else ""
    who = f" (process {facts['pid']})" if facts.get("pid") else ""
    return (
        f"Pileup already runs on {home}{where}{who}: use that one, stop it first, or choose "
        "another folder with PILEUP_HOME."
    )
