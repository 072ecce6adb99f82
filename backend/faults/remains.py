"""What a run that was killed leaves behind: its small disk, its network namespace, its folder.

A run notes its process and what it made; the next one removes what belongs to no process any more.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import psutil

from faults.network import Network, remove

PREFIX = "pileup-faults-"
_NOTE = "owner.json"


def leave_note(base: Path, network: Network | None) -> None:
    """Note in the folder of a run which process it is, and its namespace."""
    own = psutil.Process()
    facts = {
        "pid": own.pid,
        "created": own.create_time(),
        "namespace": network.name if network else None,
        "link": network.link if network else None,
    }
    (base / _NOTE).write_text(json.dumps(facts), encoding="ascii")


def remove_remains(temporary: Path | None = None) -> list[Path]:
    """Remove what killed runs left; return their folders. A folder without a note stays."""
    removed = []
    for base in sorted((temporary or Path(tempfile.gettempdir())).glob(f"{PREFIX}*")):
        try:
            facts = json.loads((base / _NOTE).read_text(encoding="ascii"))
        except (OSError, ValueError):
            continue
        if _runs(facts["pid"], facts["created"]):
            continue
        if facts["namespace"]:
            remove(facts["namespace"], facts["link"])
        subprocess.run(["umount", "--lazy", base], check=False, capture_output=True)
        shutil.rmtree(base, ignore_errors=True)
        removed.append(base)
    return removed


def _runs(pid: int, created: float) -> bool:
    try:
        return abs(psutil.Process(pid).create_time() - created) < 1
    except psutil.Error:
        return False
