"""Where everything is kept: PostgreSQL, the blob store, the frame store, and who hears of changes.

What lives here: the tables (``models``), one repository module per domain (``accounts``,
``incidents``, ``artifacts``, ...), the migrations, the job table and the broker that carries its
ids. What does not: HTTP, parsing, analysis. Repositories take and give frozen records; SQLAlchemy
objects never leave this package. Repositories flush, the edge (a request, a task) commits.
"""
