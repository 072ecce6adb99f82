"""What the storage decides without a database: orders with rivals and ties, limits exactly reached,
each word of a sentence."""

from __future__ import annotations

import errno
import hashlib
import itertools
import os
import random
import time
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pileup.storage import ids, like
from pileup.storage.accounts import passwords
from pileup.storage.accounts.breaches import is_breached
from pileup.storage.accounts.usage import Use, _kept, _sorted
from pileup.storage.artifacts import quotas
from pileup.storage.artifacts.artifacts import clean_path
from pileup.storage.artifacts.quotas import Quotas, Room
from pileup.storage.errors import NoSpace, OverQuota, Refused, disk_is_full
from pileup.storage.files import raw_lines
from pileup.storage.files.file_sets import BucketSets
from pileup.storage.files.raw_lines import EVERY, index_lines
from pileup.storage.incidents import search
from pileup.storage.incidents.members import Standing, explain
from pileup.storage.incidents.search import Entry
from pileup.storage.reasoning import calibration
from pileup.storage.reasoning.calibration import Forecast
from pileup.storage.reasoning.comments import named_in
from pileup.storage.reasoning.hypotheses import Hypotheses
from pileup.storage.reasoning.run_analyses import input_hash

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


# ---- lines of a file -------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("count", [0, 1, EVERY - 1, EVERY, EVERY + 1, 2 * EVERY, 2 * EVERY + 3])
@pytest.mark.parametrize("is_open", [False, True])
def test_places_of_lines(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    newline: str,
    encoding: str,
    count: int,
    is_open: bool,
) -> None:
    """Every 256th line has its place, and none begins at the end of the file."""
    monkeypatch.setattr(raw_lines, "_CHUNK", 101)
    mark = "\ufeff".encode(encoding) if encoding != "utf-8" else b""
    lines = [f"{n}{'x' * (n % 7)}{newline}".encode(encoding) for n in range(count)]
    if is_open:
        lines.append("open".encode(encoding))
    path = tmp_path / "x"
    path.write_bytes(mark + b"".join(lines))
    starts = list(itertools.accumulate(map(len, lines[:-1]), initial=len(mark)))
    starts[0] = 0
    offsets = starts[::EVERY] if lines else [0]
    expected = len(lines) if lines else int(bool(mark))
    assert index_lines(path) == (offsets, expected)


# ---- search ----------------------------------------------------------------------------------


def entry(words: str, weight: float) -> Entry:
    return Entry("finding", words, words, None, None, words, weight)


def test_words_of_the_weightiest_entries_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [entry("gamma beta", 1), entry("Alpha-beta delta", 3), entry("tie", 1), entry("x", 2)]
    every = ["alpha", "beta", "delta", "x", "gamma", "tie"]
    assert search._index_words(entries) == every
    for most, kept in ((2, 3), (3, 4), (4, 5), (5, 6)):  # the entry that goes past it is the last
        monkeypatch.setattr(search, "_MOST_WORDS", most)
        assert search._index_words(entries) == every[:kept]


@pytest.mark.parametrize(
    ("title", "words", "score"),
    [
        ("row lock", ["row", "lock"], 4.0),
        ("ROW LOCK", ["row", "lock"], 4.0),
        ("lock row", ["row", "lock"], 3.0),
        ("rows lock", ["row", "lock"], 2.5),
        ("a-row.", ["row"], 3.0),
        ("arrow", ["row"], 1.0),
        ("arrow rows", ["row"], 2.0),
        ("arrow rows row", ["row"], 3.0),
        ("x", ["row"], 0.0),
        ("row x", ["row", "lock"], 1.5),
        ("row1", ["row"], 2.0),
    ],
)
def test_how_well_a_title_fits(title: str, words: list[str], score: float) -> None:
    assert search._score(title, words) == score


def test_words_of_a_text() -> None:
    assert search._tokens("Łódź_x, a-1 " + "y" * 61) == ["łódź", "x", "a", "1", "y" * 60]
    assert like.escaped(r"50%_\x") == r"50\%\_\\x"


# ---- people ----------------------------------------------------------------------------------


def use(key: str, kept: int = 0, unpacked: int = 0, incidents: int = 0) -> Use:
    return Use(key, f"name {key}", incidents, 1, kept, 1, unpacked, 0)


