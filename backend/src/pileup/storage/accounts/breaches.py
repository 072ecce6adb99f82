"""Look a password up in a file of breached ones, which is on this machine: nothing is sent.

The file is the one that "Have I Been Pwned" offers for download, ordered by hash: a line for each
password, its SHA-1 in 40 hexadecimal digits, a colon and a count. It has some 40 GB, so it is
searched by halves, and a look-up reads about thirty lines.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import BinaryIO

_DIGITS = 40


def is_breached(password: str, hashes: Path | None) -> bool:
    """Return whether the file holds the password; without a file, no."""
    if hashes is None:
        return False
    wanted = hashlib.sha1(password.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    with hashes.open("rb") as file:
        return _holds(file, wanted.hexdigest().upper().encode())


def _holds(file: BinaryIO, wanted: bytes) -> bool:
    first, last = 0, file.seek(0, os.SEEK_END)
    while first < last:  # the line that begins at or behind each place is compared
        middle = (first + last) // 2
        file.seek(middle)
        if middle:
            file.seek(middle - 1)
            file.readline()
        found = file.readline()[:_DIGITS].upper()
        if found == wanted:
            return True
        if found and found < wanted:
            first = middle + 1
        else:
            last = middle
    return False
