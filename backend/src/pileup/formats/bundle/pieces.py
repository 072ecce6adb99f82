"""A text with several pieces of evidence, as issue trackers, mails and forums print them.

Source: code blocks of Markdown, Jira, BBCode and HTML: a status dump in one, a processlist in the
        next, a stack in a third, with prose between them.
        Sessions of a client: status dumps among the tables of other statements.
        Files below their names, as tail and head print them.
        The output of several tools one after the other, also with remarks or commands between it.
Gives:  what each piece gives, read as a file of its own. Prose outside of the blocks is passed on
        as a piece too: a list pasted without a block is evidence, and what no format reads is text.
Note:   the driver cuts the text and reads the pieces; detection never chooses this format by
        itself. A text whose blocks all hold one format and that reads as well in one go has that
        format.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from pileup.formats.unwrapping.speakers import is_speaker
from pileup.records import Item, Skipped

NAME = "pieces"
TITLE = "a text with several pieces of evidence"
GIVES = "What each of its code blocks gives, read as a file of its own."
PRINTED_BY = "issues, mails and forum posts: blocks of Markdown, Jira, BBCode and HTML in prose"
VERSION = 7
HINTS = ()

MOST_BYTES = 8 * 1024 * 1024
_MOST_PIECES = 200
_TEXT = "text between the pieces"
# ```sql     > ~~~     {code:java}     {noformat}     [code]     <pre><code>
_MARK = re.compile(
    r"^[ \t>|]{0,20}(?:`{3,20}|~{3,20})[ \t]{0,4}[\w.+#{}=-]{0,30}[ \t]*\r?$"
    r"|(?:^[ \t>|]{0,20}|(?<=[ :]))`{3}(?=[ \t]{0,20}[^\s`])"
    r"|(?<!`)`{3}[ \t]*\r?$"
    r"|\{(?:code|noformat)(?::[^{}\n]{0,80})?\}"
    r"|\[/?code(?:=[^\]\n]{0,40})?\]"
    r"|(?P<tag><pre\b[^<>\n]{0,80}>(?:[ \t]*<code\b[^<>\n]{0,80}>)?)|(?:</code>[ \t]*)?</pre>",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text: a block, or what lies between two of them."""

    line: int
    """The line of the text in which it begins."""
    text: str
    in_block: bool


def has_blocks(head: str) -> bool:
    """Return whether a text has the marks of a block, or the names of several files."""
    if any(sign in head for sign in _FILE_SIGNS) and _are_files(head):
        return True
    if _MAIL.match(head):
        return True
    return any(sign in head for sign in _SIGNS) and bool(_MARK.search(head))


# From: a@example.net          Hi,          (what was pasted)          --
# Subject: stall                                                       Ada
_MAIL = re.compile(
    r"(?:(?:From|To|Cc|Subject|Date|Sent|Reply-To): \S[^\n]{0,300}\r?\n){2,12}[ \t]*\r?\n"
    r"(?:[ \t]*\r?\n|[A-Z][A-Za-z ,']{1,60}[,!:.][ \t]*\r?\n[ \t]*\r?\n){0,3}"
)
_SIGNATURE = re.compile(r"^-- ?\r?$", re.MULTILINE)


def _cut_mail(text: str, head: int) -> list[Piece]:
    """Cut off the header and greeting of a mail, and what is below the mark of a signature."""
    end = len(text)
    for mark in _SIGNATURE.finditer(text, head):
        end = mark.start()
    pieces: list[Piece] = []
    _add(pieces, 1, text[:head], False, False)
    _add(pieces, 1 + text.count("\n", 0, head), text[head:end], True, False)
    _add(pieces, 1 + text.count("\n", 0, end), text[end:], False, False)
    return pieces


_SIGNS = ("```", "~~~", "{code", "{noformat", "[code", "[CODE", "<pre", "<PRE")


# ==> /var/log/mysql/error.log <==     db-7 | CHANGED | rc=0 >>     [1] 22:15:01 [SUCCESS] db-7
_FILE = re.compile(
    r"^(?:==> \S.{0,300} <=="
    r"|(?P<ansible>[A-Za-z0-9][\w.-]{0,100}) \| (?:CHANGED|SUCCESS|FAILED)\b[^\n]{0,40} >>"
    r"|\[\d{1,5}\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] "
    r"(?P<pssh>[A-Za-z0-9][\w.-]{0,100}))[ \t]*\r?$",
    re.MULTILINE,
)
_LEAST_FILES = 2
_FILE_SIGNS = ("<==", " >>", "[SUCCESS]", "[FAILURE]")


