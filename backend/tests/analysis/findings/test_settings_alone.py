"""Variables alone show nothing that a server did: whatever their values, they are no cause."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pileup.analysis import analyse, gather
from pileup.cli.captures import Captures
from pileup.knowledge import knowledge
from pileup.knowledge.limits import limits
from pileup.knowledge.signature import Sign

VALUES = ("0", "1", "ON", "OFF", "10", "1000", "1000000", "128M", "8388608", "64G", "")
LAYOUTS = (
    "Variable_name\tValue\n{}",
    "[mysqld]\n{}",
    "Slow since yesterday. My settings:\n{}",
)
BETWEEN = ("\t", " = ", "=")


def _names() -> list[str]:
    """Every variable that a sign or a ceiling looks at."""
    of_signs = {
        name
        for signature in knowledge().signatures.values()
        for sign in (*signature.needs, *signature.adds, *signature.against)
        for name in _settings(sign)
    }
    of_limits = {
        name.removeprefix("1 + ")
        for limit in limits().values()
        for ceiling in limit.ceilings
        for name in ceiling.settings
    }
    return sorted(name for name in of_signs | of_limits if "." not in name)


def _settings(sign: Sign) -> list[str]:
    if sign.kind == "any":
        return [name for each in sign.any or () for name in _settings(each)]
    return [sign.setting] if sign.setting else []


@pytest.mark.parametrize("seed", range(9))
def test_variables_of_any_value_are_no_cause(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    names = rng.sample(_names(), 20)
    between = BETWEEN[seed % 3]
    lines = "".join(f"{name}{between}{rng.choice(VALUES)}\n" for name in names)
    path = tmp_path / "settings.txt"
    path.write_text(LAYOUTS[seed % 3].format(lines))
    captures = Captures()
    captures.read([path])
    analysis = analyse(gather(captures.artifacts))
    assert not [finding.id for finding in analysis.findings if finding.score > 0.5]
    assert not analysis.stalls
