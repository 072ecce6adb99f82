"""What is of another server, or of another day, changes nothing that a capture shows.

Files of every kind, most without a host, as people collect them: the host, the zone and the
settings of a file come from what lies beside it, and never from what only shares its incident.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.analysis import EvidenceArtifact, analyse, gather
from pileup.records import Event, Record, Session, Setting
from tests.analysis.captures.test_partition import CALM, HOUR, INSIDE, SHORT, STALL, assert_same
from tests.analysis.frames import T0, S, Samples, artifact, frames, gauge, moment, setting
from tests.support.captures import SAMPLES, analysis_of_few, few_of, of_samples

Parsed = tuple[EvidenceArtifact, dict[str, pl.DataFrame]]
Items = Sequence[Record | Samples]


@dataclasses.dataclass(frozen=True)
class Print:
    """How a file prints its host and its times."""

    host: str | None = None
    start: int = T0
    """UTC µs."""
    offset_s: int | None = None
    """Seconds east of UTC of its local times; None: they are absolute."""
    shape: Sequence[float] = tuple(STALL)

    @property
    def first(self) -> int:
        return self.start + (self.offset_s or 0) * S

    @property
    def clock(self) -> str:
        return "utc" if self.offset_s is None else "local"


def _export(way: Print) -> Items:
    """An export of a monitoring system."""
    first, others = list(way.shape), [900.0 - value for value in way.shape]
    return [
        gauge("metric.Threads_running", first, start=way.first, clock=way.clock, host=way.host),
        gauge("metric.qps", others, start=way.first, clock=way.clock, host=way.host),
    ]


def _counters(way: Print) -> Items:
    values = list(way.shape)
    series = "mysql.Threads_running"
    return [gauge(series, values, start=way.first, clock=way.clock, host=way.host)]


def _lists(way: Print) -> Items:
    rows: list[Record] = []
    for at in range(0, len(way.shape), 20):
        when = {"wall_us": way.first + at * S, "clock": way.clock, "snapshot": at}
        seen = moment("processlist", way.first + at * S, way.clock)
        rows.append(dataclasses.replace(seen, snapshot=at, host=way.host))
        rows += [
            Session(
                line_first=at + 1, line_last=at + 1, session_id=number, user="app", host=way.host,
                command="Query", time_s=3, state="updating", query="UPDATE t SET a = 1", **when,
            )
            for number in range(int(min(40, way.shape[at])))
        ]  # fmt: skip
    return rows


def _dump(way: Print) -> Items:
    at = way.first + len(way.shape) // 2 * S
    return [dataclasses.replace(moment("innodb_status", at, way.clock), host=way.host)]


def _log(way: Print) -> Items:
    return [
        Event(
            line_first=at + 1, line_last=at + 1, kind="error_log", message="Too many connections",
            wall_us=way.first + at * S, clock=way.clock, host=way.host,
        )
        for at in range(0, len(way.shape), 7)
    ]  # fmt: skip


def _variables(way: Print) -> Items:
    minutes = (way.offset_s or 0) // 60
    zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    named = [setting("hostname", way.host)] if way.host else []
    return [*named, setting("time_zone", zone), setting("max_connections", "160")]


def _options(_: Print) -> Items:
    return [
        Setting(line_first=1, line_last=1, name="innodb_thread_concurrency", value="8", source="f")
    ]


KINDS: Mapping[str, tuple[str, Callable[[Print], Items]]] = {
    "export.csv": ("metric-csv", _export),
    "status.txt": ("status", _counters),
    "processlist.txt": ("processlist", _lists),
    "dump.txt": ("innodb-status", _dump),
    "error.log": ("error-log", _log),
    "variables.txt": ("variables", _variables),
    "my.cnf": ("my-cnf", _options),
}
OBSERVING = ("export.csv", "status.txt", "processlist.txt", "dump.txt")
NAMING = ("status.txt", "processlist.txt", "dump.txt")
SHAPES = st.sampled_from([STALL, STALL, SHORT, INSIDE, CALM])
ZONES = st.sampled_from([0, -8 * 3600, 2 * 3600, 20700, 14 * 3600, -12 * 3600])


def file(path: str, way: Print) -> Parsed:
    name = path.rpartition("/")[2]
    made, build = KINDS[name]
    described = dataclasses.replace(artifact(path), path=path, format=made)
    return described, frames(*build(way))


@st.composite
def _capture(draw: st.DrawFn) -> tuple[list[Parsed], str, str | None]:
    """Files of one server, of which perhaps only some name it; their folder and host."""
    shape, offset = tuple(draw(SHAPES)), draw(ZONES)
    host = draw(st.sampled_from(["db-1", "db-1", None]))
    folder = draw(st.sampled_from(["", "a/"]))
    names = draw(st.sets(st.sampled_from(sorted(KINDS)), max_size=5))
    names |= {draw(st.sampled_from(NAMING if host else OBSERVING)), "export.csv"}
    named = draw(st.sampled_from(sorted(names & {*NAMING}))) if host else ""
    parsed = []
    for name in sorted(names):
        is_absolute = name == "export.csv" or draw(st.booleans())
        way = Print(shape=shape, offset_s=None if is_absolute else offset)
        if name == "variables.txt":
            way = dataclasses.replace(way, offset_s=offset)
        if host and (name == named or draw(st.booleans())):
            way = dataclasses.replace(way, host=host)
        parsed.append(file(f"{folder}{name}", way))
    return parsed, folder, host


@st.composite
def _others(draw: st.DrawFn, folder: str, host: str | None) -> list[Parsed]:
    """An export of another server, all files of another server, or a capture of another day."""
    found: list[Parsed] = []
    for number in range(draw(st.integers(1, 3))):
        other, shape = f"db-{7 + number}", tuple(draw(SHAPES))
        offset = draw(ZONES)
        where = draw(st.sampled_from(["b/", "c/"])) + f"{number}/"
        kind = draw(st.sampled_from(["export", "server", "day"])) if host else "day"
        if kind == "export":
            where = draw(st.sampled_from([f"{folder}{number}/", where]))
            late = draw(st.sampled_from([-30, 0, 30]))
            way = Print(other, T0 + late * S, None, (400.0,) * 80)
            found.append(file(f"{where}export.csv", way))
            continue
        days = 0 if kind == "server" else draw(st.sampled_from([-9000, -48, 48, 100])) * HOUR
        name = other if kind == "server" else draw(st.sampled_from([None, host, other]))
        names = draw(st.sets(st.sampled_from(sorted(KINDS)), max_size=4))
        names |= {draw(st.sampled_from(NAMING))}
        for each in sorted(names):
            clock = None if each == "export.csv" or draw(st.booleans()) else offset
            way = Print(name, T0 + days, clock, shape)
            if kind == "day" and each != "variables.txt" and draw(st.booleans()):
                way = dataclasses.replace(way, host=None)
            found.append(file(f"{where}{each}", way))
    return found


@st.composite
def _pair(draw: st.DrawFn) -> tuple[list[Parsed], list[Parsed]]:
    mine, folder, host = draw(_capture())
    return mine, draw(_others(folder, host))


@settings(max_examples=15, deadline=None)
@given(pair=_pair())
@pytest.mark.on_turn(1, 2)
def test_another_server_or_another_day_changes_nothing(
    pair: tuple[list[Parsed], list[Parsed]],
) -> None:
    mine, others = pair
    assert_same(analyse(gather(mine)), analyse(gather([*mine, *others])))


def _days_later(days: int, host: str | None, offset_s: int | None) -> list[Parsed]:
    way = Print(host, T0 + days * 24 * HOUR, offset_s, tuple(INSIDE))
    return [file(f"later/{name}", way) for name in ("status.txt", "dump.txt", "error.log")]


OTHERS: Mapping[str, list[Parsed]] = {
    "export of the fleet": [
        file(f"{host}/export.csv", Print(host, T0 + 19 * 60 * S, None, (400.0,) * 300))
        for host in ("db-7", "db-8")
    ],
    "another server": [
        file(f"other/{name}", Print("db-7", T0 + 19 * 60 * S, 14 * 3600)) for name in KINDS
    ],
    "three days later": _days_later(3, None, None),
    "a year earlier, of a zone": _days_later(-365, "db-9", -12 * 3600),
    "two days earlier, with settings": [
        file(f"earlier/{name}", Print(None, T0 - 48 * HOUR, -12 * 3600))
        for name in ("dump.txt", "variables.txt", "error.log")
    ],
}


@of_samples(SAMPLES)
@pytest.mark.parametrize("others", list(OTHERS))
@pytest.mark.dealt(4)
def test_a_sample_beside_others(name: str, others: str) -> None:
    alone = analysis_of_few(name)
    assert alone.episodes
    assert_same(alone, analyse(gather([*few_of(name), *OTHERS[others]])))


def test_an_export_of_another_server_leaves_files_their_owner() -> None:
    """Hostless values, a log's zone: the server that has dumps of its own keeps both."""
    mine = [
        file("variables.txt", Print("db-1", offset_s=-8 * 3600)),
        file("processlist.txt", Print("db-1", offset_s=-8 * 3600)),
        file("export.csv", Print()),
        file("error.log", Print(offset_s=-8 * 3600)),
    ]
    other = file("datadog/export.csv", Print("db-9", T0 - 600 * S, shape=(400.0,) * 800))
    shown = {doc.path: doc for doc in analyse(gather([*mine, other])).artifacts}
    assert shown["export.csv"].host == shown["error.log"].host == "db-1"
    clock = shown["error.log"].clock
    assert clock is not None
    assert clock.zone == "UTC-08:00" or "time_zone=-08:00" in clock.how
    assert shown["datadog/export.csv"].host == "db-9"


