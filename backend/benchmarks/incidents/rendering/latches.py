"""Where the source of each release creates and requests the latches of the simulation.

Positions are facts of the servers' sources and of real dumps; a release that is not listed uses the
positions of the nearest one of its series, moved by some lines, as other releases differ likewise.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from benchmarks.incidents.servers import Server


@dataclass(frozen=True)
class Latch:
    """The positions of one latch in one release."""

    created: tuple[str, int]
    shared: tuple[tuple[str, int, str], ...]
    """File, line and mode of those who wait for a shared hold."""
    exclusive: tuple[tuple[str, int, str], ...]
    mutex: str = ""
    """Name of a mutex, as 5.7 and later print it."""


def _rw(created: str, shared: str, exclusive: str) -> Latch:
    def sites(text: str) -> tuple[tuple[str, int, str], ...]:
        parts = [site.split() for site in text.split(",") if site.strip()]
        return tuple((file, int(line), mode) for file, line, mode in parts)

    file, line = created.split()
    return Latch((file, int(line)), sites(shared), sites(exclusive))


LATCHES: dict[tuple[str, str], dict[str, Latch]] = {
    ("my56", "5.6.24"): {
        "adaptive hash": _rw(
            "btr0sea.cc 173", "btr0sea.cc 907 S", "btr0sea.cc 658 X,btr0sea.cc 1761 X"
        ),
        "index tree": _rw("dict0dict.cc 2606", "btr0cur.cc 545 S", "btr0cur.cc 536 X"),
        "page": _rw("buf0buf.cc 1021", "row0sel.cc 4138 S,btr0cur.cc 3680 S", "row0ins.cc 2338 X"),
    },
    ("my56", "5.6.51"): {
        "adaptive hash": _rw(
            "btr0sea.cc 183", "btr0sea.cc 918 S", "btr0sea.cc 669 X,btr0sea.cc 1772 X"
        ),
        "index tree": _rw("dict0dict.cc 2664", "btr0cur.cc 553 S", "btr0cur.cc 544 X"),
        "page": _rw("buf0buf.cc 1077", "btr0cur.cc 3705 S", "row0ins.cc 2346 X"),
    },
    ("my57", "5.7.22"): {
        "adaptive hash": _rw(
            "btr0sea.cc 195", "btr0sea.ic 122 S,row0sel.cc 5124 S", "btr0sea.ic 92 X"
        ),
        "index tree": _rw(
            "dict0dict.cc 2730", "btr0cur.cc 1008 S", "btr0cur.cc 976 SX,btr0cur.cc 974 X"
        ),
        "page": _rw("buf0buf.cc 1460", "row0sel.cc 5124 S", "row0ins.cc 2490 X"),
    },
    ("my57", "5.7.42"): {
        "adaptive hash": _rw(
            "btr0sea.cc 202", "btr0sea.ic 128 S,btr0sea.ic 122 S", "btr0sea.ic 98 X"
        ),
        "index tree": _rw(
            "dict0dict.cc 2737", "btr0cur.cc 1008 S", "btr0cur.cc 976 SX,btr0cur.cc 974 X"
        ),
        "page": _rw("buf0buf.cc 1460", "row0sel.cc 5135 S", "row0ins.cc 2490 X"),
    },
    ("my80", "8.0.15"): {
        "adaptive hash": _rw(
            "btr0sea.cc 202", "btr0sea.ic 122 S,row0sel.cc 4506 S", "btr0sea.ic 92 X"
        ),
        "index tree": _rw(
            "dict0dict.cc 2519", "btr0cur.cc 924 S", "btr0cur.cc 892 SX,btr0cur.cc 890 X"
        ),
        "page": _rw("buf0buf.cc 781", "row0sel.cc 4729 S", "row0upd.cc 2740 X"),
    },
    ("my80", "8.0.42"): {
        "adaptive hash": _rw("btr0sea.cc 211", "row0sel.cc 4676 S", "btr0sea.cc 1149 X"),
        "index tree": _rw(
            "dict0dict.cc 2565", "btr0cur.cc 865 S", "btr0cur.cc 832 SX,btr0cur.cc 830 X"
        ),
        "page": _rw("buf0buf.cc 856", "row0sel.cc 4920 S", "row0ins.cc 2356 X"),
    },
    ("my84", "8.4.4"): {
        "adaptive hash": _rw("btr0sea.cc 211", "row0sel.cc 4677 S", "btr0sea.cc 1149 X"),
        "index tree": _rw(
            "dict0dict.cc 2565", "btr0cur.cc 866 S", "btr0cur.cc 833 SX,btr0cur.cc 831 X"
        ),
        "page": _rw("buf0buf.cc 796", "row0sel.cc 4921 S", "row0ins.cc 2355 X"),
    },
    ("ma102", "10.2.11"): {
        "adaptive hash": _rw(
            "btr0sea.cc 193", "row0sel.cc 4313 S,btr0sea.ic 134 S", "btr0sea.ic 96 X"
        ),
        "index tree": _rw(
            "dict0dict.cc 2095", "btr0cur.cc 1105 S", "btr0cur.cc 1080 SX,btr0cur.cc 1078 X"
        ),
        "page": _rw("buf0buf.cc 1457", "row0sel.cc 3070 S", "row0ins.cc 2650 X"),
    },
}


DICTIONARY = {
    "my56": Latch(("dict0dict.cc", 1057), (), (("dict0dict.cc", 1122, "mutex"),), "DICT_SYS"),
    "my57": Latch(("dict0dict.cc", 1172), (), (("dict0dict.cc", 1238, "mutex"),), "DICT_SYS"),
    "ma102": Latch(("dict0dict.cc", 909), (), (("dict0dict.cc", 1065, "mutex"),), "DICT_SYS"),
}
"""The mutex of the dictionary, which a DROP TABLE keeps while it scans the buffer pool."""


def latches(server: Server, rng: random.Random) -> dict[str, Latch]:
    """Return the latches of a release, or those of the nearest one listed with lines moved."""
    listed = [release for series, release in LATCHES if series == server.generation]
    release = min(listed, key=lambda r: abs(_patch(r) - _patch(server.release)))
    known = dict(LATCHES[server.generation, release])
    if server.generation in DICTIONARY:
        known["dictionary"] = DICTIONARY[server.generation]
    if release == server.release.split("-")[0]:
        return known
    moved = rng.choice((0, 0, 0, 2, 5))
    return {
        name: Latch(
            latch.created,
            tuple((file, line + moved, mode) for file, line, mode in latch.shared),
            tuple((file, line + moved, mode) for file, line, mode in latch.exclusive),
            latch.mutex,
        )
        for name, latch in known.items()
    }


def _patch(release: str) -> int:
    return int(release.split("-")[0].split(".")[2])
