"""Persistence: PostgreSQL tables, the blob store, the frame store, and change notices.

Belongs here: the tables (``models``), one repository module per domain (``accounts``,
``incidents``, ``artifacts``, ...), the migrations, the job table and the broker that carries its
ids. Does not belong here: HTTP, parsing, analysis. Repositories take and return frozen records;
SQLAlchemy objects never leave this package. Repositories flush; the caller (a request or a task)
commits.
"""
