"""Alembic's entry point: run the migrations over the connection of `migrate.upgrade`."""

from __future__ import annotations

from alembic import context
from sqlalchemy import create_engine

from pileup.storage.models import Base

config = context.config


def _run() -> None:
    connection = config.attributes.get("connection")
    if connection is not None:
        context.configure(connection=connection, target_metadata=Base.metadata)
        with context.begin_transaction():
            context.run_migrations()
        return
    engine = create_engine(config.get_main_option("sqlalchemy.url") or "")
    with engine.connect() as opened:
        context.configure(connection=opened, target_metadata=Base.metadata)
        with context.begin_transaction():
            context.run_migrations()


_run()