def test_who_keeps_most_comes_first() -> None:
    ordered = [
        use("e", 5, 5),
        use("f", 9, 1),
        use("d", 0, 9),
        use("a", 1, 0, 3),
        use("b", 1, 0, 2),
        use("c", 1, 0, 2),
    ]
    for seed in range(5):
        mixed = ordered[:]
        random.Random(seed).shuffle(mixed)
        assert _sorted(mixed) == ordered
    assert _kept((1, None, 3, 4, "key")) == {
        "files": 1,
        "bytes": 0,
        "unpacked_files": 3,
        "unpacked_bytes": 4,
    }


OPEN = "the incident is open to everyone who signs in"
ADMIN = "is an admin, who leads every incident"
OWNER = "owns the incident"
VIEWER = "is a viewer of this installation, who changes nothing anywhere"
NOBODY = "the incident is private, and neither they nor a team of theirs is a member"


@pytest.mark.parametrize(
    ("visibility", "standing", "role", "reasons"),
    [
        ("private", Standing("contributor", False, ()), None, [NOBODY]),
        ("private", Standing("admin", False, ()), "lead", [ADMIN]),
        ("private", Standing("contributor", True, ()), "lead", [OWNER]),
        ("open", Standing("contributor", False, ()), "contributor", [OPEN]),
        ("open", Standing("viewer", False, ()), "viewer", [OPEN, VIEWER]),
        ("private", Standing("viewer", True, ()), "viewer", [OWNER, VIEWER]),
        (
            "private",
            Standing("viewer", False, (("viewer", ""),)),
            "viewer",
            ["is a viewer of the incident by name"],
        ),
        (
            "open",
            Standing(
                "admin", True, (("viewer", "b"), ("lead", "a"), ("contributor", ""), ("lead", ""))
            ),
            "lead",
            [
                ADMIN,
                OWNER,
                "is a lead of the incident through the team a",
                "is a lead of the incident by name",
                "is a contributor of the incident by name",
                OPEN,
                "is a viewer of the incident through the team b",
            ],
        ),
    ],
)
def test_why_somebody_has_a_role(
    visibility: Any, standing: Standing, role: str | None, reasons: list[str]
) -> None:
    assert explain(visibility, standing) == (role, reasons)


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("@Ada Lovelace, look", ["2"]),
        ("@ada, look", ["1"]),
        ("@Ada L", ["1"]),
        ("@adam", []),
        ("@ada_x", []),
        ("@ada-x", ["1"]),
        ("x@ada", []),
        (".@ada", []),
        ("@@ada", []),
        ("(@bob) @ADA @bob @ada", ["3", "4", "1"]),
        ("", []),
    ],
)
def test_who_is_named(body: str, named: list[str]) -> None:
    known = [("Ada", "1"), ("Ada Lovelace", "2"), ("bob", "3"), ("Bob", "4")]
    assert named_in(body, known) == named


# ---- passwords -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("xK9#mQ2$v", "a password has at least 10 characters"),
        ("xK9#mQ2$vL", None),
        ("xK9#mQ2$vL" + "q" * 990, None),
        ("xK9#mQ2$vL" + "q" * 991, "a password has at most 1000 characters"),
        ("Grace.Hopper-1906!", "this password is easy to guess. "),
        ("grace@example.org/2026", "this password is easy to guess. "),
        ("pileupGraceHopper19061", None),
    ],
)
def test_which_passwords_are_refused(password: str, reason: str | None) -> None:
    about = ("Grace Hopper", "grace@example.org")
    if reason is None:
        passwords.check_password(password, *about)
        return
    with pytest.raises(Refused) as caught:
        passwords.check_password(password, *about)
    assert str(caught.value).startswith(reason)
    assert caught.value.field == "password"


def test_a_reason_ends_as_a_sentence() -> None:
    with pytest.raises(Refused) as caught:
        passwords.check_password("passwordpassword")
    words = str(caught.value)
    assert words.startswith("this password is easy to guess. ")
    assert words.endswith(".")
    assert ".." not in words
    assert ". ." not in words


@pytest.mark.parametrize(
    ("password", "yes"),
    [
        ("GraceHopper", True),
        ("Grace-Hopper_2026", True),
        ("Grace Hopper 20261", False),
        ("gracegrace", True),
        ("unrelated", False),
        ("abcd", False),
        ("hopperabcd", True),
        ("hopperabcde", False),
        ("graceh", True),
    ],
)
def test_a_password_of_known_words(password: str, yes: bool) -> None:
    assert passwords._consists_of(password, ["hop", "", "Grace", "Hopper"]) is yes


