"""Remember what the columns of a table are, per header.

Revision: 0002, after 0001. A person who tells Pileup once what an export's columns are must not be
asked again for the next export. artifacts.table_key finds the files that a mapping concerns.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "table_mappings",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("header", sa.Text(), nullable=True),
        sa.Column(
            "mapping", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False
        ),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["by_id"],
            ["users.id"],
            name=op.f("fk_table_mappings_by_id_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_table_mappings")),
    )
    op.add_column("artifacts", sa.Column("table_key", sa.Text(), nullable=True))
    op.create_index(
        "ix_artifacts_table_key",
        "artifacts",
        ["table_key"],
        unique=False,
        postgresql_where=sa.text("table_key is not null"),
    )


def downgrade() -> None:
    op.drop_index("ix_artifacts_table_key", table_name="artifacts")
    op.drop_column("artifacts", "table_key")
    op.drop_table("table_mappings")
