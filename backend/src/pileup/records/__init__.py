"""Record types of the formats: one frozen dataclass per kind of machine fact, and its frame schema.

Every format yields these records and nothing else; every analysis reads frames of them. The
package imports no other package of Pileup.

Units:  times are int64 microseconds since the epoch, durations are seconds, sizes are bytes.
Time:   a parser reports the printed time: ``wall_us`` is the printed wall clock *as if it were UTC*
        and ``clock`` is the kind of that clock. ``analysis.clock`` converts it to UTC and adds the
        column ``time``. Nothing here knows a zone.
Null:   ``None`` means not known. A zero was read as zero.
"""

from __future__ import annotations

from pileup.records.base import (
    CLIENT,
    UINT64_MAX,
    Clock,
    Event,
    Record,
    Setting,
    Snapshot,
    Table,
)
from pileup.records.bulk import Grid, Rows, Samples, Stacks, labels_text, samples_frame
from pileup.records.columns import list_column, struct_column
from pileup.records.frames import (
    KINDS,
    SAMPLE,
    build_frame,
    frame_schema,
    record_from_row,
    records_frame,
    with_all_columns,
)
from pileup.records.items import Item
from pileup.records.latches import EventWait, LatchHold, SemaphoreWait
from pileup.records.locks import (
    Deadlock,
    DeadlockTrx,
    ForeignKeyError,
    LockWait,
    MetadataLock,
    Transaction,
    TrxLock,
)
from pileup.records.receipts import Problem, Section, Skipped
from pileup.records.sessions import (
    LONGEST_SESSION_S,
    Query,
    QueryCount,
    ServerThread,
    Session,
)
from pileup.records.stacks import Frame, Stack, StackThread

__all__ = [
    "CLIENT",
    "KINDS",
    "LONGEST_SESSION_S",
    "SAMPLE",
    "UINT64_MAX",
    "Clock",
    "Deadlock",
    "DeadlockTrx",
    "Event",
    "EventWait",
    "ForeignKeyError",
    "Frame",
    "Grid",
    "Item",
    "LatchHold",
    "LockWait",
    "MetadataLock",
    "Problem",
    "Query",
    "QueryCount",
    "Record",
    "Rows",
    "Samples",
    "Section",
    "SemaphoreWait",
    "ServerThread",
    "Session",
    "Setting",
    "Skipped",
    "Snapshot",
    "Stack",
    "StackThread",
    "Stacks",
    "Table",
    "Transaction",
    "TrxLock",
    "build_frame",
    "frame_schema",
    "labels_text",
    "list_column",
    "record_from_row",
    "records_frame",
    "samples_frame",
    "struct_column",
    "with_all_columns",
]
