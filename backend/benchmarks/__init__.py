"""Measurements of the engine beside the peers: ``make bench-parse`` and ``make bench``."""