def test_a_file_of_breached_passwords(tmp_path: Path) -> None:
    """The first line, the last, each between; with and without an end of its last line."""
    known = [f"word {n}" for n in range(60)]
    rows = sorted(hashlib.sha1(word.encode()).hexdigest().upper() for word in known)
    for end in ("\n", ""):
        path = tmp_path / "hashes"
        path.write_text("\n".join(f"{row}:{n * n}" for n, row in enumerate(rows)) + end)
        assert all(is_breached(word, path) for word in known)
        assert not any(is_breached(f"other {n}", path) for n in range(60))
        path.write_text("\n".join(f"{row.lower()}:1" for row in rows) + end)
        assert all(is_breached(word, path) for word in known)
    path.write_text("")
    assert not is_breached(known[0], path)
    assert not is_breached(known[0], None)
    path.write_text(f"{hashlib.sha1(b'word 0').hexdigest()}:1")
    with pytest.raises(Refused) as caught:
        passwords.check_password(
            "correct horse battery x", breached=_of(path, "correct horse battery x")
        )
    assert str(caught.value) == (
        "this password was found in a breach of another service: choose one that you use nowhere "
        "else"
    )


def _of(path: Path, password: str) -> Path:
    path.write_text(f"{hashlib.sha1(password.encode()).hexdigest()}:1\n")
    return path


# ---- quotas ----------------------------------------------------------------------------------

MIB = 1024**2


def room(size: float, files: float, owner: str = "you") -> Room:
    return Room(size, files, owner, "delete something")


@pytest.mark.parametrize(
    ("rooms", "size", "sentence"),
    [
        ([], 9 * MIB, None),
        ([room(5 * MIB, 1)], 5 * MIB, None),
        (
            [room(5 * MIB, 1)],
            5 * MIB + 1,
            "you may keep 5 MiB more, and this has 6 MiB: delete something",
        ),
        ([room(-3, 1)], 0, "you may keep 0 MiB more, and this has 0 MiB: delete something"),
        ([room(9 * MIB, 0)], 1, "you may keep no more files: delete something"),
        (
            [room(9 * MIB, 2), room(9 * MIB, 0, "the team a"), room(0, 0, "the team b")],
            1,
            "the team a may keep no more files: delete something",
        ),
        ([room(float("inf"), float("inf"))], 1 << 60, None),
    ],
)
def test_a_quota_that_is_used_up(
    monkeypatch: pytest.MonkeyPatch, rooms: list[Room], size: int, sentence: str | None
) -> None:
    monkeypatch.setattr(quotas, "rooms", lambda *_: rooms)
    unit: Any = None
    if sentence is None:
        quotas.check_quotas(unit, Quotas(), "u", "i", size)
        return
    with pytest.raises(OverQuota) as caught:
        quotas.check_quotas(unit, Quotas(), "u", "i", size)
    assert str(caught.value) == sentence


def test_what_is_left_of_a_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "_kept_by_user", lambda *_: (3, 100))
    monkeypatch.setattr(quotas, "_kept_by_teams", lambda *_: [("a", 4, 50), ("b", 5, 70)])
    unit: Any = None
    remedy = "delete what is not needed, for good, or ask an admin (PILEUP_{}_BYTES, _FILES)"
    mine, own = remedy.format("USER"), remedy.format("TEAM")
    none = float("inf")

    def found(user: str | None = "u", **given: int) -> list[Room]:
        return quotas.rooms(unit, Quotas(**given), user, "i")

    assert found() == []
    assert found(user_bytes=60) == [Room(-40, none, "you", mine)]
    assert found(user_files=4) == [Room(none, 1, "you", mine)]
    assert found(None, user_files=4) == []
    assert found(team_bytes=60) == [
        Room(10, none, "the team a", own),
        Room(-10, none, "the team b", own),
    ]
    assert found(team_files=4, user_bytes=101) == [
        Room(1, none, "you", mine),
        Room(none, 0, "the team a", own),
        Room(none, -1, "the team b", own),
    ]


# ---- hypotheses ------------------------------------------------------------------------------


def hypothesis(key: str, confidence: int | None = None, **more: Any) -> Any:
    values = {"id": key, "label": f"H{key}", "confidence": confidence, "history": ()}
    return SimpleNamespace(**(values | more))


