"""Measurements of the engine; `make bench`."""
