"""What latches, waits, stacks, states and known bugs mean.

The facts are YAML under data/, each with its sources; this module loads them once and answers
questions about them. Ids are stable: findings, reports and links carry them.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

import yaml

from pileup.knowledge.versions import Applies, applies

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Latch:
    id: str
    names: tuple[str, ...]
    kind: str
    """mutex, rw-lock, queue lock, ... as the servers call it."""
    subsystem: str
    taken_shared_by: str
    taken_exclusive_by: str
    contention_means: str
    check: tuple[str, ...]
    knobs: tuple[str, ...]
    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StackMeaning:
    id: str
    functions: tuple[str, ...]
    """Innermost first; an ordered subset of the thread's stack."""
    category: str
    set_aside: bool
    """An idle thread."""
    subsystem: str
    waits_on: tuple[str, ...]
    meaning: str
    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateMeaning:
    state: str | None
    command: str | None
    category: str
    """running, idle, io, net, waiting_lock, waiting_commit, ..."""
    meaning: str
    look_at: str | None


@dataclass(frozen=True, slots=True)
class CounterMeaning:
    name: str
    kind: str
    unit: str | None
    subsystem: str | None
    bad_direction: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Issue:
    id: str
    category: str
    title: str
    affected: tuple[str, ...]
    fixed: tuple[str, ...]
    signature: Mapping[str, Any]
    explanation: str
    mitigations: tuple[tuple[str, str | None], ...]
    """(action, side effects)."""
    change: str | None
    expect: str | None
    refuted_if: str | None
    references: tuple[str, ...]

    def applies_to(self, family: str | None, numbers: tuple[int, ...]) -> Applies:
        return applies(self.affected, self.fixed, family, numbers)


# Where a latch cannot be told by its line: the one of that file that waits are about, by kind.
_USUAL = {
    ("buf0buf", "rw-lock"): "buf_block_lock",
    ("dict0dict", "rw-lock"): "index_tree_lock",
    ("dict0mem", "rw-lock"): "index_tree_lock",
    ("btr0sea", "rw-lock"): "btr_search_latch",
    ("hash0hash", "rw-lock"): "page_hash_latch",
    ("ha0ha", "rw-lock"): "page_hash_latch",
    ("log0log", "mutex"): "log_sys_mutex",
    ("fil0fil", "mutex"): "fil_system_mutex",
    ("fil0fil", "rw-lock"): "fil_space_latch",
    ("trx0sys", "mutex"): "trx_sys_mutex",
    ("trx0trx", "mutex"): "trx_mutex",
    ("trx0rseg", "mutex"): "rseg_mutex",
    ("lock0lock", "mutex"): "lock_sys_mutex",
    ("fts0fts", "rw-lock"): "fts_cache_lock",
    ("trx0purge", "rw-lock"): "purge_latch",
    ("dict0dict", "mutex"): "dict_sys_mutex",
    ("srv0srv", "mutex"): "kernel_mutex",
}


class Knowledge:
    """The loaded knowledge base."""

    def __init__(self) -> None:
        self.latches = {raw["id"]: _latch(raw) for raw in _read("latches")}
        self.stacks = tuple(_stack(raw) for raw in _read("stacks"))
        self.states = tuple(_state(raw) for raw in _read("states"))
        self.counters = {raw["name"].lower(): _counter(raw) for raw in _read("counters")}
        self.issues = {raw["id"]: _issue(raw) for raw in _read("issues")}
        self._sites = _sites()
        self._names = self._latch_names()
        self._by_function: defaultdict[str, list[tuple[int, StackMeaning]]] = defaultdict(list)
        for order, stack in enumerate(self.stacks):
            self._by_function[stack.functions[0]].append((order, stack))
        self._state_names, self._state_patterns = _state_index(self.states)

    def latch_for(
        self, file: str | None, line: int | None = None, name: str | None = None, mode: str = ""
    ) -> Latch | None:
        """The latch of a semaphore wait: by its printed name, else by where it was created.

        file: base name as printed (btr0sea.cc). mode: 'mutex' or an rw-lock mode.
        """
        if name and (found := self._names.get(_plain_name(name))):
            return self.latches[found]
        if file is None:
            return None
        stem = file.rsplit("/", 1)[-1].partition(".")[0]
        kind = "mutex" if mode == "mutex" else "rw-lock"
        if line is not None:
            exact = {
                latch
                for latch in self._sites.get((stem, line), ())
                if kind in self.latches[latch].kind
            }
            if len(exact) == 1:
                return self.latches[exact.pop()]
        usual = _USUAL.get((stem, kind))
        return self.latches.get(usual) if usual else None

    def stack_for(self, functions: Sequence[str]) -> StackMeaning | None:
        """What a stack (innermost first) means: the signature with the most functions."""
        names = [plain_function(name) for name in functions]
        present = set(names)
        best: tuple[int, int, StackMeaning] | None = None
        for name in present:
            for order, stack in self._by_function.get(name, ()):
                rank = (-len(stack.functions), order, stack)
                if (best is None or rank[:2] < best[:2]) and _is_subset(stack.functions, names):
                    best = rank
        return best[2] if best else None

    def state_for(self, command: str | None, state: str | None) -> StateMeaning | None:
        """What a processlist row's State (or Command, for idle ones) means."""
        if state and (found := self._state_names.get(state.lower())):
            return found
        if state:
            for pattern, meaning in self._state_patterns:
                if pattern.search(state):
                    return meaning
        return self._state_names.get(f"command:{(command or '').lower()}") if command else None

    def counter(self, name: str) -> CounterMeaning | None:
        """A status variable or counter by its printed name, whatever its case."""
        return self.counters.get(name.lower())

    def issue(self, issue_id: str) -> Issue:
        """A known problem by its stable id; KeyError for one that does not exist."""
        return self.issues[issue_id]

    def _latch_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for latch in self.latches.values():
            for name in (latch.id, *latch.names):
                names.setdefault(_plain_name(name), latch.id)
        return names


