"""Symptoms that people write: predicates over records, asked of the incident and of every run.

Revision: 0014, after 0013. Not edited: another predicate is another symptom, so that a run's
stored outcome never speaks of one that has changed since.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    made = sa.DateTime(timezone=True)
    op.create_table(
        "symptoms",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("predicate", JSONB(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("at", made, server_default=sa.text("now()"), nullable=False),
        sa.Column("deleted_at", made, nullable=True),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_symptoms_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name=op.f("fk_symptoms_by_id_users"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_symptoms")),
    )
    op.create_index(op.f("ix_symptoms_incident_id"), "symptoms", ["incident_id"])


def downgrade() -> None:
    op.drop_table("symptoms")
