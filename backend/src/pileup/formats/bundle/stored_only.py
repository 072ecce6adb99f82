"""Files that belong to an incident and are stored without being parsed.

A packet capture, a core or a picture is recognised by its first bytes, stored whole like every
upload, offered for download, and shown as not read, with advice on what to upload instead.
Detection never chooses this format for a text; a person may choose it for a file that needs no
parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.records import Item, Skipped

NAME = "kept"
TITLE = "Kept as it is"
GIVES = "Nothing: the file is stored, named and offered for download, not read."
PRINTED_BY = (
    "tcpdump (pcap, pcapng), `perf record`, sar's daily files, systemd journals, binary logs, "
    "cores and programs, SQLite, PNG, JPEG, GIF, WebP, PDF"
)
VERSION = 1
HINTS = ()

_BYTES = 32
# (offset, first bytes, what it is, key of the advice in _INSTEAD or an empty string)
_MAGIC: tuple[tuple[int, bytes, str, str], ...] = (
    (0, b"\xd4\xc3\xb2\xa1", "a packet capture (pcap)", "pcap"),
    (0, b"\xa1\xb2\xc3\xd4", "a packet capture (pcap)", "pcap"),
    (0, b"\x4d\x3c\xb2\xa1", "a packet capture (pcap, nanoseconds)", "pcap"),
    (0, b"\xa1\xb2\x3c\x4d", "a packet capture (pcap, nanoseconds)", "pcap"),
    (0, b"\n\r\r\n", "a packet capture (pcapng)", "pcap"),
    (0, b"PERFILE2", "a recording of perf", "perf"),
    (0, b"\x96\xd5", "a daily file of sar", "sar"),
    (0, b"LPKSHHRH", "a journal of systemd", "journal"),
    (0, b"\xfebin", "a binary log of MySQL or MariaDB", "binlog"),
    (0, b"\x7fELF", "a core or a program (ELF)", "core"),
    (0, b"SQLite format 3\0", "a database of SQLite", ""),
    (0, b"\x89PNG\r\n\x1a\n", "a picture (PNG)", ""),
    (0, b"\xff\xd8\xff", "a picture (JPEG)", ""),
    (0, b"GIF8", "a picture (GIF)", ""),
    (8, b"WEBP", "a picture (WebP)", ""),
    (0, b"%PDF-", "a document (PDF)", ""),
)
_INSTEAD = {
    "pcap": "packets are not read; pt-query-digest --type tcpdump makes a report of them that is",
    "perf": "upload the output of `perf script` to see its stacks",
    "sar": "upload the output of `sar -A -f FILE` or `sadf -d FILE -- -A` to see its series",
    "journal": "upload the output of `journalctl --file FILE -o short-iso` to see its events",
    "binlog": "statements are not read from it",
    "core": "upload the output of gdb's `thread apply all bt` to see its stacks",
}
_PCAPNG_ORDER = (b"\x1a\x2b\x3c\x4d", b"\x4d\x3c\x2b\x1a")


def recognise(first: bytes) -> str | None:
    """Describe a binary file by its first bytes; return None for a file of any other kind."""
    for offset, magic, what, instead in _MAGIC:
        if not first.startswith(magic, offset) or len(first) < _BYTES:
            continue
        if magic == b"\n\r\r\n" and first[8:12] not in _PCAPNG_ORDER:
            continue  # blank lines at the start of a text file
        if magic == b"WEBP" and not first.startswith(b"RIFF"):
            continue
        advice = _INSTEAD.get(instead)
        return f"it is {what}, kept as it is" + (f": {advice}" if advice else "")
    return None


def sniff(head: str) -> bool | None:
    """Return False: these files are recognised by their first bytes, in ``recognise``."""
    del head
    return False


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Mark every line as skipped; yield no record."""
    last = sum(1 for _ in lines)
    if last:
        yield Skipped(1, last, "kept as it is, not read")
