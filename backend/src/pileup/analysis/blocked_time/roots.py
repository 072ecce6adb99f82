"""The one table of roots: where the blocked time of a stall ends, over all chosen moments.

A holder that others replace from moment to moment is no root: then the lock, latch or queue that
they hold is. A root below a small share of the active-session seconds is left out, unless it is the
only moment that there is.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from pileup.analysis.blocked_time import path_steps
from pileup.analysis.blocked_time.blame import End, Flow, root_of, unfollowed
from pileup.analysis.blocked_time.population import Member
from pileup.analysis.contract import PathStepDoc, RootDoc, WaitNode
from pileup.analysis.evidence.times import iso
from pileup.analysis.stacks import queues
from pileup.analysis.waits.counts import Counts
from pileup.analysis.waits.draft import UNNAMED, Graph
from pileup.analysis.waits.moment_graph import lasting_key, node_doc, why_root
from pileup.analysis.waits.moments import MomentChoice, WaitMoment
from pileup.analysis.waits.tally import Described, describe
from pileup.knowledge import knowledge, wait_classes
from pileup.numerals import number

LEAST_SHARE = 0.05
"""Least share of the active-session seconds that ends at a root."""
_KNOWN_OFTEN = 0.25
"""Share of a lock's moments in which its holder must be known, to be its holder in the others."""
_PASSING = frozenset({"latch", "commit", "fsync"})
"""What is held for a fraction of a second: its holder in one moment says nothing of the next."""
_MOST = 50
_MANY = 4
"""Moments from which on a holder that only one of them shows is a passing one."""
_BY_STACK = ", by its stack."
"""Ends a reason that says what a holder does."""
_SAYS_LITTLE = frozenset({wait_classes.WORKING, wait_classes.UNKNOWN, wait_classes.IDLE, "latch"})
_ROUNDED = 1e-9
_IN_A_ROW, _STAYS_S = 3, 2.0
"""Moments in a row, and the seconds between them, from which on a holder did not merely pass."""
_SHOWN_IN_PATH = 60


@dataclass(frozen=True, slots=True)
class Here:
    """The wait graph of one moment."""

    graph: Graph
    counts: Counts
    moment: WaitMoment
    threads: int
    """How many threads wait in it."""


@dataclass(slots=True)
class _Seen:
    """A root, or a gate, over the moments."""

    shares: dict[int, float] = field(default_factory=dict)
    """By number of the moment: the share of its active sessions."""
    best: float = -1.0
    described: Described | None = None
    moment: WaitMoment | None = None
    waiting: int = 0
    """How many threads wait at that moment, each counted once."""
    path: list[str] = field(default_factory=list)
    steps: list[PathStepDoc] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    member: Member | None = None
    cycle: bool = False
    origin: str = ""
    """Its key in the tally."""


