"""Knowledge base: the meaning of latches, waits, stacks, states, counters and known problems.

The facts are YAML under data/, each with its sources; this module loads them once and looks them
up. Ids are stable: findings, reports and links carry them. A team adds a folder of its own with
files of the same names (``use``): an entry with a known id replaces ours, any other is added.
"""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from pileup.knowledge import schema
from pileup.knowledge.latch_identity import Identity, Wait, identify
from pileup.knowledge.renamed import current_name
from pileup.knowledge.signature import EXPRESSIONS, Sign, Signature, names
from pileup.knowledge.version_ranges import Applies, Fix, applies, fix_for
from pileup.paths import packaged

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


ANYTHING = "anything"
"""In ``follows``: every problem that explains most of the time."""


@dataclass(frozen=True, slots=True)
class Latch:
    """A latch of the server: who takes it, and what contention on it means."""

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

    @property
    def title(self) -> str:
        """What it is in words: 'page latch', 'adaptive hash latch', 'redo log mutex'."""
        words = _TITLES.get(self.id) or _TITLES.get(self.subsystem)
        noun = "mutex" if self.kind == "mutex" else "latch"
        return f"{words or self.subsystem.replace('_', ' ')} {noun}"


def latch_words(title: str, *printed: str) -> str:
    """Name a latch by its title and what servers print of it: 'page latch (buf0buf.cc:1433)'."""
    return f"{title} ({', '.join(printed)})" if printed else title


def named_latch(latch: str | None, printed: str) -> str:
    """Name a latch in words where it is known, with what the server prints of it.

    latch: its id in the knowledge; printed: 'created btr0sea.cc:193'.
    """
    known = knowledge().latches.get(latch or "")
    return latch_words(known.title, printed) if known else printed


_TITLES = {
    "buf_block_lock": "page",
    "ahi": "adaptive hash",
    "btree": "index tree",
    "fts": "full-text",
}
"""Words for latches and subsystems whose name is not a plain word."""


@dataclass(frozen=True, slots=True)
class StackMeaning:
    """The meaning of stacks that contain certain functions."""

    id: str
    functions: tuple[str, ...]
    """Innermost first; an ordered subset of the thread's stack."""
    category: str
    set_aside: bool
    """Whether the thread is idle."""
    subsystem: str
    waits_on: tuple[str, ...]
    meaning: str
    issues: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateMeaning:
    """The meaning of a processlist's State, or of its Command."""

    state: str | None
    command: str | None
    category: str
    """running, idle, io, net, waiting_lock, waiting_commit, ..."""
    meaning: str
    look_at: str | None


@dataclass(frozen=True, slots=True)
class CounterMeaning:
    """The meaning of a status variable or another counter."""

    name: str
    kind: str
    unit: str | None
    subsystem: str | None
    bad_direction: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that lessens a known problem."""

    action: str
    side_effects: str | None = None
    precondition: str | None = None
    """What has to be true first."""
    only: tuple[str, ...] = ()
    """Versions for which it is a remedy; empty: all."""
    not_when: tuple[str, ...] = ()
    """Findings with which it does harm."""


@dataclass(frozen=True, slots=True)
class Issue:
    """A known problem: affected versions, explanation, mitigations and an experiment."""

    id: str
    category: str
    title: str
    affected: tuple[str, ...]
    """Ranges of releases, as ``version_ranges`` reads them."""
    fixed: tuple[str, ...]
    explanation: str
    mitigations: tuple[Remedy, ...]
    change: str | None
    expect: str | None
    refuted_if: str | None
    references: tuple[str, ...]
    verified: bool
    """Whether its source was read; ``verified_by`` says which, or what is missing."""
    verified_by: str
    mechanism: str = ""
    """The general problem that it is a case of; its own id if it is general itself."""
    role: Literal["problem", "symptom"] = "problem"
    follows: tuple[str, ...] = ()
    """General problems of which it is a symptom where both are found; ``anything``: of each that
    explains most of the time."""
    known_as: tuple[str, ...] = ()
    """Published problems that a general one is known as."""
    collect: str = ""
    """The command that makes it surer."""

    def applies_to(self, family: str | None, numbers: tuple[int, ...]) -> Applies:
        """Return whether a server of this family and version has the problem."""
        return applies(self.affected, self.fixed, family, numbers)

    def fix_for(self, family: str | None, numbers: tuple[int, ...]) -> Fix | None:
        """Return the fix of the server's series, else the next later one; None: none is known."""
        return fix_for(self.fixed, family, numbers)


