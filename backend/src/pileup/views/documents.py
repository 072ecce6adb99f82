"""Type the parts of analysis documents inside a view: stored JSON with a client-side type.

The analysis contract is msgspec; its parts travel through a view as they were stored. The schema of
such a part is a reference to the struct it was made from.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import WithJsonSchema

from pileup.analysis import contract

MARK = "x-analysis-document"


def _marked(struct: type[contract.Doc]) -> WithJsonSchema:
    return WithJsonSchema({MARK: struct.__name__})


ClockJson = Annotated[dict[str, Any], _marked(contract.ClockDoc)]
LocatorJson = Annotated[dict[str, Any], _marked(contract.Locator)]
StoryJson = Annotated[dict[str, Any], _marked(contract.StoryDoc)]
HeadlineJson = Annotated[dict[str, Any], _marked(contract.Headline)]
StallJson = Annotated[dict[str, Any], _marked(contract.StallDoc)]
ActiveSessionsJson = Annotated[dict[str, Any], _marked(contract.ActiveSessionsDoc)]
RootJson = Annotated[dict[str, Any], _marked(contract.RootDoc)]
CaptureJson = Annotated[dict[str, Any], _marked(contract.CaptureDoc)]
EpisodeJson = Annotated[dict[str, Any], _marked(contract.EpisodeDoc)]
RecurrenceJson = Annotated[dict[str, Any], _marked(contract.RecurrenceDoc)]
ShiftJson = Annotated[dict[str, Any], _marked(contract.ShiftDoc)]
FindingJson = Annotated[dict[str, Any], _marked(contract.FindingDoc)]
AbsenceJson = Annotated[dict[str, Any], _marked(contract.AbsenceDoc)]
LookedAtJson = Annotated[dict[str, Any], _marked(contract.LookedAtDoc)]
BlockerJson = Annotated[dict[str, Any], _marked(contract.BlockerDoc)]
TriageJson = Annotated[dict[str, Any], _marked(contract.TriageDoc)]
HotWaitJson = Annotated[dict[str, Any], _marked(contract.HotWaitDoc)]
HotLatchJson = Annotated[dict[str, Any], _marked(contract.HotLatchDoc)]
HotStackJson = Annotated[dict[str, Any], _marked(contract.HotStackDoc)]
DeadlockJson = Annotated[dict[str, Any], _marked(contract.DeadlockDoc)]
DeadlockPatternJson = Annotated[dict[str, Any], _marked(contract.DeadlockPatternDoc)]
LimitJson = Annotated[dict[str, Any], _marked(contract.LimitDoc)]
UnansweredJson = Annotated[dict[str, Any], _marked(contract.UnansweredDoc)]
EventJson = Annotated[dict[str, Any], _marked(contract.EventDoc)]
AnalysisJson = Annotated[dict[str, Any], _marked(contract.Analysis)]
ComparedSettingJson = Annotated[dict[str, Any], _marked(contract.ComparedSetting)]
TrialJson = Annotated[dict[str, Any], _marked(contract.TrialDoc)]