def test_the_surest_hypothesis_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the oldest; one without a confidence, or with none at all, comes last."""
    ordered = [hypothesis(key, sure) for key, sure in (("d", 90), ("a", 40), ("c", 40), ("e", 1))]
    ordered += [hypothesis("b", None), hypothesis("f", 0)]
    mixed = [ordered[at] for at in (4, 2, 5, 0, 3, 1)]
    session = SimpleNamespace(scalars=lambda _: SimpleNamespace(all=list))
    unit: Any = SimpleNamespace(session=session)
    repository = Hypotheses(unit)
    monkeypatch.setattr(repository, "_records", lambda _: mixed)
    assert repository.of_incident("i") == ordered


def step(at: float, by: str, confidence: int | None, status: str = "open", **more: Any) -> Any:
    moment = NOON + timedelta(hours=at)
    happened = more.get("happened")
    return SimpleNamespace(
        recorded_at=moment,
        by=by,
        confidence=confidence,
        status=status,
        time=moment if happened is None else NOON + timedelta(hours=happened),
    )


def forecast(by: str, confidence: int, at: float, *, came_true: bool = True) -> Forecast:
    return Forecast("1", "H1", by, confidence, came_true, NOON + timedelta(hours=at))


def forecasts(status: str, *history: Any) -> list[Forecast]:
    return calibration._forecasts(hypothesis("1", status=status, history=history))


def test_the_last_confidence_before_a_decision_is_a_forecast() -> None:
    first, second, third = step(0, "ann", 30), step(1, "bo", 70), step(2, "ann", 60)
    decided = step(3, "cy", 60, "supported")
    known = [forecast("ann", 60, 2), forecast("bo", 70, 1)]
    assert forecasts("supported", decided, third, second, first) == known  # in any order
    assert forecasts("open", first, second) == []
    refuted = [forecast("ann", 30, 0, came_true=False)]
    assert forecasts("refuted", first, step(3, "cy", 30, "refuted")) == refuted
    assert forecasts("supported", first, step(1, "bo", None), decided) == [forecast("ann", 30, 0)]


def test_what_is_recorded_after_the_fact_is_no_forecast() -> None:
    """A decision may have happened before it was recorded; what lies between counts no more."""
    early = step(3, "cy", 60, "supported", happened=1)
    assert forecasts("supported", step(0, "ann", 30), step(1, "bo", 70), early) == [
        forecast("ann", 30, 0)
    ]
    twice = step(4, "cy", 80, "supported")
    assert forecasts(
        "supported", step(0, "ann", 30), step(2, "bo", 70), step(3, "cy", 60, "supported"), twice
    ) == [
        forecast("ann", 30, 0),
        forecast("bo", 70, 2),
    ]


def test_a_step_that_moves_the_status_alone_is_nobody_s_forecast() -> None:
    reopened = (step(0, "ann", 30), step(1, "bo", 30, "testing"), step(2, "cy", 40, "open"))
    decided = step(3, "dee", 40, "supported")
    assert forecasts("supported", *reopened, decided) == [
        forecast("ann", 30, 0),
        forecast("cy", 40, 2),
    ]
    same = (step(0, "ann", 30), step(1, "bo", 30))
    assert forecasts("supported", *same, decided) == [forecast("ann", 30, 0), forecast("bo", 30, 1)]
    assert forecasts("supported", step(0, "ann", 30, "supported")) == []


# ---- ids and hashes --------------------------------------------------------------------------


def test_ids_sort_by_the_time_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also within a millisecond, when its count is used up, and when the clock goes back."""
    times = iter([5_000_000_000, 5_000_000_001, 5_000_999_999, 4_000_000_000, 5_001_000_000])
    monkeypatch.setattr(ids, "_last", (0, 0))
    monkeypatch.setattr(ids.time, "time_ns", lambda: next(times))
    monkeypatch.setattr(ids.secrets, "randbits", lambda bits: ids._MOST - 1 if bits == 11 else 0)
    made = [uuid.UUID(ids.new_id()) for _ in range(5)]
    assert [value.int >> 80 for value in made] == [5000, 5000, 5001, 5001, 5001]
    assert [value.int >> 64 & 0xFFF for value in made] == [ids._MOST - 1, ids._MOST, 0, 1, 2]
    assert {(value.version, value.variant) for value in made} == {(7, uuid.RFC_4122)}
    assert {value.int & (2**62 - 1) for value in made} == {0}
    assert [str(value) for value in made] == sorted(map(str, made))
    assert ids.first_id_of(5.0) < str(made[0])
    assert ids.first_id_of(5.0019) == ids.first_id_of(5.001)
    assert str(made[1]) < ids.first_id_of(5.001) < str(made[2])
    assert ids.first_id_of(2**48 / 1000) == str(uuid.UUID(int=0))


def artifact(**more: Any) -> Any:
    values = {
        "sha256": "a",
        "path": "p",
        "also_at": (),
        "format": "vmstat",
        "parser_version": 2,
        "zone": None,
        "offset_s": None,
        "given": None,
        "state": "done",
    }
    return SimpleNamespace(**(values | more))


