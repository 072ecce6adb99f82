"""Blocked time: one population per moment, its classes, and where its blocked time ends."""
