"""Embedded services: PostgreSQL, Valkey, the API and the worker as children of one command.

What lives here: finding the binaries, starting, watching and stopping processes. What does
not: what those processes do. Imported only by the command line (and by tests).
"""
