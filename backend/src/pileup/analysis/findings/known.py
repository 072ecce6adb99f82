"""What a finding is known as: published problems of its mechanism, and whether they apply here.

Versions name a mechanism and never judge it: whether it is at work, the evidence decides alone.
"""

from __future__ import annotations

from pileup.analysis.contract import KnownAsDoc
from pileup.analysis.evidence.context import Server
from pileup.analysis.evidence.servers import server_title
from pileup.knowledge import Issue
from pileup.knowledge.version_ranges import Applies, affected_text, fix_for


def known_as(issue: Issue, server: Server, score: float = 0.0) -> KnownAsDoc:
    """Describe a published problem for a server's flavour and version."""
    applies = issue.applies_to(server.family, server.numbers)
    return KnownAsDoc(
        id=issue.id,
        title=issue.title,
        applies=applies,
        affected=list(issue.affected),
        fixed=list(issue.fixed),
        sentence=_sentence(issue, server, applies),
        score=round(score, 3),
    )


def concerns(issue: Issue, server: Server) -> bool:
    """Return whether an entry is about this server's flavour at all; an unknown one is MySQL."""
    if any(entry.startswith("all") for entry in issue.affected):
        return True
    flavours = {"mysql", "percona"} if server.family == "percona" else {server.family or "mysql"}
    return any(entry.split(" ")[0].split(":")[0] in flavours for entry in issue.affected)


def _sentence(issue: Issue, server: Server, applies: Applies) -> str:
    affected = ", ".join(map(affected_text, issue.affected))
    if all(entry.startswith("all") for entry in issue.affected):
        return "No release is free of it."
    if server.version is None:
        return f"Known in {affected}; the version of this server is not known."
    this = server_title(server.family, server.version)
    fix = fix_for(issue.fixed, server.family, server.numbers)
    fixed = "" if fix is None or fix.release is None else ".".join(map(str, fix.release))
    if applies == "yes":
        return f"{this} is affected" + (f"; fixed in {fixed}." if fixed else ".")
    if applies == "unknown":
        return f"Known in {affected}; whether {this} has it is not known."
    if fixed and concerns(issue, server):
        return f"Fixed in {fixed}, yet this {this} shows the same mechanism."
    return f"Known in {affected}, yet this {this} shows the same mechanism."


__all__ = ["concerns", "known_as"]
