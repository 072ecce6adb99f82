"""A job carries the trace of the request that queued it, for the worker that runs it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("trace", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("jobs", "trace")
