"""The catalogue of mechanisms; importing it registers all of them."""

from benchmarks.incidents.mechanisms import commits, engine, healthy, limits, locks, replicas
from benchmarks.incidents.mechanisms.catalogue import MECHANISMS, Mechanism

__all__ = [
    "MECHANISMS",
    "Mechanism",
    "commits",
    "engine",
    "healthy",
    "limits",
    "locks",
    "replicas",
]