def test_an_analysis_depends_on_each_of_its_inputs() -> None:
    base = [artifact(), artifact(sha256="b", state="done_with_problems")]
    known = input_hash(base, "1")
    assert input_hash(base[::-1], "1") == known
    assert input_hash([*base, artifact(sha256="c", state="failed")], "1") == known
    nothing = artifact(zone="", offset_s=0.0)
    assert input_hash([nothing, base[1]], "1") == known
    others = [
        *(
            artifact(**{name: value})
            for name, value in (
                ("sha256", "x"),
                ("path", "x"),
                ("also_at", ("x",)),
                ("format", None),
                ("parser_version", 3),
                ("parser_version", None),
                ("zone", "UTC"),
                ("offset_s", 1.0),
                ("given", "x"),
            )
        )
    ]
    hashes = {input_hash([other, base[1]], "1") for other in others}
    hashes |= {input_hash(base, "2"), input_hash(base[:1], "1"), known}
    assert len(hashes) == len(others) + 3


def test_the_oldest_copies_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that nobody used for long go anyway, and those of the last moments never."""
    from pileup.storage.files import read_cache

    monkeypatch.setattr(read_cache, "sweep_drafts", lambda *_: None)
    now = time.time()
    cache = object.__new__(read_cache.ReadCache)
    cache.root, cache._drafts, cache._max_bytes = tmp_path, tmp_path / "drafts", 100
    used = read_cache._IN_USE_S
    ages = {"a": used * 9, "b": used * 7, "c": used * 5, "d": used * 3, "e": used * 0.5}

    def fill(**more: float) -> None:
        for name, age in (ages | more).items():
            path = tmp_path / "ab" / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"x" * 30)
            os.utime(path, (now - age, now - age))

    def left() -> list[str]:
        return sorted(path.name for path in (tmp_path / "ab").iterdir())

    fill()
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "kept").touch()
    cache.trim(150)
    assert left() == ["a", "b", "c", "d", "e"]
    cache.trim(149)
    filled = 149 * read_cache._FILLED
    gone = next(n for n in range(6) if 150 - 30 * n <= filled)
    assert left() == sorted(ages)[gone:]
    fill()
    cache.trim(0)
    assert left() == ["e"]
    fill(a=read_cache._UNUSED_S + 5)
    cache.trim(1000)
    assert left() == ["b", "c", "d", "e"]
    assert (tmp_path / "drafts" / "kept").exists()


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (OSError(errno.ENOSPC, "other words"), True),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), True),
        (OSError(errno.EACCES, "Permission denied"), False),
        (NoSpace("the disk is full"), True),
        (RuntimeError("could not write: No space left on device (28)"), True),
        (RuntimeError("no space"), False),
        (None, False),
    ],
)
def test_what_is_a_full_disk(error: Exception | None, full: bool) -> None:
    """An error itself, and what led to it at any depth."""
    assert disk_is_full(error) is full
    for link in ("__cause__", "__context__"):
        outer, middle = RuntimeError("stored nothing"), ValueError("could not")
        setattr(middle, link, error)
        setattr(outer, link, middle)
        assert disk_is_full(outer) is full


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a" * 1024, "a" * 1024),
        ("a" * 1025, "a" * 200 + "…" + "a" * 823),
        ("b" * 300 + "c" * 900, "b" * 200 + "…" + "c" * 823),
        ("", "unnamed"),
        ("./../ /.", "unnamed"),
        ("a\\b//./c/../ d ", "a/b/c/d"),
        ("a\x07b", "a�b"),
    ],
)
def test_a_path_as_it_is_shown(path: str, shown: str) -> None:
    assert clean_path(path) == shown


# ---- what is left of a publication that nobody finished --------------------------------------


@pytest.mark.parametrize("times", [(5.0, 50.0), (50.0, 5.0)])
def test_a_run_is_as_old_as_its_newest_file(times: tuple[float, float]) -> None:
    """Some of its files may be old while others still arrive, in whatever order they are listed."""
    entries = [
        SimpleNamespace(key=f"key/run/{at}", modified=modified) for at, modified in enumerate(times)
    ]
    objects: Any = SimpleNamespace(entries=lambda: entries, read=lambda _: None)
    sets: Any = SimpleNamespace(_objects=objects)
    assert BucketSets._unpublished(sets, before=50.0) == []
    assert BucketSets._unpublished(sets, before=50.1) == [("key", "run")]