@dataclass(slots=True)
class Roots:
    """What ends where, moment by moment."""

    choice: MomentChoice
    timeout_s: float
    """After so many seconds a wait for a row's lock ends without it."""
    ends: defaultdict[str, _Seen] = field(default_factory=lambda: defaultdict(_Seen))
    gates: defaultdict[str, _Seen] = field(default_factory=lambda: defaultdict(_Seen))
    through: defaultdict[str, defaultdict[str, dict[int, float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    """By gate and end: the share per moment. The gate is its own end where nobody holds it."""
    reasons: defaultdict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(dict))
    """By gate: how its holders are known, and in how many moments."""
    titles: dict[str, str] = field(default_factory=dict)
    """By key of a thread without a session: its name, by its stack in any of the moments."""
    weights: list[float] = field(default_factory=list)
    times: list[int | None] = field(default_factory=list)
    """By number of the moment (microseconds)."""
    queues: defaultdict[str, dict[int, dict[str, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """By key of a row's lock and moment: the transactions that wait for it, and how long (s)."""
    part: float = 1.0
    """Share of the moments of this kind from which the chosen ones, those with waiters, are."""

    def add(
        self,
        flowing: Flow,
        here: Here,
        weight: float,
        active: float,
    ) -> None:
        """Add where the time of one moment ends. weight: its share of the stall's seconds.

        active: the active sessions of the moment, of which the ends are shares.
        """
        at = len(self.weights)
        self.weights.append(weight)
        self.times.append(here.moment.time)
        for member in flowing.population.members.values():
            if member.kind == "background" and member.key not in self.titles:
                title = wait_classes.background_title(member.functions)
                if title is not None:
                    self.titles[member.key] = title
        if active <= 0:
            return
        for key, waiting in _row_queues(here.graph).items():
            self.queues[key][at] = waiting
        for end in flowing.ends():
            self._add_end(end, flowing, here, at, active)
        for key, members in unfollowed(flowing.population).items():
            sessions = sum(member.weight for member in members)
            seen = self.ends[key]
            seen.shares[at] = seen.shares.get(at, 0.0) + sessions / active
            if seen.described is None and sessions > seen.best:
                seen.best, seen.moment, seen.member = sessions, here.moment, members[0]
                seen.path = [_sessions(sessions)]

    def _add_end(
        self,
        end: End,
        flowing: Flow,
        here: Here,
        at: int,
        active: float,
    ) -> None:
        graph = here.graph
        cycle = len(end.names) > 1
        name = end.names[0] if cycle else root_of(end.names[0], graph)
        key = _cycle_key(end.names, graph) if cycle else key_of(name, graph)
        share = end.sessions / active
        seen = self.ends[key]
        seen.shares[at] = seen.shares.get(at, 0.0) + share
        seen.cycle = cycle
        if (end.sessions, here.threads) > (seen.best, seen.waiting) or seen.described is None:
            self._describe(seen, name, end, here)
            seen.member = flowing.population.members.get(name)
            if cycle:
                labels = (node_doc(each, graph, here.counts).label for each in end.names)
                seen.members = sorted(set(labels))
        gates = {key_of(gate, graph): part for gate, part in end.gates.items()}
        queues = [each for each in end.path if _is_commit_queue(each, graph)]
        if queues and name not in queues:
            gates = {key_of(queues[0], graph): end.sessions}
        elif cycle or name in graph.resources:
            gates = {key: end.sessions}
        whole = sum(gates.values())
        for gate in {*end.gates, *queues}:
            why = why_root(name, graph)
            reasons = self.reasons[key_of(gate, graph)]
            reasons[why] = reasons.get(why, 0) + 1
        for gate, part in gates.items():
            ends = self.through[gate][key]
            ends[at] = ends.get(at, 0.0) + share * part / whole
        reached = {each: end.passed[each] for each in queues if each != name}
        for gate_name, part in (reached | end.gates).items():
            gate_seen = self.gates[key_of(gate_name, graph)]
            if part > gate_seen.best:
                until = end.path[: end.path.index(gate_name) + 1] if gate_name in end.path else []
                shortened = End([gate_name], part, {}, until, end.first)
                self._describe(gate_seen, gate_name, shortened, here)
                gate_seen.best = part

    def _describe(
        self,
        seen: _Seen,
        name: str,
        end: End,
        here: Here,
    ) -> None:
        graph, counts = here.graph, here.counts
        seen.best, seen.moment, seen.waiting = end.sessions, here.moment, here.threads
        seen.origin = lasting_key(name, graph)
        seen.described = describe(name, graph, counts, here.threads)
        labels = [node_doc(each, graph, counts).label for each in end.path]
        if labels and end.path[0] in graph.actors and end.first > 1:
            labels[0] = _sessions(end.first)
        if labels and name != end.path[-1]:
            labels[-1] = seen.described.node.label
        labels = [label[:_SHOWN_IN_PATH] for label in labels]
        seen.path = [label for label, _ in itertools.groupby(labels)]
        seen.steps = path_steps.steps(end.path, labels, end.first, graph)

    def documents(self, seconds: float | None) -> list[RootDoc]:
        """Return the table, most seconds first. seconds: active-session seconds in all."""
        total = sum(self.weights)
        if total <= 0:
            return []
        alone = len(self.weights) == 1 and self.part >= 1  # the only moment that there is
        docs = []
        for key, (by_moment, rotates) in self._settled().items():
            share = sum(s * self.weights[at] for at, s in by_moment.items()) / total
            share = min(1.0, share * self.part)
            if share < (0.0 if alone else LEAST_SHARE) or share <= 0:
                continue
            if len(by_moment) == 1 and len(self.weights) >= _MANY and key.startswith("cycle:"):
                continue  # seen once: they went on
            docs.append(self._document(key, by_moment, share, seconds, rotates=rotates))
        docs.sort(key=lambda root: (-root.share, not root.known, root.key))
        return docs[:_MOST]

    def _settled(self) -> dict[str, tuple[dict[int, float], bool]]:
        """Return the shares per root, with what passing holders had at the lock itself."""
        settled: dict[str, tuple[dict[int, float], bool]] = {}

        def give(key: str, moments: Mapping[int, float], *, rotates: bool = False) -> None:
            kept, before = settled.get(key, ({}, False))
            for at, share in moments.items():
                kept[at] = kept.get(at, 0.0) + share
            settled[key] = kept, before or rotates

        gated: defaultdict[str, dict[int, float]] = defaultdict(dict)
        for gate, ends in self.through.items():
            holders = {key: moments for key, moments in ends.items() if key != gate}
            rotates = _rotates(holders) or self._is_handed_on(gate, holders)
            heir = None if rotates else self._heir(gate, holders, ends.get(gate, {}))
            seen = len(set().union(*ends.values()))
            for key, moments in ends.items():
                for at, share in moments.items():
                    gated[key][at] = gated[key].get(at, 0.0) + share
                once = key != gate and len(self.ends[key].shares) == 1 and seen >= _MANY
                if (rotates or once) and not key.startswith("cycle:"):
                    give(gate, moments, rotates=rotates)
                else:
                    give(heir if key == gate and heir else key, moments)
        for key, kept in self.ends.items():
            rest = {at: s - gated[key].get(at, 0.0) for at, s in kept.shares.items()}
            rest = {at: share for at, share in rest.items() if share > _ROUNDED}
            if rest:
                give(key, rest)
        return settled

    def _is_handed_on(self, gate: str, holders: Mapping[str, Mapping[int, float]]) -> bool:
        """Return whether one after another gets a row's lock, whoever they are.

        Between most moments some that waited wait no longer, and before a time limit ended it.
        """
        queues = sorted(self.queues.get(gate, {}).items())
        if len(queues) <= _IN_A_ROW:
            return False
        if any(2 * len(moments) >= len(queues) for moments in holders.values()):
            return False
        moved = 0
        for (first, before), (then, after) in itertools.pairwise(queues):
            began, ended = self.times[first], self.times[then]
            if began is None or ended is None:
                return False
            gap = (ended - began) / 1e6
            moved += any(
                waited + gap < self.timeout_s for trx, waited in before.items() if trx not in after
            )
        return 2 * moved > len(queues) - 1

    def _heir(
        self, gate: str, holders: Mapping[str, dict[int, float]], unheld: Mapping[int, float]
    ) -> str | None:
        """Return the holder to which also the moments that show none belong; None: unknown."""
        if not holders or not unheld or _passes(gate):
            return None
        known = set().union(*holders.values())
        if len(known) < _KNOWN_OFTEN * len(known | set(unheld)):
            return None
        return max(holders, key=lambda key: (len(holders[key]), sum(holders[key].values()), key))

    def _document(
        self,
        key: str,
        by_moment: Mapping[int, float],
        share: float,
        seconds: float | None,
        *,
        rotates: bool,
    ) -> RootDoc:
        seen, (described, _) = self._seen(key, rotates=rotates), self._described(key, rotates)
        spread = _spread(by_moment, share, self.weights, seen.best)
        moment, member = seen.moment, seen.member
        title = _title_of(key)
        root = RootDoc(
            key=key,
            kind=member.time_class if member else wait_classes.UNKNOWN,
            label=title,
            seconds=None if seconds is None else round(seconds * share, 1),
            share=round(share, 4),
            low=round(max(0.0, share - spread), 4),
            high=round(min(1.0, share + spread), 4),
            name=title,
            path=[*seen.path, title] if described is None else seen.path,
            steps=seen.steps,
            behind=max(0, round(seen.best)),
            why="No layer shows what these sessions wait for.",
            known=False,
            rotates=rotates,
            doing=wait_classes.UNKNOWN,
            inferred=True,
            moments=len(by_moment),
            of=len(self.weights),
            among=self.choice.among,
            time=iso(moment.time) if moment else None,
        )
        if described is None:
            return root
        node = described.node
        doing = self._by_stack(key, node) if rotates else ""
        return msgspec.structs.replace(
            root,
            name=node.label,
            holders_do=doing or (self._stood_for(key) if rotates and node.kind == "commit" else ""),
            kind="cycle" if seen.cycle else kind_of(node),
            behind=min(node.blocks_total, seen.waiting) or root.behind,
            label=_label(seen, described, doing or (self._by_class(key, node) if rotates else "")),
            why=self._why(seen, described, key, rotates=rotates),
            known=seen.cycle or rotates or node.kind == "thread" or _is_held(described),
            doing=_class_of(member),
            inferred=node.inferred,
            confidence=described.confidence,
            session_id=node.session_id,
            user=node.user,
            statement=node.query,
            table=_table_of(seen),
            members=seen.members,
            node=node.id,
            evidence=node.locators[:2],
        )

    def _seen(self, key: str, *, rotates: bool) -> _Seen:
        """Return what was seen of a root: as the end of time, or as the lock of many holders."""
        end = self.ends.get(key)
        if key in self.gates and (rotates or end is None or end.described is None):
            return self.gates[key]
        return self.ends[key]

    def _why(self, seen: _Seen, described: Described, key: str, *, rotates: bool) -> str:
        if seen.cycle:
            return "They wait for each other, so none of them can go on."
        if not rotates:
            return described.why
        text = "Its holders change from moment to moment, so none of them is the root."
        reasons = self.reasons[key]
        if not reasons:
            return text
        why, times = max(reasons.items(), key=lambda item: (item[1], item[0]))
        why = why.removeprefix("Inferred: ")
        return f"{text} In {times} of {sum(reasons.values())} cases: {why[0].lower()}{why[1:]}"

    def described(self, root: RootDoc) -> tuple[Described | None, str]:
        """Return the description of a root at its time, and its key in the tally."""
        return self._described(root.key, root.rotates)

    def _described(self, key: str, rotates: bool) -> tuple[Described | None, str]:
        """Describe a root; a resource with changing holders by what most of them do."""
        seen = self._seen(key, rotates=rotates)
        described = seen.described
        if described is not None and key in self.titles:
            named = f"{self.titles[key]} ({described.node.label})"
            node = msgspec.structs.replace(described.node, label=named)
            described = replace(described, node=node, holder=named)
        return described, seen.origin

    def _by_stack(self, gate: str, node: WaitNode) -> str:
        """Return what most changing holders of a resource do by their stacks; "" if they differ.

        'whose leader writes the full-text cache'.
        """
        reasons = self.reasons[gate]
        why, times = max(reasons.items(), key=lambda item: (item[1], item[0]), default=("", 0))
        if why.endswith(_BY_STACK) and 2 * times >= sum(reasons.values()):
            words = why.removesuffix(_BY_STACK)
            return f"whose {_holder_of(node)} {words[0].lower()}{words[1:]}"
        return ""

    def _stood_for(self, gate: str) -> str:
        """Return for how long one of the changing leaders was seen; "" if none was seen to stay."""
        longest = max(
            (self._stood(moments) for key, moments in self.through[gate].items() if key != gate),
            default=0.0,
        )
        if longest < _STAYS_S:
            return ""
        return f"whose leader changed, but one was seen for {number(round(longest))} s"

    def _stood(self, moments: Mapping[int, float]) -> float:
        """Return the longest time between moments in a row that show one holder (seconds)."""
        longest = 0.0
        for _, run in itertools.groupby(enumerate(sorted(moments)), lambda each: each[1] - each[0]):
            times = [self.times[at] for _, at in run]
            first, last = times[0], times[-1]
            if len(times) >= _IN_A_ROW and first is not None and last is not None:
                longest = max(longest, (last - first) / 1e6)
        return longest

    def _by_class(self, gate: str, node: WaitNode) -> str:
        """Return what class of time most changing holders are in; "" if they differ."""
        classes: defaultdict[str, float] = defaultdict(float)
        for key, moments in self.through[gate].items():
            member = self.ends[key].member
            if key != gate and member is not None:
                classes[member.time_class] += sum(moments.values())
        name, most = max(classes.items(), key=lambda item: (item[1], item[0]), default=("", 0.0))
        waits_for_it_too = name == gate.partition(":")[0]  # the next in line, named too early
        if name in _SAYS_LITTLE or waits_for_it_too or 2 * most < sum(classes.values()):
            return ""
        return f"whose {_holder_of(node)} is in {_class_title(name).lower()}" if name else ""


def _holder_of(node: WaitNode) -> str:
    return "leader" if node.kind == "commit" else "holder"


def _label(seen: _Seen, described: Described, holders_do: str) -> str:
    named = ", ".join(filter(None, (described.holder, holders_do)))
    return "A circle of waits" if seen.cycle else named


def _row_queues(graph: Graph) -> dict[str, dict[str, float]]:
    """Return by key of a row's lock which transactions wait for it, and how long (s)."""
    queues: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for edge in graph.edges:
        resource, actor = graph.resources.get(edge.target), graph.actors.get(edge.source)
        if edge.kind != "waits_for" or resource is None or resource.kind != "row_lock":
            continue
        if actor is not None and actor.trx and edge.waited_s is not None:
            queues[key_of(edge.target, graph)][actor.trx["trx_id"]] = edge.waited_s
    return queues


def _rotates(holders: Mapping[str, Mapping[int, float]]) -> bool:
    """Return whether no holder is there in at least half of the moments that show one."""
    known: set[int] = set()
    for moments in holders.values():
        known |= set(moments)
    most = max((len(moments) for moments in holders.values()), default=0)
    return 2 * most < len(known)


def _passes(gate: str) -> bool:
    """Return whether what a gate guards is held for a fraction of a second."""
    kind, _, label = gate.partition(":")
    return kind in _PASSING or (kind == "queue" and queues.is_passing(label))


def _class_of(member: Member | None) -> str:
    """Return what a holder does; unknown where a latch's owner is all that is printed of it."""
    if member is None or member.kind == "resource":
        return ""
    shown = (member.session_id, member.command, member.state, member.operation, member.statement)
    is_shown = member.functions or any(each is not None for each in shown)
    return member.time_class if is_shown else wait_classes.UNKNOWN


def _spread(
    by_moment: Mapping[int, float], share: float, weights: Sequence[float], sessions: float
) -> float:
    """Return twice the standard error of a share that is a mean over moments."""
    total = sum(weights)
    if len(weights) < 2 or total <= 0:
        count = max(1.0, sessions / share if share else 1.0)
        return 2 * math.sqrt(max(share * (1 - share), 0.0) / count)
    squares = sum(
        (weight * (by_moment.get(at, 0.0) - share)) ** 2 for at, weight in enumerate(weights)
    )
    return 2 * math.sqrt(squares) / total


def _sessions(count: float) -> str:
    whole = max(1, round(count))
    return "1 session" if whole == 1 else f"{whole} sessions"


def key_of(name: str, graph: Graph) -> str:
    """Return the key of a node in all moments: a latch that the knowledge base knows is one."""
    resource = graph.resources.get(name)
    if resource is not None and resource.latch is not None:
        return f"latch:{resource.latch}"
    if resource is not None and resource.label.endswith(UNNAMED):
        return resource.id  # without a name and a place of creation, alike is not the same
    return lasting_key(name, graph)


def _is_commit_queue(name: str, graph: Graph) -> bool:
    resource = graph.resources.get(name)
    return resource is not None and resource.kind == "commit"


def _cycle_key(names: Sequence[str], graph: Graph) -> str:
    keys = sorted({key_of(name, graph) for name in names})
    return f"cycle:{','.join(keys[:8])}"


def _title_of(key: str) -> str:
    prefix, _, name = key.partition(":")
    if prefix == "latch" and (latch := knowledge().latches.get(name)) is not None:
        return latch.title
    return name if prefix != "class" else f"{_class_title(name)} (holder unknown)"


def _class_title(name: str) -> str:
    return next((each.title for each in wait_classes.time_classes() if each.id == name), name)


def _is_held(described: Described) -> bool:
    return described.node.kind == "fsync" or not described.why.startswith("Holder unknown")


def _table_of(seen: _Seen) -> str | None:
    """Return the table of the lock nearest to the root, where a label names one."""
    for label in reversed(seen.path):
        for prefix in ("row of ", "metadata lock ", "table "):
            if label.startswith(prefix):
                return label.removeprefix(prefix).partition(" (")[0] or None
    return None


def kind_of(node: WaitNode) -> str:
    """Return the kind of root that a node is."""
    if node.kind != "thread":
        return node.kind
    if node.trx_id is not None:
        return "transaction"
    return "session" if node.session_id is not None else "thread"


__all__ = ["LEAST_SHARE", "Roots", "key_of", "kind_of"]
