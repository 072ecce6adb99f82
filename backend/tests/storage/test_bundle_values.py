"""Values of a bundle's rows on arrival: of each type, renamed wherever an id occurs, or refused."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from pileup.storage import models
from pileup.storage.errors import Refused
from pileup.storage.lifecycle import bundle_rows
from pileup.storage.lifecycle.bundle_rows import Arrival

OLD = "01234567-89ab-7cde-8f01-{:012x}"
FIRST, SECOND, LOST = (OLD.format(number) for number in (1, 2, 0xFFF))


@pytest.fixture
def arrival() -> Arrival:
    """An arrival of two pins, whose new ids are known."""
    nothing: Any = None
    made = Arrival(nothing, {}, "Ann")
    made.assign_ids("pins", [{"id": SECOND, "number": 7}, {"id": FIRST}])
    return made


def value(arrival: Arrival, column: str, given: Any) -> Any:
    table, _, name = column.partition(".")
    return arrival._value(models.Base.metadata.tables[table].c[name], given)


def test_new_ids_keep_the_order_of_the_rows(arrival: Arrival) -> None:
    rows: list[dict[str, Any]] = [{"id": OLD.format(n)} for n in (9, 5, 7)]
    arrival.assign_ids("hypotheses", rows)
    new = [arrival.new_id_for(row["id"]) for row in rows]
    assert new == sorted(new)
    assert [row["number"] for row in rows] == [1, 2, 3]
    plain: list[dict[str, Any]] = [{"id": OLD.format(12)}]
    arrival.assign_ids("annotations", plain)
    assert "number" not in plain[0]


@pytest.mark.parametrize(("most", "ok"), [(2, True), (1, False)])
def test_a_table_has_so_many_rows(
    arrival: Arrival, monkeypatch: pytest.MonkeyPatch, most: int, ok: bool
) -> None:
    monkeypatch.setattr(bundle_rows, "_MOST_ROWS", most)
    rows: list[dict[str, Any]] = [{"id": OLD.format(n)} for n in (3, 4)]
    if ok:
        arrival.assign_ids("pins", rows)
        return
    with pytest.raises(Refused, match="The bundle has more than 1 rows of pins"):
        arrival.assign_ids("pins", rows)


@pytest.mark.parametrize(
    ("column", "given", "found"),
    [
        ("pins.title", None, None),
        ("pins.title", "a\x00b", "a\ufffdb"),
        ("pins.stale", True, True),
        ("pins.number", 3, 3),
        ("artifacts.offset_s", 3, 3.0),
        ("artifacts.offset_s", -1.5, -1.5),
        ("pins.created_at", "2026-11-20T22:00:00+00:00", datetime(2026, 11, 20, 22, tzinfo=UTC)),
        ("action_items.due", "2026-12-24", date(2026, 12, 24)),
        ("experiments.parameters", {"a": [1, None]}, {"a": [1, None]}),
    ],
)
def test_a_value_of_each_type(arrival: Arrival, column: str, given: Any, found: Any) -> None:
    assert value(arrival, column, given) == found


@pytest.mark.parametrize(
    ("column", "given"),
    [
        ("pins.title", 3),
        ("pins.stale", 1),
        ("pins.number", True),
        ("pins.number", 1.0),
        ("artifacts.offset_s", True),
        ("artifacts.offset_s", "1"),
        ("pins.created_at", "yesterday"),
        ("pins.created_at", 5),
        ("action_items.due", "2026-13-01"),
    ],
)
def test_a_value_of_another_type_is_refused(arrival: Arrival, column: str, given: Any) -> None:
    with pytest.raises(Refused) as caught:
        value(arrival, column, given)
    assert str(caught.value).startswith(f"{column} of the bundle cannot be ")


def test_ids_are_renamed_wherever_they_stand(arrival: Arrival) -> None:
    """In texts, addresses, keys and lists; an id that the bundle does not have stays."""
    first, second = arrival.new_id_for(FIRST), arrival.new_id_for(SECOND)
    text = f"see {FIRST}, /pins/{SECOND}?x and {LOST}"
    expected = f"see {first}, /pins/{second}?x and {LOST}"
    assert value(arrival, "pins.title", text) == expected
    assert value(arrival, "experiments.parameters", {FIRST: [SECOND, {"a": text}, 5]}) == {
        first: [second, {"a": expected}, 5]
    }


def test_pins_are_named_by_their_beginning(arrival: Arrival) -> None:
    """The first of those that begin so; the text stays without one."""
    first, second = (arrival.new_id_for(old).replace("-", "") for old in (FIRST, SECOND))
    bare = {old: old.replace("-", "") for old in (FIRST, SECOND, LOST)}
    for text, found in (
        (f"a[^pin-{bare[SECOND]}]", f"a[^pin-{second}]"),
        (f"a[^pin-{bare[FIRST][:12]}]", f"a[^pin-{first}]"),
        (f'::pin{{id="{FIRST[:13]}"}}', f'::pin{{id="{first}"}}'),
        (f'::pin{{id="pin-{FIRST}"}}', f'::pin{{id="pin-{first}"}}'),
        (f"a[^pin-{bare[LOST]}]", f"a[^pin-{bare[LOST]}]"),
        (f"a[^pin-{bare[FIRST][:7]}]", f"a[^pin-{bare[FIRST][:7]}]"),
    ):
        assert value(arrival, "pins.title", text) == found


def test_an_approved_text_stays_as_it_is(arrival: Arrival) -> None:
    text = f"see {FIRST} and [^pin-{FIRST.replace('-', '')}]"
    assert value(arrival, "releases.document", text) == text
    assert value(arrival, "releases.note", text) != text


def test_archives_around_a_file_are_listed_from_outside() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "c", "parent_id": "b"},
        {"id": "a", "parent_id": None},
        {"id": "b", "parent_id": "a"},
        {"id": "d", "parent_id": "e"},
        {"id": "e", "parent_id": "d"},
        {"id": "f", "parent_id": "gone"},
    ]
    bundle_rows._set_archives_around(rows)
    assert {row["id"]: row["within"] for row in rows} == {
        "a": [],
        "b": ["a"],
        "c": ["a", "b"],
        "d": ["d", "e"],
        "e": ["e", "d"],
        "f": ["gone"],
    }
