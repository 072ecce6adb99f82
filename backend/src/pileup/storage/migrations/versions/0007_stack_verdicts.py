"""Remember which stacks a person called benign or suspicious.

Revision: 0007, after 0006. Triage of stacks is human work: it outlives a new reading of the
artifacts, so it is kept by the stack's functions and not by its place in a file.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stack_verdicts",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("stack_key", sa.Text(), nullable=False),
        sa.Column("pile", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.CheckConstraint("pile in ('benign', 'suspicious')", name=op.f("ck_stack_verdicts_pile")),
        sa.ForeignKeyConstraint(
            ["by_id"],
            ["users.id"],
            name=op.f("fk_stack_verdicts_by_id_users"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_stack_verdicts_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "stack_key", name=op.f("pk_stack_verdicts")),
    )


def downgrade() -> None:
    op.drop_table("stack_verdicts")