class Knowledge:
    """The loaded knowledge base, with a team's folder over our own where there is one."""

    def __init__(self, folder: Path | None = None, *, lenient: bool = False) -> None:
        """Load our knowledge and the team's folder over it.

        Raises KnowledgeError for a file that cannot be used; with ``lenient`` such a file or entry
        is left out and listed in ``problems``.
        """
        self.problems: list[str] = []
        """Files and entries of the team's folder that were left out, and why."""
        texts = _texts(folder, self.problems if lenient else None)
        self.latches = {raw["id"]: _latch(raw) for raw in texts.rows("latches")}
        self.stacks = tuple(_stack(raw) for raw in texts.rows("stacks"))
        states = texts.rows("states")
        self.states = tuple(_state(raw) for raw in states)
        self.counters = {raw["name"].lower(): _counter(raw) for raw in texts.rows("counters")}
        self.issues = {raw["id"]: _issue(raw) for raw in texts.rows("issues")}
        self.signatures = {
            raw["issue"]: msgspec.convert(raw, Signature) for raw in texts.rows("signatures")
        }
        self._check(lenient=lenient)
        self._names = self._latch_names()
        self._latch_ids = frozenset(self.latches)
        self._by_function: defaultdict[str, list[tuple[int, StackMeaning]]] = defaultdict(list)
        for order, stack in enumerate(self.stacks):
            self._by_function[function_key(stack.functions[0])].append((order, stack))
        self._state_names, self._state_patterns = _state_index(states, self.states)

    @functools.cached_property
    def expressions(self) -> dict[str, tuple[str, ...]]:
        """The expressions of all signs by the kind of sign, each once."""
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for signature in self.signatures.values():
            for sign in _all_signs(signature):
                if sign.kind in EXPRESSIONS:
                    found[sign.kind][getattr(sign, sign.kind)] = None
        return {kind: tuple(texts) for kind, texts in found.items()}

    def latch_for(self, name: str | None, wait: Wait | None = None) -> Latch | None:
        """Return the latch that the evidence of a wait decides; None if nothing decides it."""
        return self.latches.get(self.latch_identity(name, wait or Wait()).latch or "")

    def latch_identity(self, name: str | None, wait: Wait) -> Identity:
        """Return the latch of a wait and why, or why none is certain.

        name: as printed (&kernel_mutex, TRX_SYS), None if the dump prints none.
        """
        named = self._names.get(_plain_name(name)) if name else None
        if name and named is None and _CLASS.fullmatch(name):
            return Identity(None, f"{name} is not in the knowledge base")
        return identify(named, wait, self._latch_ids)

    def stack_for(self, functions: Sequence[str]) -> StackMeaning | None:
        """Find the meaning of a stack (innermost first): the entry with the most functions."""
        names = [function_key(name) for name in functions]
        present = set(names)
        best: tuple[int, int, StackMeaning] | None = None
        for name in present:
            for order, stack in self._by_function.get(name, ()):
                rank = (-len(stack.functions), order, stack)
                if (best is None or rank[:2] < best[:2]) and _is_subset(
                    [function_key(function) for function in stack.functions], names
                ):
                    best = rank
        return best[2] if best else None

    def state_for(self, command: str | None, state: str | None) -> StateMeaning | None:
        """Find the meaning of a processlist row's State; of its Command where that tells as much.

        Connect is the Command of every replica thread, whatever it does.
        """
        if state and (named := self._state_names.get(current_name(state))):
            return named
        if state:
            for pattern, meaning in self._state_patterns:
                if pattern.search(state):
                    return meaning
        if not command or (state and command.lower() == "connect"):
            return None
        return self._state_names.get(f"command:{command.lower()}")

    def counter(self, name: str) -> CounterMeaning | None:
        """Find a status variable or counter by its printed name, in any case."""
        return self.counters.get(name.lower())

    def series(self, name: str) -> CounterMeaning | None:
        """Find what a series measures by its name.

        'vmstat.r' and 'iostat.aqu-sz' are listed with their collector (vmstat_r, iostat_aqu_sz),
        'mysql.Threads_running' by the variable alone.
        """
        whole = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        return self.counters.get(whole) or self.counter(name.partition(".")[2])

    def issue(self, issue_id: str) -> Issue:
        """Return a known problem by its stable id. Raises KeyError for an unknown id."""
        return self.issues[issue_id]

    def _check(self, *, lenient: bool) -> None:
        """Check that the ids in signatures exist.

        Raises KnowledgeError; with ``lenient`` such a signature is removed instead.
        """
        for signature in list(self.signatures.values()):
            wrong = self._unknown(signature)
            if wrong is None:
                continue
            text = f"signatures.yaml: {signature.issue}: {wrong}"
            if not lenient:
                raise KnowledgeError(text)
            del self.signatures[signature.issue]
            self.problems.append(text)

    def _unknown(self, signature: Signature) -> str | None:
        if signature.issue not in self.issues:
            return "there is no such issue in issues.yaml."
        for sign in _all_signs(signature):
            unknown = [name for name in names(sign.latch) if name not in self.latches]
            if unknown:
                return f"no latch {unknown[0]!r} in latches.yaml."
        return None

    def _latch_names(self) -> dict[str, str]:
        names: dict[str, str] = {}
        for latch in self.latches.values():
            for name in (latch.id, *latch.names):
                names.setdefault(_plain_name(name), latch.id)
        return names


