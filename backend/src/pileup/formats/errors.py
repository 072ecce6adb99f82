"""The exceptions of the formats package.

    FormatsError
    ├── FormatError    the artifact is of this format, but nothing in it can be read
    └── ArchiveError   an archive that cannot be read, or that exceeds a limit

Damage inside a readable artifact is never an exception: parsers yield ``records.Problem``.
"""

from __future__ import annotations


class FormatsError(Exception):
    """Base of these exceptions. The message says what happened, where, and what to do next."""


class FormatError(FormatsError):
    """Nothing in the artifact can be read as this format."""


class ArchiveError(FormatsError):
    """An archive, or one member of it, cannot be read or is larger than the limits allow."""
