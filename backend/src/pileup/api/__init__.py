"""Serve the HTTP API: one router per domain, the error table, access control, and ``app``.

Routes are thin: read the request, call storage or analysis, shape the response. A request is one
transaction. Every router is behind the guard of ``auth`` unless ``app.PUBLIC`` names it.
"""
