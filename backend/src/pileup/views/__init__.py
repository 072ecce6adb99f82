"""Compute what a screen, the report and the command line display.

A view reads storage, calls analysis, and returns plain records. It takes plain arguments (a unit of
work, a store, an incident), never a request: the API, a worker and the command line call it alike.
Routes and request models belong in ``api``; rows and files belong in ``storage``.
"""
