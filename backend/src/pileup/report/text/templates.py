"""Templates of the report as data: sections, their order, and a prompt for each.

Texts belong to a section's key, not to a template: choosing another template loses nothing. A text
whose section the chosen template lacks is kept, listed as "not in this template" and not exported.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """One section of a template."""

    key: str
    title: str
    prompt: str
    """Instruction for the author; shown while the section is empty."""
    required: bool = False
    max_lines: int | None = None
    """Lint: maximum number of lines."""
    wants: tuple[str, ...] = ()
    """Lint: live blocks or words; at least one of them is expected."""


@dataclass(frozen=True, slots=True)
class Template:
    id: str
    title: str
    purpose: str
    parts: tuple[Part, ...]


_SUMMARY = Part(
    "summary", "Summary", "In three sentences: what happened, why, and what ended it.", True
)
_IMPACT = Part("impact", "Impact", "Who was affected, how much, from when to when.", True)
_TIMELINE = Part(
    "timeline",
    "Timeline",
    "What happened when, from the first sign to the end.",
    True,
    wants=("::timeline", "::lane", "|"),
)
_ACTIONS = Part(
    "actions",
    "Actions",
    "What will be changed, by whom, until when, and which experiment shows that it works.",
    True,
    wants=("::actions", "|"),
)
_LESSONS = Part(
    "lessons",
    "What went well, what went badly, where we were lucky",
    "One list each. People did what made sense to them: ask what made it make sense.",
)
_APPENDIX = Part(
    "appendix", "Appendix: artifacts and clocks", "The files that were read, and their clocks."
)

TEMPLATES: tuple[Template, ...] = (
    Template(
        "database-pileup",
        "Database pileup",
        "The whole argument: what moved first, who waited for whom, what was tried.",
        (
            _SUMMARY,
            _IMPACT,
            _TIMELINE,
            Part(
                "what_happened",
                "What happened",
                "Who waited for whom, and what moved first.",
                True,
                wants=("::waits", "::lane", "::stacks", "::table", "|"),
            ),
            Part(
                "contributing_factors",
                "Contributing factors",
                "The hypotheses that the evidence supports. There is rarely one root cause.",
                True,
            ),
            Part("hypotheses", "Hypotheses", "All of them: the refuted ones save the next team."),
            Part("experiments", "Experiments", "What was changed, predicted and observed."),
            Part("mitigations", "Mitigations", "What helps now, and its side effects."),
            _ACTIONS,
            _LESSONS,
            Part("gaps", "Gaps", "What was not collected, and how to collect it next time."),
            _APPENDIX,
        ),
    ),
    Template(
        "sre",
        "SRE book",
        "The classic postmortem of site reliability engineering.",
        (
            _SUMMARY,
            _IMPACT,
            Part(
                "contributing_factors",
                "Root causes",
                "The conditions without which it would not have happened.",
                True,
            ),
            Part("trigger", "Trigger", "What set it off: a deployment, a load, a statement.", True),
            Part(
                "resolution",
                "Resolution",
                "What ended it, and what was tried without effect.",
                True,
            ),
            Part("detection", "Detection", "Who or what noticed, and how long that took.", True),
            _ACTIONS,
            Part("lessons", "Lessons learned", _LESSONS.prompt, True),
            _TIMELINE,
            Part("what_happened", "Supporting information", "Figures and measurements."),
        ),
    ),
    Template(
        "five-lines",
        "Five-line summary",
        "For a chat or a status page: five sections of one line, no internals.",
        (
            Part("line_happened", "What happened", "One line.", True, max_lines=1),
            Part("line_impact", "Impact", "One line, with a number.", True, max_lines=1),
            Part("line_cause", "Why", "One line.", True, max_lines=1),
            Part("line_response", "What ended it", "One line.", True, max_lines=1),
            Part("line_next", "What comes next", "One line, with an owner.", True, max_lines=1),
        ),
    ),
    Template(
        "executive",
        "Executive",
        "One page for those who decide: no internals.",
        (
            Part(
                "exec_summary",
                "In short",
                "No more than six lines, no term that needs a glossary.",
                True,
                max_lines=6,
            ),
            Part("exec_impact", "Effect on customers and the business", "With numbers.", True),
            Part("exec_cause", "Why it happened", "In plain words.", True, max_lines=8),
            _ACTIONS,
            Part("exec_risk", "What remains at risk", "Until which action is done.", True),
        ),
    ),
    Template(
        "vendor-bug",
        "Vendor bug report",
        "For a bug tracker: version, steps, expected, observed, evidence.",
        (
            Part("bug_summary", "Summary", "One sentence that a maintainer can search.", True),
            Part("bug_environment", "Version and environment", "Server, settings, load.", True),
            Part(
                "bug_reproduce",
                "How to repeat",
                "Steps from an empty server, or the load under which it appears.",
                True,
            ),
            Part("bug_expected", "Expected", "What the manual promises.", True),
            Part("bug_observed", "Observed", "What happened instead.", True),
            Part(
                "bug_evidence",
                "Evidence",
                "Wait graph, stacks, status output.",
                True,
                wants=("::waits", "::lane", "::pin", "[^", "```"),
            ),
            Part("bug_workaround", "Workaround", "If there is one, and its side effects."),
            Part("experiments", "Experiments", "What was tried, on which versions."),
            _APPENDIX,
        ),
    ),
)
DEFAULT = TEMPLATES[0]
PLAIN = frozenset({"executive", "five-lines"})
"""Templates of one page whose readers do not run databases: no internals, no raw lines.

Their first section says what a cover would: no format prints one.
"""

TITLES: dict[str, str] = {
    part.key: part.title for template in reversed(TEMPLATES) for part in template.parts
}
"""Every possible section by key, with the title of the first template that has it."""


def kind(template_id: str) -> str:
    """Name the kind of document that a template makes, for its first page."""
    return "Vendor bug report" if template_id == "vendor-bug" else "Postmortem"


def template(template_id: str) -> Template:
    """Return the template of an id; the default template when the id is unknown (removed since)."""
    return next((item for item in TEMPLATES if item.id == template_id), DEFAULT)
