"""Time and host that a person gives to evidence that prints neither, at upload or later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("artifacts", "uploads"):
        op.add_column(table, sa.Column("given_at", sa.DateTime(timezone=True), nullable=True))
        op.add_column(table, sa.Column("given_within_s", sa.Float(), nullable=True))
        op.add_column(table, sa.Column("given_host", sa.Text(), nullable=True))


def downgrade() -> None:
    for table in ("artifacts", "uploads"):
        for column in ("given_at", "given_within_s", "given_host"):
            op.drop_column(table, column)