class KnowledgeError(ValueError):
    """A file of knowledge cannot be used; the message names the file, the entry and the reason."""


_folder: Path | None = None


_lenient = False


def use(folder: Path | None, *, lenient: bool = False) -> list[str]:
    """Use a team's folder over our own knowledge in this process, or with None ours alone.

    Raises KnowledgeError if a file of it cannot be used; with ``lenient`` a server goes on without
    that file. Returns what was left out and why.
    """
    global _folder, _lenient  # one knowledge base per process, as it is loaded once
    before = _folder, _lenient
    _folder, _lenient = folder, lenient
    _load.cache_clear()
    try:
        return knowledge().problems
    except KnowledgeError:
        _folder, _lenient = before
        raise


def knowledge() -> Knowledge:
    """Return the knowledge base, loaded once per process."""
    return _load(_folder, lenient=_lenient)


def packaged_knowledge() -> Knowledge:
    """Return our own knowledge, without what a team added or changed."""
    return _load(None, lenient=_lenient)


@functools.cache
def _load(folder: Path | None, *, lenient: bool) -> Knowledge:
    return Knowledge(folder, lenient=lenient)


def match_stack(functions: Sequence[str]) -> StackMeaning | None:
    """Find the meaning of a stack (innermost first) in the loaded knowledge base."""
    return knowledge().stack_for(functions)


@functools.lru_cache(maxsize=65536)
def plain_function(name: str) -> str:
    """Return a function's name without arguments, template arguments and symbol version."""
    return name.split("(", 1)[0].split("@@", 1)[0].split("<", 1)[0].strip() or name


@functools.lru_cache(maxsize=65536)
def function_key(name: str) -> str:
    """Return the name by which functions of stacks compare, without the C library's decorations.

    glibc 2.34 prints ``___pthread_cond_wait`` and ``__GI___fsync64`` for what was
    ``pthread_cond_wait`` and ``fsync``.
    """
    plain = plain_function(name).lstrip("_")
    plain = plain.removeprefix("GI_").lstrip("_").removeprefix("libc_").removesuffix("_nocancel")
    plain = plain.removesuffix("64") or name
    return _SAME_CALL.get(plain, plain)


# system calls that are the same wait under another name
_SAME_CALL = {
    "ppoll": "poll",
    "sigtimedwait": "sigwait",
    "clock_nanosleep": "nanosleep",
    "pthread_cond_clockwait": "pthread_cond_timedwait",
    "lll_lock_wait_private": "lll_lock_wait",
    "sendto": "send",
    "recvfrom": "recv",
}


