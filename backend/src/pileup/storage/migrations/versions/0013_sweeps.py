"""Experiments of one sweep with their parameters, and what the artifacts said at the finish.

Revision: 0013, after 0012. A run of a sweep is an experiment like any other (own prediction,
artifacts, verdict), so a sweep is no table: its runs share a name and differ in their parameters.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    empty = sa.text("''")
    op.add_column(
        "experiments", sa.Column("sweep", sa.Text(), server_default=empty, nullable=False)
    )
    op.add_column(
        "experiments",
        sa.Column("parameters", JSONB(), server_default=sa.text("'{}'"), nullable=False),
    )
    op.add_column("experiments", sa.Column("computed", JSONB(), nullable=True))
    op.add_column(
        "experiments",
        sa.Column("overruled_because", sa.Text(), server_default=empty, nullable=False),
    )


def downgrade() -> None:
    for name in ("overruled_because", "computed", "parameters", "sweep"):
        op.drop_column("experiments", name)
