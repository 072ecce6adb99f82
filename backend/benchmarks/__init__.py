"""Measurements of the engine compared with its peers: ``make bench-parse`` and ``make bench``."""
