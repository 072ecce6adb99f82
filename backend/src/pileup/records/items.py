"""The union of everything that a format yields."""

from __future__ import annotations

from typing import TypeAlias

from pileup.records.base import Record
from pileup.records.bulk import Grid, Rows, Samples, Stacks
from pileup.records.receipts import Problem, Section, Skipped

Item: TypeAlias = Record | Samples | Rows | Grid | Stacks | Problem | Section | Skipped
"""What a format's ``parse`` yields, in file order."""
