"""Read one line of a status table, a box row or a tab-separated row: its name and value."""

from __future__ import annotations

import re

from pileup.formats.tables.parts.status_variables import variable_unit
from pileup.records import Problem

# | Aborted_clients        | 0      |    but with -r:  | Aborted_clients   |         -6|
# option_tracker_usage:Binary Log\t0
_NAME = re.compile(r"[A-Za-z][\w.]{0,120}(?:[:\-][\w. :\-]{0,120})?")
_BARE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*_\w{1,120}\s*$")
"""A tab row whose value, and with it the tab, was trimmed away."""
_RULE = re.compile(r"^\+-+\+-+\+\s*$")
HEADER = "Variable_name"
FIRST_VARIABLES = frozenset(
    (
        "activate_all_roles_on_login",  # MySQL 8
        "allow_suspicious_udfs",  # MariaDB 10.9
        "alter_algorithm",  # MariaDB 10.3
        "aria_block_size",  # MariaDB 5.1
        "auto_increment_increment",  # MySQL 5.0
    )
)
"""SHOW VARIABLES begins with one of them; the last is in every version."""
_HIDDEN = ("password", "secret")
_LOWER_STATUS = ("wsrep_", "option_tracker_usage")


def cells(text: str) -> tuple[str, str] | None:
    """Return a row's name and value (the header's are its titles); None for another line."""
    if text.startswith("|"):
        name, bar, value = text[1:].partition("|")
        value = value.strip()
        value = value[:-1].rstrip() if value.endswith("|") else value
    else:
        name, bar, value = text.partition("\t")
        if not bar:
            return (text.rstrip(), "") if _BARE_NAME.match(text) else None
        value = value.strip()
    name = name.strip()
    return (name, value) if bar and _NAME.fullmatch(name) else None


def is_variable(name: str) -> bool:
    """Whether SHOW VARIABLES prints the name; nearly all of SHOW STATUS begin with a capital."""
    return name[:1].islower() and not name.startswith(_LOWER_STATUS)


def shown(name: str, value: str | None) -> str | None:
    """Return a variable's value, but for passwords; a number (a length, a switch) is not one."""
    hidden = value and not value.isdigit() and any(word in name for word in _HIDDEN)
    return "(hidden)" if hidden else value


def is_decoration(text: str) -> bool:
    """Whether the client prints the line around a table."""
    return bool(
        text.startswith(("mysql", HEADER, "ERROR", "mysqladmin"))
        or _RULE.match(text)
        or re.search(r"\brows? in set\b", text[-60:])
    )


def opens_value(text: str) -> bool:
    """Whether the line is a box row whose value continues on the next line."""
    return text.startswith("|") and not text.rstrip().endswith("|")


def begins_sample(line: str, following: str) -> bool:
    """Whether a table begins with this line: its header, or the rule above the header."""
    if line.startswith("+-"):
        return following.startswith(f"| {HEADER}")
    return line.startswith((f"| {HEADER}", f"{HEADER}\t"))


def parse_value(text: str) -> float | None:
    """Convert a printed value to a number; None for a text or a number that no counter holds."""
    if not text or text[0] not in "-0123456789." or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 2**63 else None


def not_a_number_problem(name: str, text: str, number: int) -> Problem | None:
    """Report a text as the value of a variable whose values are numbers; else None."""
    if variable_unit(name) in (None, "boolean"):
        return None
    message = f"{name} is not a number here; it was left out."
    return Problem(number, message, expected="a number", found=text[:200])
