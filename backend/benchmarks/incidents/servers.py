"""The server versions that cases are printed for, and what differs between them."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Server:
    """One release of a server."""

    key: str
    """my56, my57, my80, my84, ma102, ma106, ma114, ps57, ps80."""
    family: str
    release: str

    @property
    def generation(self) -> str:
        """The key whose source its code follows: Percona Server follows MySQL."""
        return self.key.replace("ps", "my")

    @property
    def maria(self) -> bool:
        """Whether it is MariaDB."""
        return self.family == "mariadb"

    @property
    def old(self) -> bool:
        """Whether it prints the layouts of 5.6 and MariaDB 10.2."""
        return self.key in ("my56", "ma102")

    @property
    def semaphores(self) -> bool:
        """Whether its status dump lists latch waits: MariaDB from 10.6 does not."""
        return self.key not in ("ma106", "ma114")

    @property
    def version(self) -> str:
        """The server variable version."""
        suffix = {"mysql": "", "percona": "", "mariadb": "-MariaDB"}[self.family]
        return f"{self.release}{suffix}" + ("-log" if self.old or self.key == "ps57" else "")

    @property
    def comment(self) -> str:
        """The server variable version_comment."""
        return {
            "mysql": "MySQL Community Server (GPL)"
            if self.key in ("my56", "my57")
            else "MySQL Community Server - GPL",
            "percona": "Percona Server (GPL), Release 47, Revision ab7e4df",
            "mariadb": "MariaDB Server",
        }[self.family]

    @property
    def binary(self) -> str:
        """Name of the process."""
        return "mariadbd" if self.key in ("ma106", "ma114") else "mysqld"


RELEASES = {
    "my56": ("mysql", ("5.6.24", "5.6.29", "5.6.35", "5.6.51")),
    "my57": ("mysql", ("5.7.22", "5.7.23", "5.7.31", "5.7.36", "5.7.42")),
    "my80": ("mysql", ("8.0.15", "8.0.27", "8.0.33", "8.0.36", "8.0.42")),
    "my84": ("mysql", ("8.4.2", "8.4.4", "8.4.6")),
    "ma102": ("mariadb", ("10.2.11", "10.2.27", "10.2.44")),
    "ma106": ("mariadb", ("10.6.12", "10.6.16", "10.6.21")),
    "ma114": ("mariadb", ("11.4.2", "11.4.5", "11.4.7")),
    "ps57": ("percona", ("5.7.23-24", "5.7.36-39", "5.7.42-46")),
    "ps80": ("percona", ("8.0.27-18", "8.0.36-28", "8.0.42-33")),
}


def pick(key: str, rng: random.Random) -> Server:
    """Choose a release of a series."""
    family, releases = RELEASES[key]
    return Server(key, family, rng.choice(releases))