@functools.cache
def knowledge() -> Knowledge:
    """The knowledge base, loaded once per process."""
    return Knowledge()


def match_stack(functions: Sequence[str]) -> StackMeaning | None:
    """``Knowledge.stack_for`` of the loaded knowledge base."""
    return knowledge().stack_for(functions)


def plain_function(name: str) -> str:
    """A function without arguments, template arguments and symbol version."""
    return name.split("(", 1)[0].split("@@", 1)[0].split("<", 1)[0].strip() or name


def _is_subset(wanted: Sequence[str], names: Sequence[str]) -> bool:
    """Whether all wanted functions occur, in this order."""
    remaining = iter(names)
    return all(any(name == one for name in remaining) for one in wanted)


def _plain_name(name: str) -> str:
    text = re.sub(r"\s*\(.*?\)", "", name).strip().lstrip("&").lower()
    return text.replace("->", ".").removesuffix(" mutex")


def _read(topic: str) -> list[dict[str, Any]]:
    text = (resources.files("pileup.knowledge") / "data" / f"{topic}.yaml").read_bytes()
    rows: list[dict[str, Any]] = _raw(text)[topic]
    return rows


@functools.lru_cache(maxsize=8)
def _raw(text: bytes) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(text, Loader=_Loader)  # noqa: S506  # a safe loader
    return found


def _sites() -> dict[tuple[str, int], set[str]]:
    """(file stem, line) -> latches created there in some version that was read."""
    sites: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for raw in _read("latches"):
        for places in (raw["created_sites_read"] or {}).values():
            for place in places:
                path, _, lines = str(place).rpartition(":")
                first, _, last = lines.partition("-")
                if not first.isdigit():
                    continue
                stem = path.rsplit("/", 1)[-1].partition(".")[0]
                for line in range(int(first), int(last or first) + 1):
                    sites[stem, line].add(raw["id"])
    return sites


def _state_index(
    states: Sequence[StateMeaning],
) -> tuple[dict[str, StateMeaning], list[tuple[re.Pattern[str], StateMeaning]]]:
    names: dict[str, StateMeaning] = {}
    patterns: list[tuple[re.Pattern[str], StateMeaning]] = []
    for meaning, raw in zip(states, _read("states"), strict=True):
        if meaning.state:
            names.setdefault(meaning.state.lower(), meaning)
        elif meaning.command:
            names.setdefault(f"command:{meaning.command.lower()}", meaning)
        if expression := raw.get("match_regex"):
            try:
                patterns.append((re.compile(expression), meaning))
            except re.error:
                continue  # a fragment for people, not an expression
    return names, patterns


def _latch(raw: dict[str, Any]) -> Latch:
    return Latch(
        id=raw["id"],
        names=tuple(raw["names"]),
        kind=raw["kind"],
        subsystem=raw["subsystem"],
        taken_shared_by=raw["taken_shared_by"] or "",
        taken_exclusive_by=raw["taken_exclusive_by"] or "",
        contention_means=raw["contention_means"] or "",
        check=tuple(map(str, raw["check"] or ())),
        knobs=tuple(map(str, raw["knobs"] or ())),
        issues=tuple(raw["issues"] or ()),
    )


def _stack(raw: dict[str, Any]) -> StackMeaning:
    return StackMeaning(
        id=raw["id"],
        functions=tuple(raw["functions"]),
        category=raw["category"],
        set_aside=bool(raw["set_aside"]),
        subsystem=raw["subsystem"],
        waits_on=tuple(raw["waits_on"] or ()),
        meaning=raw["meaning"],
        issues=tuple(raw["issues"] or ()),
    )


def _state(raw: dict[str, Any]) -> StateMeaning:
    return StateMeaning(
        state=raw["state"],
        command=raw["command"],
        category=raw["category"],
        meaning=raw["meaning"],
        look_at=raw.get("look_at"),
    )


def _counter(raw: dict[str, Any]) -> CounterMeaning:
    return CounterMeaning(
        name=raw["name"],
        kind=raw["kind"],
        unit=raw.get("unit"),
        subsystem=raw.get("subsystem"),
        bad_direction=raw["bad_direction"],
        meaning=raw["meaning"],
    )


def _issue(raw: dict[str, Any]) -> Issue:
    experiment = raw["experiment"] or {}
    return Issue(
        id=raw["id"],
        category=raw["category"],
        title=raw["title"],
        affected=tuple(map(str, raw["affected"])),
        fixed=tuple(str(one) for one in raw["fixed"] or () if str(one) != "-"),
        signature=raw["signature"],
        explanation=raw["explanation"],
        mitigations=tuple(
            (one["action"], one.get("side_effects")) for one in raw["mitigations"] or ()
        ),
        change=experiment.get("change"),
        expect=experiment.get("expect"),
        refuted_if=experiment.get("refuted_if"),
        references=tuple(map(str, raw["references"] or ())),
    )


__all__ = [
    "CounterMeaning",
    "Issue",
    "Knowledge",
    "Latch",
    "StackMeaning",
    "StateMeaning",
    "knowledge",
    "match_stack",
    "plain_function",
]
