"""The search over all incidents: entries of each analysis, and indexes of what people write."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

_WRITTEN = (
    ("annotations", "text"),
    ("artifacts", "path"),
    ("comments", "body"),
    ("hypotheses", "statement"),
    ("pins", "title"),
)


def upgrade() -> None:
    op.execute("create extension if not exists pg_trgm")
    op.create_table(
        "search_entries",
        sa.Column(
            "incident_id", sa.Text(), sa.ForeignKey("incidents.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("kind", sa.Text(), primary_key=True),
        sa.Column("key", sa.Text(), primary_key=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("hint", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
    )  # fmt: skip
    op.add_column("analyses", sa.Column("words", TSVECTOR(), nullable=True))
    op.create_index("ix_analyses_words", "analyses", ["words"], postgresql_using="gin")
    for table, column in _WRITTEN:
        op.create_index(
            f"ix_{table}_{column}_trigrams",
            table,
            [column],
            postgresql_using="gin",
            postgresql_ops={column: "gin_trgm_ops"},
        )


def downgrade() -> None:
    for table, column in _WRITTEN:
        op.drop_index(f"ix_{table}_{column}_trigrams", table)
    op.drop_index("ix_analyses_words", "analyses")
    op.drop_column("analyses", "words")
    op.drop_table("search_entries")
