"""The fault suite removes what a killed run of it left, and nothing of a living one."""

from __future__ import annotations

import json
from pathlib import Path

from faults.remains import PREFIX, leave_note, remove_remains


def test_only_dead_runs_are_removed(tmp_path: Path) -> None:
    living, dead, unknown = (tmp_path / f"{PREFIX}{name}" for name in ("a", "b", "c"))
    for base in (living, dead, unknown):
        base.mkdir()
        (base / "home").mkdir()
    leave_note(living, None)
    leave_note(dead, None)
    facts = json.loads((dead / "owner.json").read_text())
    (dead / "owner.json").write_text(json.dumps(facts | {"created": facts["created"] - 100}))
    assert remove_remains(tmp_path) == [dead]
    assert [base.exists() for base in (living, dead, unknown)] == [True, False, True]
