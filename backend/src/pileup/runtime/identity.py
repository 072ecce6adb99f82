"""User that PostgreSQL runs as. It refuses uid 0, so as root we run it as an unprivileged user.

Three ways, the first that works is taken (each is tried with a real process):
  plain        an unprivileged uid that can reach the data folder and the binaries by itself
  capability   the same uid, allowed past the closed folders above them (CAP_DAC_OVERRIDE)
  namespace    a user namespace in which we are not uid 0 (refused in default containers)
As an ordinary user nothing special is done.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pileup.runtime.errors import StartError

_ACCOUNTS = ("postgres", "nobody")  # initdb wants its uid to have a name


@dataclass(frozen=True, slots=True)
class Identity:
    """How to start a process that is not root: a uid and gid to take, and a command prefix."""

    way: str
    owner: tuple[int, int] | None = None  # owner of the files; None: us
    take: tuple[int, int] | None = None  # uid and gid for subprocess(user=, group=)
    prefix: tuple[str, ...] = ()

    @property
    def user(self) -> int | None:
        """Return the uid for subprocess, or None to keep ours."""
        return self.take[0] if self.take else None

    @property
    def group(self) -> int | None:
        """Return the gid for subprocess, or None to keep ours."""
        return self.take[1] if self.take else None

    def command(self, command: Sequence[str | Path], *, orphan_signal: str) -> list[str]:
        """Return the command with its prefix, which sets pdeathsig again as it changes the user."""
        words = [os.fspath(part) for part in command]
        if not self.prefix:
            return words
        return [*self.prefix, "setpriv", "--pdeathsig", orphan_signal, "--", *words]


def choose_identity(folder: Path, program: Path) -> Identity:
    """Find a way to run `program` unprivileged with its data in `folder` (which exists)."""
    if os.geteuid() != 0:
        return Identity("self")
    account = _account()
    ways: list[Identity] = []
    if account is not None:
        uid, gid = account
        ways.append(Identity("plain", owner=account, take=account))
        ways.append(
            Identity(
                "capability",
                owner=account,
                prefix=(
                    *("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups"),
                    *("--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--"),
                ),
            )
        )
        ways.append(
            Identity(
                "namespace",
                prefix=("unshare", "--user", f"--map-user={uid}", f"--map-group={gid}", "--"),
            )
        )
    for way in ways:
        if _works(way, folder, program):
            return way
    raise StartError(
        "PostgreSQL does not run as root and no unprivileged way was found here: start Pileup as "
        "an ordinary user, or name a served database in PILEUP_DATABASE_URL."
    )


def give(path: Path, identity: Identity) -> None:
    """Make the identity the owner of a folder and all that is in it."""
    if identity.owner is None:
        owner = (os.geteuid(), os.getegid())
    else:
        owner = identity.owner
    if os.geteuid() != 0:
        return
    for folder, _, files in os.walk(path):
        for name in (folder, *(os.path.join(folder, file) for file in files)):
            status = os.lstat(name)
            if (status.st_uid, status.st_gid) != owner:
                os.lchown(name, *owner)


def _account() -> tuple[int, int] | None:
    for name in _ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return entry.pw_uid, entry.pw_gid
    return None


def _works(way: Identity, folder: Path, program: Path) -> bool:
    """Return whether the program runs in this way and can write a file in the folder."""
    if way.prefix and not (shutil.which("setpriv") and shutil.which(way.prefix[0])):
        return False
    probe = folder / ".identity"
    shutil.rmtree(probe, ignore_errors=True)
    try:
        probe.mkdir(mode=0o700)
        give(probe, way)
        commands: tuple[list[str | Path], ...] = (
            [program, "--version"],
            ["/bin/sh", "-c", 'test "$(id -u)" != 0 && : > "$0"', probe / "file"],
        )
        for command in commands:
            done = subprocess.run(
                way.command(command, orphan_signal="KILL"),
                user=way.user,
                group=way.group,
                extra_groups=None if way.user is None else [],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=20,
                check=False,
                cwd="/",
            )
            if done.returncode != 0:
                return False
        return (probe / "file").exists()
    except (OSError, subprocess.SubprocessError):
        return False
    finally:
        shutil.rmtree(probe, ignore_errors=True)
