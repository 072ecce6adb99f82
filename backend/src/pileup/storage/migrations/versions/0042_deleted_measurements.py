"""A deleted measurement stays with its run, so that its deletion can be undone as what it was."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    column = sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True)
    op.add_column("measurements", column)


def downgrade() -> None:
    op.execute("delete from measurements where deleted_at is not null")
    op.drop_column("measurements", "deleted_at")
