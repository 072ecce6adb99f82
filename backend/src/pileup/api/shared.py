"""A value that the requests of this process share for a moment, so that many cost as one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """Holder of one value that is computed at most once in ``keep_s`` seconds."""

    def __init__(self, keep_s: float) -> None:
        self._keep_s = keep_s
        self._lock = threading.Lock()
        self._held: tuple[float, T] | None = None

    def get(self, compute: Callable[[], T]) -> T:
        """Return the value; one thread computes it, and those that come meanwhile wait for it."""
        with self._lock:
            if self._held is None or time.monotonic() - self._held[0] > self._keep_s:
                self._held = (time.monotonic(), compute())
            return self._held[1]
