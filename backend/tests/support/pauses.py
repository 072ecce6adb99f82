"""A time that only pauses move, for what waits and tries again."""

from __future__ import annotations


class Clock:
    """Stands for the module ``time``; keeps the pauses in their order, in seconds."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now
        self.pauses: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds
