"""Redaction profiles: what an installation takes out of its reports, by name.

Revision: 0015, after 0014.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "redaction_profiles",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "kinds", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False
        ),
        sa.Column(
            "made_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_redaction_profiles")),
    )


def downgrade() -> None:
    op.drop_table("redaction_profiles")
