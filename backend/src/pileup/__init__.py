"""Pileup: an incident postmortem workbench for database pileups."""

__version__ = "0.1.0"
