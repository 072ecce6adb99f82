"""What happens to texts between a server and a bug report, without removing the evidence."""

from __future__ import annotations

import random

_PROMPTS = {
    "innodb-status": "mysql> SHOW ENGINE INNODB STATUS\\G",
    "processlist": "mysql> SHOW FULL PROCESSLIST;",
    "gdb": "(gdb) thread apply all bt",
    "pmp": "$ pt-pmp -p 3141",
    "lock-tables": "mysql> select * from sys.innodb_lock_waits\\G",
    "error-log": "$ tail -400 /var/log/mysqld.log",
}


def paste(text: str, format_: str, rng: random.Random) -> str:
    """Return a text as somebody pastes it: with a prompt, quoted, cut at a section, CRLF."""
    dice = rng.random()
    if format_ == "innodb-status":
        if dice < 0.15:  # only the beginning, as a terminal's buffer or a form's limit cuts
            text = text.split("--------\nFILE I/O")[0]
        elif dice < 0.22:  # one section
            text = _section(text)
        elif dice < 0.3:  # only the end
            _, found, rest = text.partition("----------\nSEMAPHORES")
            text = found + rest if found else text
    if rng.random() < 0.15:
        text = f"{_PROMPTS[format_]}\n{text}"
    if rng.random() < 0.05:
        text = "\n".join("> " + line for line in text.split("\n"))
    if rng.random() < 0.08:
        text = text.replace("\n", "\r\n")
    if rng.random() < 0.08 and format_ != "processlist":
        text = "\n".join("    " + line for line in text.split("\n"))
    return text


def _section(text: str) -> str:
    """Return the section of a status dump that waits are printed in, the whole if there is none."""
    if "LOCK WAIT" in text:
        _, found, rest = text.partition("------------\nTRANSACTIONS\n")
        return found + rest.split("--------\nFILE I/O")[0] if found else text
    if text.count("has waited at") > 3:
        _, found, rest = text.partition("----------\nSEMAPHORES\n")
        return found + rest.split("------------\nTRANSACTIONS")[0] if found else text
    return text


def damage(text: str, rng: random.Random) -> str:
    """Return a long file as collectors leave it: mostly whole, else cut or with a lost block."""
    dice = rng.random()
    if dice < 0.06:
        return text[: int(len(text) * rng.uniform(0.85, 0.99))]
    if dice < 0.1:
        at = int(len(text) * rng.uniform(0.1, 0.8))
        return text[:at] + text[at + rng.randrange(200, 9000) :]
    return text
