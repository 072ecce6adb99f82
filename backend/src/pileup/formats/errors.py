"""What the formats room raises.

    FormatsError
    ├── FormatError    mine and unusable: nothing at all can be read from this artifact
    └── ArchiveError   an archive that cannot be read, or that breaks a limit while being read

Damage inside a readable artifact is never an exception: parsers yield ``records.Problem``.
"""

from __future__ import annotations


class FormatsError(Exception):
    """The family. The message says what happened, where, and what to do next."""


class FormatError(FormatsError):
    """Nothing at all can be read as this format."""


class ArchiveError(FormatsError):
    """An archive, or one member of it, cannot be read or is larger than the limits allow."""
