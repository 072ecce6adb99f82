"""Count the sessions of each listing: all, running, and by state."""

from __future__ import annotations

from collections import Counter

from pileup.records import Clock, Samples

_MAX_STATES = 300
_FLUSH_VALUES = 50_000


class ListingSeries:
    """Counts per listing, kept as columns until there are many."""

    def __init__(self) -> None:
        self._ready: list[Samples] = []
        self._wall: list[int] = []
        self._lines: list[int] = []
        self._clock: Clock = "relative"
        self._values: dict[str, list[int]] = {"sessions": [], "running": []}

    def add(
        self,
        wall_us: int,
        clock: Clock,
        line: int,
        sessions: int,
        running: int,
        states: Counter[str],
    ) -> None:
        """Add the counts of one listing."""
        if clock != self._clock:
            self._to_samples()
        self._clock = clock
        before = len(self._wall)
        self._wall.append(wall_us)
        self._lines.append(line)
        for state in states:
            key = "state=" + state
            if key not in self._values and len(self._values) < _MAX_STATES:
                # A listing names every session: a state not in it was in no session, a true zero.
                self._values[key] = [0] * before
        for key, values in self._values.items():
            if key == "sessions":
                values.append(sessions)
            elif key == "running":
                values.append(running)
            else:
                values.append(states.get(key[6:], 0))
        if len(self._wall) * len(self._values) >= _FLUSH_VALUES:
            self._to_samples()

    def drain(self) -> list[Samples]:
        """Return samples once there are many listings; call it after each ``add``."""
        ready, self._ready = self._ready, []
        return ready

    def end(self) -> list[Samples]:
        """Return all remaining samples."""
        self._to_samples()
        return self.drain()

    def _to_samples(self) -> None:
        if not self._wall:
            return
        for key, values in self._values.items():
            state = key[6:] if key.startswith("state=") else None
            samples = Samples(
                series="processlist.state" if state else f"processlist.{key}",
                kind="gauge",
                unit=None,
                clock=self._clock,
                wall_us=self._wall,
                values=values,
                lines=self._lines,
                labels=(("state", state),) if state else (),
            )
            self._ready.append(samples)
        self._wall, self._lines = [], []
        self._values = {key: [] for key in self._values}
