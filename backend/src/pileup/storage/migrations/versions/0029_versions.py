"""A version for each topic of an incident, so that a read can be answered without computing it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "incident_versions",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("incident_id", "topic", name="pk_incident_versions"),
        postgresql_with={"fillfactor": "50"},
    )


def downgrade() -> None:
    op.drop_table("incident_versions")
