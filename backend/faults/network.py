"""A network namespace that plays another machine: its cable can be pulled. Needs root on Linux."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess


class Network:
    """A namespace with one link to this machine."""

    def __init__(self) -> None:
        self.name = f"pileup-{secrets.token_hex(3)}"
        self.link = f"pf{secrets.token_hex(4)}"
        subnet = f"10.{secrets.randbelow(100) + 100}.{secrets.randbelow(256)}"
        self.here, self.there = f"{subnet}.1", f"{subnet}.2"
        peer = f"{self.link}p"
        _ip("netns", "add", self.name)
        try:
            _ip("link", "add", self.link, "type", "veth", "peer", "name", peer)
            _ip("link", "set", peer, "netns", self.name)
            _ip("addr", "add", f"{self.here}/30", "dev", self.link)
            _ip("link", "set", self.link, "up")
            _ip("-n", self.name, "addr", "add", f"{self.there}/30", "dev", peer)
            _ip("-n", self.name, "link", "set", peer, "up")
            _ip("-n", self.name, "link", "set", "lo", "up")
        except BaseException:
            self.close()
            raise

    @staticmethod
    def possible() -> bool:
        """Return whether this machine lets us make one."""
        if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
            return False
        done = subprocess.run(["unshare", "--net", "--pid", "--fork", "true"], check=False)
        return done.returncode == 0

    def prefix(self) -> list[str]:
        """Return the words before a command that runs there, with process ids of its own."""
        return [
            *("ip", "netns", "exec", self.name),
            *("unshare", "--pid", "--fork", "--kill-child", "--mount-proc"),
        ]

    def pull(self) -> None:
        """Pull the cable: packets vanish, and no connection is reset."""
        _ip("link", "set", self.link, "down")

    def plug(self) -> None:
        """Plug it in again."""
        _ip("link", "set", self.link, "up")

    def close(self) -> None:
        """Remove it."""
        remove(self.name, self.link)


def remove(name: str, link: str) -> None:
    """Remove a namespace and its link, as far as they are there."""
    subprocess.run(["ip", "link", "del", link], check=False, capture_output=True)
    subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)
