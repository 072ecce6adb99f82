"""Nothing is lost between the engine and the screens: each text of an analysis is in an answer.

In the analysis each field has a value somewhere. What no screen asks for is listed by name, so a
field that a screen stops to get, or a new one that none gets, fails.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import structs

from pileup.storage.incidents.analyses import Analyses
from tests.report.filled import filled
from tests.report.test_golden import _rich
from tests.support.site import Site

SCREENS = (
    *("overview", "findings", "marks", "episodes", "strips", "series", "deadlocks"),
    *("waits/moments", "artifacts"),
)
"""What screens ask for that comes of the stored analysis, or of the rows made of it."""
FROM_FILES = {
    *("ClockDoc", "ProblemDoc", "SettingDoc", "SlowQueryDoc", "TableCellDoc", "TableChangeDoc"),
    "TableDoc",
}
"""Screens show these by the rows of the files, and not by the analysis."""
NOT_SHOWN = {
    *("Analysis.schema", "ArtifactDoc.format", "WaitPersistence.unit"),
    *("SnapshotDoc.server_version", "SnapshotDoc.time_quality"),
}


def _texts(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text with the field that holds it."""
    if isinstance(value, msgspec.Struct):
        for field in structs.fields(type(value)):
            yield from _texts(getattr(value, field.name), f"{type(value).__name__}.{field.name}")
    elif isinstance(value, dict | list | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner, name)
    elif isinstance(value, str) and len(value) > 5:
        yield name, value


def test_each_text_of_an_analysis_is_in_what_a_screen_asks_for(site: Site) -> None:
    analysis = filled(_rich().analysis)
    reached = [structs.replace(limit, verdict="reached") for limit in analysis.limits]
    analysis = structs.replace(analysis, limits=reached)
    incident = site.incident()
    with site.database.unit() as unit:
        Analyses(unit).replace(incident, msgspec.to_builtins(analysis), 0.1)
    shown = set[str]()
    for screen in SCREENS:
        answer = site.admin.get(f"/api/v1/incidents/{incident}/{screen}")
        assert answer.status_code == 200, screen
        shown |= {text for _, text in _texts(answer.json())}
    texts = list(_texts(analysis))
    assert len(texts) > 500
    lost = {name for name, _ in texts} - {name for name, text in texts if text in shown}
    assert {name for name in lost if name.partition(".")[0] not in FROM_FILES} == NOT_SHOWN
