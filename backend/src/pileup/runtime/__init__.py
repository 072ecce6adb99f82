"""Embedded services: PostgreSQL, Valkey, the API and the worker as children of one command.

Belongs here: finding the binaries, starting, watching and stopping processes. Does not belong
here: the work of those processes. Imported only by the command line (and by tests).
"""