def _is_subset(wanted: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether all wanted functions occur, in this order."""
    remaining = iter(names)
    return all(any(name == item for name in remaining) for item in wanted)


# 5.7 and later print the class of a mutex; servers before print the C expression, '&block->mutex'.
_CLASS = re.compile(r"[A-Z][A-Z0-9_]+")


def _plain_name(name: str) -> str:
    text = re.sub(r"\s*\(.*?\)", "", name).strip().lstrip("&").lower()
    return text.replace("->", ".").removesuffix(" mutex")


TOPICS = {
    "latches": "id",
    "stacks": "id",
    "states": "",
    "counters": "name",
    "issues": "id",
    "signatures": "issue",
}
"""The files and the key that names an entry; states have none and are added."""


class _Texts:
    """Raw entries by topic, checked against their schema."""

    def __init__(self, ours: dict[str, list[Any]], theirs: dict[str, list[Any]]) -> None:
        self._ours, self._theirs = ours, theirs

    def rows(self, topic: str) -> list[dict[str, Any]]:
        key = TOPICS[topic]
        if not key:
            return self._theirs.get(topic, []) + self._ours[topic]
        ours = {raw[key]: raw for raw in self._ours[topic]}
        return list((ours | {raw[key]: raw for raw in self._theirs.get(topic, [])}).values())


def _texts(folder: Path | None, refused: list[str] | None) -> _Texts:
    """Read our files and the folder's.

    Raises KnowledgeError for a file that cannot be used, or adds the reason to ``refused``.
    """
    own = packaged("knowledge/data")
    ours = {topic: _raw(f"{topic}.yaml", (own / f"{topic}.yaml").read_bytes()) for topic in TOPICS}
    if folder is None:
        return _Texts(ours, {})
    files = {topic: folder / f"{topic}.yaml" for topic in TOPICS}
    there = {topic: path for topic, path in files.items() if path.is_file()}
    if not there:
        text = f"{folder} has none of {', '.join(f'{name}.yaml' for name in TOPICS)}."
        if refused is None:
            raise KnowledgeError(text)
        refused.append(text)
    theirs: dict[str, list[dict[str, Any]]] = {}
    for topic, path in there.items():
        try:
            theirs[topic] = _raw(str(path), path.read_bytes())
        except (KnowledgeError, OSError) as error:
            if refused is None:
                raise
            refused.append(str(error).replace(str(path), path.name))
    return _Texts(ours, theirs)


@functools.lru_cache(maxsize=16)
def _raw(name: str, text: bytes) -> list[dict[str, Any]]:
    """Read the entries of a file. Raises KnowledgeError, which names an entry that does not fit."""
    topic = Path(name).stem
    try:
        document = yaml.load(text, Loader=_Loader)  # noqa: S506  # a safe loader
    except yaml.YAMLError as error:
        raise KnowledgeError(f"{name} is no YAML: {error}") from error
    rows = document.get(topic) if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise KnowledgeError(f"{name} has no list '{topic}'.")
    for number, row in enumerate(rows):
        try:
            msgspec.convert(row, schema.OF[topic])
        except msgspec.ValidationError as error:
            label = row.get(TOPICS[topic]) if isinstance(row, dict) else None
            raise KnowledgeError(f"{name}: {topic}[{number}] ({label}): {error}.") from error
    return rows


def _all_signs(signature: Signature) -> list[Sign]:
    signs = [*signature.needs, *signature.adds, *signature.against]
    return signs + [inner for sign in signs for inner in sign.any or ()]


def _state_index(
    raws: Sequence[dict[str, Any]], states: Sequence[StateMeaning]
) -> tuple[dict[str, StateMeaning], list[tuple[re.Pattern[str], StateMeaning]]]:
    names: dict[str, StateMeaning] = {}
    patterns: list[tuple[re.Pattern[str], StateMeaning]] = []
    for meaning, raw in zip(states, raws, strict=True):
        if meaning.state:
            names.setdefault(current_name(meaning.state), meaning)
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
        taken_shared_by=raw.get("taken_shared_by") or "",
        taken_exclusive_by=raw.get("taken_exclusive_by") or "",
        contention_means=raw.get("contention_means") or "",
        check=tuple(map(str, raw.get("check") or ())),
        knobs=tuple(map(str, raw.get("knobs") or ())),
        issues=tuple(raw.get("issues") or ()),
    )


def _stack(raw: dict[str, Any]) -> StackMeaning:
    return StackMeaning(
        id=raw["id"],
        functions=tuple(raw["functions"]),
        category=raw["category"],
        set_aside=bool(raw.get("set_aside")),
        subsystem=raw["subsystem"],
        waits_on=tuple(raw.get("waits_on") or ()),
        meaning=raw["meaning"],
        issues=tuple(raw.get("issues") or ()),
    )


def _state(raw: dict[str, Any]) -> StateMeaning:
    return StateMeaning(
        state=raw.get("state"),
        command=raw.get("command"),
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
    experiment = raw.get("experiment") or {}
    return Issue(
        id=raw["id"],
        category=raw["category"],
        title=raw["title"],
        affected=tuple(map(str, raw["affected"])),
        fixed=tuple(map(str, raw.get("fixed") or ())),
        explanation=raw["explanation"],
        mitigations=tuple(
            Remedy(
                item["action"],
                item.get("side_effects"),
                item.get("precondition"),
                tuple(item.get("only") or ()),
                tuple(item.get("not_when") or ()),
            )
            for item in raw.get("mitigations") or ()
        ),
        change=experiment.get("change"),
        expect=experiment.get("expect"),
        refuted_if=experiment.get("refuted_if"),
        references=tuple(map(str, raw.get("references") or ())),
        verified=raw.get("verified") in (True, "yes"),
        verified_by=raw.get("verified_by") or "",
        mechanism=raw.get("mechanism") or raw["id"],
        role=raw.get("role") or "problem",
        follows=tuple(raw.get("follows") or ()),
        known_as=tuple(raw.get("known_as") or ()),
        collect=raw.get("collect") or "",
    )


__all__ = [
    "ANYTHING",
    "CounterMeaning",
    "Identity",
    "Issue",
    "Knowledge",
    "KnowledgeError",
    "Latch",
    "Remedy",
    "Sign",
    "Signature",
    "StackMeaning",
    "StateMeaning",
    "Wait",
    "function_key",
    "knowledge",
    "latch_words",
    "match_stack",
    "named_latch",
    "packaged_knowledge",
    "plain_function",
    "use",
]
