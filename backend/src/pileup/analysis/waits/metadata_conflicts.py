"""Conflict tables of metadata locks.

Source: the compatibility tables above MDL_scoped_lock::m_granted_incompatible and
        MDL_object_lock::m_granted_incompatible, sql/mdl.cc (MySQL 5.7 to 9.x; MariaDB has the same
        modes for tables). Names as performance_schema.metadata_locks prints them.
"""

from __future__ import annotations

_EVERY = frozenset(
    {
        "SHARED",
        "SHARED_HIGH_PRIO",
        "SHARED_READ",
        "SHARED_WRITE",
        "SHARED_WRITE_LOW_PRIO",
        "SHARED_UPGRADABLE",
        "SHARED_READ_ONLY",
        "SHARED_NO_WRITE",
        "SHARED_NO_READ_WRITE",
        "EXCLUSIVE",
    }
)
_WRITES = frozenset({"SHARED_WRITE", "SHARED_WRITE_LOW_PRIO"})
_NO_WRITE = frozenset({"SHARED_NO_WRITE", "SHARED_NO_READ_WRITE", "EXCLUSIVE"})

# Requested mode to the granted modes that it has to wait for.
_OBJECT = {
    "SHARED": frozenset({"EXCLUSIVE"}),
    "SHARED_HIGH_PRIO": frozenset({"EXCLUSIVE"}),
    "SHARED_READ": frozenset({"SHARED_NO_READ_WRITE", "EXCLUSIVE"}),
    "SHARED_WRITE": _NO_WRITE | {"SHARED_READ_ONLY"},
    "SHARED_WRITE_LOW_PRIO": _NO_WRITE | {"SHARED_READ_ONLY"},
    "SHARED_UPGRADABLE": _NO_WRITE | {"SHARED_UPGRADABLE"},
    "SHARED_READ_ONLY": _WRITES | {"SHARED_NO_READ_WRITE", "EXCLUSIVE"},
    "SHARED_NO_WRITE": _WRITES | _NO_WRITE | {"SHARED_UPGRADABLE"},
    "SHARED_NO_READ_WRITE": _EVERY - {"SHARED", "SHARED_HIGH_PRIO"},
    "EXCLUSIVE": _EVERY,
}
_SCOPED = {
    "INTENTION_EXCLUSIVE": frozenset({"SHARED", "EXCLUSIVE"}),
    "SHARED": frozenset({"INTENTION_EXCLUSIVE", "EXCLUSIVE"}),
    "EXCLUSIVE": frozenset({"INTENTION_EXCLUSIVE", "SHARED", "EXCLUSIVE"}),
}
_SCOPES = frozenset({"GLOBAL", "COMMIT", "SCHEMA", "TABLESPACE", "BACKUP LOCK", "RESOURCE_GROUPS"})


def excludes(object_type: str, granted: str, requested: str) -> bool:
    """Return whether ``requested`` waits for ``granted`` on one object.

    An unknown mode excludes nothing, so that no holder is invented.
    """
    table = _SCOPED if object_type in _SCOPES else _OBJECT
    return granted in table.get(requested, frozenset())