def host_of(line: str) -> str | None:
    """Return the host that a tool names above what it ran there; None for any other line."""
    match = _FILE.match(line)
    return (match["ansible"] or match["pssh"]) if match else None


def names_hosts(text: str) -> bool:
    """Return whether a text has the output of several hosts below their names."""
    return len({host_of(name[0]) for name in _FILE.finditer(text)} - {None}) > 1


def _are_files(text: str) -> bool:
    """Return whether a text has several files below their names, as tail and head print them."""
    return len(list(islice(_FILE.finditer(text), _LEAST_FILES))) == _LEAST_FILES


def _cut_files(text: str) -> list[Piece]:
    pieces: list[Piece] = []
    at, line, inside = 0, 1, False
    for name in _FILE.finditer(text):
        if len(pieces) == _MOST_PIECES:
            return []
        _add(pieces, line, text[at : name.start()], inside, False)
        line += text.count("\n", at, name.end())
        at, inside = name.end(), True
    _add(pieces, line, text[at:], inside, False)
    return pieces


def cut(text: str) -> list[Piece]:
    """Cut a text at the marks of its blocks; return one piece where there are none, or too many."""
    if any(sign in text for sign in _FILE_SIGNS) and _are_files(text):
        return _cut_files(text)
    if (mail := _MAIL.match(text)) and not _MARK.search(text):
        return _cut_mail(text, mail.end())
    pieces: list[Piece] = []
    at, line, inside, tagged = 0, 1, False, False
    for mark in _MARK.finditer(text):
        if len(pieces) == _MOST_PIECES:
            return []
        _add(pieces, line, text[at : mark.start()], inside, tagged)
        line += text.count("\n", at, mark.end())
        at, inside, tagged = mark.end(), not inside, bool(mark["tag"])
    _add(pieces, line, text[at:], inside, tagged)
    return pieces


def _add(pieces: list[Piece], line: int, text: str, inside: bool, tagged: bool) -> None:
    if text.strip(" \t\r\n>|"):
        pieces.append(Piece(line, html.unescape(text) if tagged else text, inside))


# Words alone: at most a tenth of them have anything but letters.
_WORD = re.compile(r"[(\"'\u201c]?[^\W\d_]+(?:['\u2019-][^\W\d_]+)*[)\"'\u201d]?[.,:;!?]{0,3}$")
_SENTENCE = 4
_MOST_PROSE = 4_000


def cut_prose(text: str) -> list[Piece]:
    """Cut a text without marks at its prose and commands; return what lies between them."""
    lines = text.split("\n")
    pieces: list[Piece] = []
    first = 0
    below_speaker = False
    for at, line in enumerate([*lines, _PROSE_AT_END]):
        remark = is_around(line) or (below_speaker and is_remark(line))
        below_speaker = is_speaker(line) or (below_speaker and remark)
        if not remark:
            continue
        part = "\n".join(lines[first:at])
        if part.strip():
            pieces.append(Piece(first + 1, part, in_block=False))
        first = at + 1
    return pieces if len(pieces) <= _MOST_PIECES else []


_QUOTE = re.compile(r" {0,3}> ?")


def cut_quotes(text: str) -> list[Piece]:
    """Return the quotes of a text, without their marks: what a chat or a mail answers.

    None where no line or each line is quoted: then the marks are a prefix.
    """
    pieces: list[Piece] = []
    held: list[str] = []
    lines = text.split("\n")
    if all(_QUOTE.match(line) for line in lines if line.strip()):
        return []
    for number, line in enumerate([*lines, ""], start=1):
        if mark := _QUOTE.match(line):
            held.append(line[mark.end() :])
        elif held:
            pieces.append(Piece(number - len(held), "\n".join(held), in_block=False))
            held = []
    return pieces if len(pieces) <= _MOST_PIECES else []


_COLUMNS = re.compile(r"(?<=[^\s.!?])\s{2,}(?=\S)")


def is_prose(line: str) -> bool:
    """Return whether a line is a sentence or a greeting: words, and hardly a number or a name.

    Words in columns are the names of a table.
    """
    if "\t" in line.strip() or len(_COLUMNS.findall(line.strip()[:_MOST_PROSE])) > 1:
        return False
    words = line[:_MOST_PROSE].strip().lstrip(">* ").split()
    plain = sum(bool(_WORD.match(word)) for word in words)
    if len(words) < _SENTENCE:
        return bool(words) and plain == len(words) and words[-1][-1] in ".,:!?"
    return 10 * plain >= 9 * len(words) - 10


