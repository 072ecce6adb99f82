"""Recognise parts of a status dump without its banner: titled sections, or only their lines.

Source: srv_printf_innodb_monitor(), srv0srv.cc. People paste one section, one ``---TRANSACTION``
        block, one ``--Thread`` paragraph, or a dump whose first lines are cut off.
"""

from __future__ import annotations

import re

from pileup.formats.innodb.parts.transaction_text import OF_TRANSACTION

_TITLES = (
    "BACKGROUND THREAD|SEMAPHORES|LATEST DETECTED DEADLOCK|LATEST FOREIGN KEY ERROR|TRANSACTIONS|"
    "FILE I/O|INSERT BUFFER AND ADAPTIVE HASH INDEX|INSERT BUFFER|ADAPTIVE HASH INDEX|"
    "BUFFER POOL AND MEMORY|INDIVIDUAL BUFFER POOL INFO|ROW OPERATIONS|RW-LATCH INFO|MUTEX INFO"
)
_BODIES = {
    "TRANSACTIONS": (
        r"---TRANSACTION (?:\(0x)?[0-9A-Fa-f]+\)?(?: \d+)?, |Trx id counter (?:0x)?[0-9A-F]|"
        r"Purge done for trx's n:o|History list length \d|LIST OF TRANSACTIONS FOR EACH SESSION|"
        rf"{OF_TRANSACTION}"
    ),
    "SEMAPHORES": (
        r"--Thread \d{1,20} has waited at |OS WAIT ARRAY INFO: |Mutex spin waits \d|"
        r"RW-(?:shared|excl|sx) spins \d|Spin rounds per wait: "
    ),
    "LATEST DETECTED DEADLOCK": (
        r"\*\*\* \(\d{1,9}\) (?:TRANSACTION:|HOLDS THE LOCK|WAITING FOR THIS LOCK)|"
        r"\*\*\* (?:WAITING FOR THIS LOCK TO BE GRANTED|CONFLICTING WITH):|"
        r"\*\*\* WE ROLL BACK TRANSACTION"
    ),
    "LATEST FOREIGN KEY ERROR": r"Foreign key constraint fails for table ",
    "FILE I/O": (
        r"I/O thread \d{1,9} state: |Pending normal aio reads:|\d{1,20} OS file reads, \d|"
        r"Pending flushes \(fsync\) log: "
    ),
    "INSERT BUFFER AND ADAPTIVE HASH INDEX": (
        r"Ibuf: size \d|Hash table size \d|[\d.]{1,20} hash searches/s"
    ),
    "LOG": (
        r"Log sequence number +\d|Log flushed up to +\d|Last checkpoint at +\d|"
        r"Log buffer assigned up to +\d|\d{1,20} pending log (?:writes|flushes), \d"
    ),
    "BUFFER POOL AND MEMORY": (
        r"Total (?:large )?memory allocated \d|Buffer pool size +\d|Buffer pool hit rate \d|"
        r"Database pages +\d|Modified db pages +\d|Pages read \d{1,20}, created \d"
    ),
    "ROW OPERATIONS": (
        r"\d{1,9} queries inside InnoDB, \d|\d{1,9} read views open inside InnoDB|"
        r"Number of rows inserted \d|(?:Process ID=\d{1,9}, )?Main thread (?:process no|ID=)"
    ),
    "BACKGROUND THREAD": r"srv_master_thread (?:loops|log flush)",
}
_TITLE_OF_GROUP = {f"s{at}": title for at, title in enumerate(_BODIES)}
_BODY = re.compile(
    "^(?:" + "|".join(f"(?P<s{at}>{body})" for at, body in enumerate(_BODIES.values())) + ")",
    re.MULTILINE,
)
_DEADLOCK = "LATEST DETECTED DEADLOCK"
_OF_ERRORS = (_DEADLOCK, "LATEST FOREIGN KEY ERROR")
_OF_TRANSACTION = re.compile(OF_TRANSACTION)
_TITLED = rf"(?:## )?(?:{_TITLES})[ \t]*$|-{{3,}}[ \t]*\n(?:## )?LOG[ \t]*\n-{{3,}}[ \t]*$"
_BEGIN = re.compile(f"^(?:{_TITLED}|(?:{'|'.join(_BODIES.values())}))", re.MULTILINE)
_MAY_BE_ELIDED = ("...", "…", "snip", "SNIP")
# Where a part of the output was left out by hand.
_ELIDED = re.compile(
    r"^[ \t]*(?:\.{3,}|…|[\[(<] ?(?:\.{3,}|…|snip\w{0,10}) ?[\])>])[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)


def is_elided(text: str) -> bool:
    """Return whether somebody left lines of a text out, such as by a line of three dots."""
    # Searched at memory speed first: a section has megabytes, and hardly ever such a line.
    return any(sign in text for sign in _MAY_BE_ELIDED) and bool(_ELIDED.search(text))


def find_section(text: str, at: int = 0) -> int:
    """Return the offset of the first line that begins or belongs to a section; -1 without one."""
    match = _BEGIN.search(text, at)
    return match.start() if match else -1


def implied_sections(text: str) -> list[tuple[str, int]]:
    """Return (title, offset) of the sections that lines without any title belong to."""
    parts: list[tuple[str, int]] = []
    for match in _BODY.finditer(text):
        title = _TITLE_OF_GROUP[str(match.lastgroup)]
        of_transaction = match[0][:1] != "-" and _OF_TRANSACTION.match(match[0])
        if of_transaction and parts and parts[-1][0] == _DEADLOCK:
            continue
        if title in _OF_ERRORS and len(parts) == 1 and _is_one_transaction(text[: match.start()]):
            parts = [(title, parts[0][1])]  # of which the error prints the first lines
        if not parts or parts[-1][0] != title:
            parts.append((title, match.start()))
    return parts


def _is_one_transaction(text: str) -> bool:
    """Return whether the beginning of a text has only lines of a transaction without its first."""
    return all(_OF_TRANSACTION.match(match[0]) for match in _BODY.finditer(text))


__all__ = ["find_section", "implied_sections", "is_elided"]
