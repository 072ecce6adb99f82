"""Small decisions of the knowledge base with a value on each side: signs, versions, states."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

import pileup.knowledge as base
from pileup.knowledge import source_sites
from pileup.knowledge.signature import Sign, Signature, names


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "this one has none"),
        ({"state": "x", "query": "y"}, "this one has ['state', 'query']"),
        ({"state": "("}, "("),
        ({"place": "a b"}, "'a b' is no place: write 'btr0sea.*' or 'row0ins.cc:2953'"),
        ({"place": ["row0ins.cc:1", "x:"]}, "'x:' is no place"),
        ({"place": "fts0fts.*"}, None),
        ({"locked": "row0ins.cc:2953"}, None),
        ({"locked": "x.cc:y"}, "'x.cc:y' is no place"),
        ({"counter": "x"}, "a counter needs rises, falls, above, below, peak or lowest"),
        *(({"counter": "x", change: 0.0}, None)
          for change in ("rises", "falls", "above", "below", "peak", "lowest")),
        ({"setting": "x"}, "a setting needs is, above or below"),
        ({"setting": "x", "is_": ["1"]}, None),
        ({"setting": "x", "above": 0.0}, None),
        ({"setting": "x", "below": 0.0}, None),
        ({"setting": "x", "rises": 2.0}, "a setting needs is, above or below"),
        ({"state": "x", "rises": 2.0}, None),
    ],
)  # fmt: skip
def test_a_sign_says_what_it_lacks(fields: dict[str, Any], said: str | None) -> None:
    if said is None:
        assert Sign(**fields).kind in fields
    else:
        with pytest.raises(ValueError, match=re.escape(said)):
            Sign(**fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"needs": [Sign(state="x")]}, None),
        ({}, "i: data needs signs, code has none"),
        ({"rule": "code", "needs": [Sign(state="x")]}, "i: data needs signs, code has none"),
        ({"rule": "code"}, "i: say what the code looks for (looks_for)"),
        ({"rule": "code", "looks_for": "a clause"}, None),
        ({"needs": [Sign(state="x")], "looks_for": "a clause"}, None),
    ],
)
def test_a_signature_has_signs_or_code(fields: dict[str, Any], said: str | None) -> None:
    if said is None:
        assert Signature(issue="i", **fields).issue == "i"
    else:
        with pytest.raises(ValueError, match=re.escape(said)):
            Signature(issue="i", **fields)


def test_names_are_a_list() -> None:
    assert [names(each) for each in (None, "a", ["a", "b"])] == [[], ["a"], ["a", "b"]]


_VERSIONS = frozenset(
    ("mysql-5.6.24", "mysql-5.7.18", "mysql-5.7.30", "mysql-8.0.15", "mysql-8.0.36",
     "percona-5.7.29", "mariadb-10.2.11", "mariadb-10.6.1")
)  # fmt: skip


@pytest.mark.parametrize(
    ("family", "numbers", "near"),
    [
        (None, (), _VERSIONS),
        ("mariadb", (), _VERSIONS),
        ("mysql", (), {each for each in _VERSIONS if "mariadb" not in each}),
        ("mysql", (5, 7, 18), {"mysql-5.7.18"}),
        (None, (5, 7, 18), {"mysql-5.7.18"}),
        ("mysql", (5, 7), {"mysql-5.7.18", "mysql-5.7.30"}),
        ("mysql", (5, 7, 20), {"mysql-5.7.18", "mysql-5.7.30"}),
    ],
)
def test_versions_near_a_server(
    monkeypatch: pytest.MonkeyPatch, family: str | None, numbers: Any, near: Any
) -> None:
    def read(version: str) -> tuple[int, ...]:
        return tuple(map(int, version.rpartition("-")[2].split(".")))

    monkeypatch.setattr(source_sites, "_numbers", read)
    monkeypatch.setattr(source_sites, "_origin", lambda version: version.partition("-")[0])
    found = source_sites._near_versions.__wrapped__(_VERSIONS, family, numbers)
    assert found == frozenset(near)


def test_an_expression_for_people_is_left_out() -> None:
    states: Any = [
        SimpleNamespace(state="A state", command=None),
        SimpleNamespace(state=None, command="Sleep"),
        SimpleNamespace(state=None, command=None),
        SimpleNamespace(state="A state", command="again"),
    ]
    raws: Any = [{"match_regex": "a("}, {"match_regex": "a+"}, {}, {"match_regex": ""}]
    found, patterns = base._state_index(raws, states)
    assert list(found.values()) == states[:2]
    assert "command:sleep" in found
    assert [(pattern.pattern, meaning) for pattern, meaning in patterns] == [("a+", states[1])]