def test_settings_that_name_a_server_name_first_what_lies_beside_them() -> None:
    """They have no time: those of another day would name whatever has no name."""
    mine = [file(name, Print(shape=tuple(STALL))) for name in ("dump.txt", "status.txt")]
    later = Print("db-8", T0 + 100 * HOUR, 0)
    others = [file("b/1/variables.txt", later)]
    others.append(file("b/1/status.txt", dataclasses.replace(later, host=None)))
    shown = {doc.path: doc.host for doc in analyse(gather([*mine, *others])).artifacts}
    assert shown == {
        **dict.fromkeys(["dump.txt", "status.txt"]),
        **dict.fromkeys(["b/1/variables.txt", "b/1/status.txt"], "db-8"),
    }
    assert_same(analyse(gather(mine)), analyse(gather([*mine, *others])))


def test_calm_servers_of_a_fleet_are_not_joined() -> None:
    """Their small numbers are alike until the other one stalls, after the first was looked at."""
    mine = [file("status.txt", Print("db-1", shape=tuple(CALM)))]
    other = file("export.csv", Print("db-9", shape=(*CALM, *STALL)))
    shown = analyse(gather([*mine, other]))
    assert {doc.host for doc in shown.artifacts} == {"db-1", "db-9"}


@pytest.mark.parametrize(("minutes", "count"), [(0.5, 1), (5, 2)])
def test_lone_moments_join_within_a_minute(minutes: float, count: int) -> None:
    """Nothing says that one was taken because of the other."""
    first = file("dump.txt", Print("db-1"))
    second = file("b/dump.txt", Print("db-1", T0 + round(minutes * 60 * S)))
    assert len(analyse(gather([first, second])).captures) == count


@pytest.mark.parametrize(("hours", "capture"), [(1, 0), (5, 1)])
def test_errors_of_a_log_are_a_stall_of_the_nearest_capture(hours: int, capture: int) -> None:
    """Both captures use the log of their host as context; its errors are one stall all the same."""
    log = file("error.log", Print("db-1", T0 + hours * HOUR))
    seen = [
        file(f"{at}/status.txt", Print("db-1", T0 + at * 6 * HOUR, shape=tuple(CALM)))
        for at in (0, 1)
    ]
    shown = analyse(gather([log, *seen]))
    (episode,) = shown.episodes
    assert episode.capture == [each.id for each in shown.captures][capture]


def test_a_zone_comes_from_the_nearest_files() -> None:
    """Settings in another folder, of another day, say less than the export beside a dump."""
    mine = [file("dump.txt", Print(offset_s=14 * 3600)), file("export.csv", Print())]
    later = Print(None, T0 + 100 * HOUR, 2 * 3600)
    others = [file(f"later/{name}", later) for name in ("variables.txt", "status.txt")]
    shown = {doc.path: doc for doc in analyse(gather([*mine, *others])).artifacts}
    clock = shown["dump.txt"].clock
    assert clock is not None
    assert clock.zone == "+14:00"