def is_around(line: str) -> bool:
    """Return whether a line is no evidence itself: prose, or a command behind a shell's prompt."""
    if not line.strip():
        return False
    is_mark = any(mark.match(line) for mark in (_SHELL, _CLIENT, _IDLE_PROMPT, _FILE_NAME))
    return is_mark or is_prose(line) or is_speaker(line)


def is_remark(line: str) -> bool:
    """Return whether a line has words alone: below the name of a person, that is what they say."""
    words = line[:_MOST_PROSE].split()
    return bool(words) and len(words) <= _MOST_REMARK and all(map(_WORD.match, words))


_MOST_REMARK = 12
# bob@bastion:~$ uptime     [root@db1 ~]# uptime     $ uptime
_SHELL = re.compile(
    r"\s{0,8}(?:(?:[\w.-]{1,40}@[\w.-]{1,80}[: ][^$#>\n]{0,200}"
    r"|\[[\w.-]{1,40}@[^\]\n]{1,200}\])[$#]|\$) \S"
    r"|\s{0,8}# (?:sudo )?(?:numastat|numactl|free|vmstat|iostat|mpstat|pidstat|top|df|ss|netstat"
    r"|ping|cat|sysctl|dmesg|journalctl|mysql|mysqladmin|perf|storcli|perccli|ssacli)(?: |$)"
)
# mysql> SHOW PROCESSLIST;     MariaDB [(none)]> exit     12 rows in set (0.00 sec)     Bye
_CLIENT = re.compile(
    r"\s{0,12}(?:(?:mysql|MySQL(?: [^>\n]{0,80})?|mariadb|MariaDB \[[^\]\n]{0,64}\])>"
    r"|-> \S|\d{1,9} rows? in set\b|Empty set\b|Query OK, |Bye\s*$)"
)
# [root@db1 ~]#        a prompt at which nothing was typed
_IDLE_PROMPT = re.compile(r"\s{0,8}\[?[\w.-]{1,40}@[\w.-]{1,80}[^#$\n]{0,80}[#$]\s*$")
# ==> /var/log/mysql/error.log <==     db-7 | CHANGED | rc=0 >>     (END)
_FILE_NAME = re.compile(
    r"==> .{1,300} <==\s*$|[\w.:@-]{1,100} \| (?:CHANGED|SUCCESS|FAILED)\b.{0,40} >>\s*$"
    r"|:?(?:\x1b\[K)?\(END\)\s*$|:\x1b\[K\s*$"
)
_PROSE_AT_END = "end of the text."

_AROUND_DUMP = re.compile(
    r"\s*(?:={10,}\s*$|\*{10,} \d+\. row|(?:Type|Name|Status): |(?:Name|Status):\s*$|-{10,}\s*$"
    r"|Type\tName\tStatus|\|? ?InnoDB\b|\| Type +\| Name +\||\+-[-+]+\+\s*$)"
)


def split_dumps(text: str, dumps: Iterable[tuple[int, int]]) -> tuple[str, str] | None:
    """Return the status dumps of a text, and its other lines; None where it has not both.

    In each, the lines of the other are empty: both keep their numbers of lines.
    ``dumps``: the first and last lines of the dumps; a client's next prompt ends one, too.
    """
    lines = text.split("\n")
    inside = [False] * len(lines)
    for first, last in dumps:
        at = first - 1
        while at > 0 and _AROUND_DUMP.match(lines[at - 1]):
            at -= 1
        while at < min(last, len(lines)) and not (at >= first and _CLIENT.match(lines[at])):
            inside[at] = True
            at += 1
        if at == last < len(lines) and lines[at].lstrip().startswith("====="):
            inside[at] = True
    within = "\n".join(line if is_in else "" for line, is_in in zip(lines, inside, strict=True))
    others = "\n".join("" if is_in else line for line, is_in in zip(lines, inside, strict=True))
    return (within, others) if within.strip() and others.strip() else None


def prose(first: int, last: int) -> Skipped:
    """Return a range of lines that is text and no evidence."""
    return Skipped(first, last, _TEXT)


def sniff(head: str) -> bool | None:
    """Return False: the driver cuts a text that has blocks."""
    del head
    return False


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Mark every line as skipped: a text without blocks has no pieces."""
    last = sum(1 for _ in lines)
    if last:
        yield prose(1, last)
