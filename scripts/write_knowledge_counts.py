"""Write the paragraph of docs/reference/knowledge.md that counts the issues.

The paragraph is between two HTML comments; `make docs` writes it, and a test checks it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from pileup.knowledge import Issue, knowledge

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "knowledge.md"
_BLOCK = re.compile(r"(<!-- issue counts: make docs writes them -->\n).*?(<!-- end -->\n)", re.S)


def paragraph(issues: Collection[Issue]) -> str:
    """Count the verified issues in Markdown and name every other one."""
    unverified = [issue.id for issue in issues if not issue.verified]
    verified = len(issues) - len(unverified)
    lines = [
        f"Of our {len(issues)} issues {verified} are verified: their page, thread, commit or",
        "source was read, or the problem was produced on a real server; `verified_by` says which.",
        f"{len(unverified)} are not; they rest on the servers' sources or on common knowledge:",
        "",
        *(f"- `{issue}`" for issue in unverified),
    ]
    return "\n".join(lines) + "\n"


def rewritten(page: str, issues: Collection[Issue]) -> str:
    """Return the page with a current paragraph; raises ValueError without the two comments."""
    text, count = _BLOCK.subn(lambda match: match[1] + paragraph(issues) + match[2], page)
    if count != 1:
        raise ValueError("the page has no block of issue counts")
    return text


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text(), knowledge().issues.values()))
