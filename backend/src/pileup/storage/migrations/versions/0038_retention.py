"""Retention of teams, and legal holds of incidents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("teams", sa.Column("retention_days", sa.Integer(), nullable=True))
    op.create_check_constraint("retention_days", "teams", "retention_days > 0")
    op.add_column("incidents", sa.Column("held_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("incidents", sa.Column("held_for", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("incidents", "held_for")
    op.drop_column("incidents", "held_at")
    op.drop_constraint("retention_days", "teams", type_="check")
    op.drop_column("teams", "retention_days")
