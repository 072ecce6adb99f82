"""The matrix of evidence and hypotheses: who rated what, when.

Revision: 0005, after 0004. Ratings, weights and openings are append-only (the trigger of the first
migration), so that the matrix can be shown as it was at any time, and nobody's first blind rating
can be rewritten after they saw the others'.
"""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TABLES = ("ratings", "evidence_weights", "matrix_openings")


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _at() -> sa.Column[datetime]:
    return sa.Column(
        "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
    )


def _to(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{other}.id"], name=op.f(f"fk_{table}_{column}_{other}"), ondelete="RESTRICT"
    )


def upgrade() -> None:
    op.create_table(
        "ratings",
        _text("id"),
        _text("incident_id"),
        _text("pin_id"),
        _text("hypothesis_id"),
        _text("by_id"),
        _text("by_name"),
        _text("rating", nullable=True),
        _text("proposed_by", nullable=True),
        _at(),
        sa.CheckConstraint(
            "rating in ('CC', 'C', 'N', 'I', 'II', 'NA')", name=op.f("ck_ratings_rating")
        ),
        _to("ratings", "incident_id", "incidents"),
        _to("ratings", "pin_id", "pins"),
        _to("ratings", "hypothesis_id", "hypotheses"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ratings")),
    )
    op.create_index("ix_ratings_incident_id", "ratings", ["incident_id", "at"])
    op.create_table(
        "evidence_weights",
        _text("id"),
        _text("incident_id"),
        _text("pin_id"),
        _text("credibility"),
        _text("relevance"),
        _text("by_id", nullable=True),
        _text("by_name"),
        _at(),
        sa.CheckConstraint(
            "credibility in ('low', 'normal', 'high')",
            name=op.f("ck_evidence_weights_credibility"),
        ),
        sa.CheckConstraint(
            "relevance in ('low', 'normal', 'high')", name=op.f("ck_evidence_weights_relevance")
        ),
        _to("evidence_weights", "incident_id", "incidents"),
        _to("evidence_weights", "pin_id", "pins"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence_weights")),
    )
    op.create_index(op.f("ix_evidence_weights_incident_id"), "evidence_weights", ["incident_id"])
    op.create_table(
        "matrix_openings",
        _text("id"),
        _text("incident_id"),
        _text("pin_id", nullable=True),
        _text("hypothesis_id", nullable=True),
        _text("by_id", nullable=True),
        _text("by_name"),
        _at(),
        _to("matrix_openings", "incident_id", "incidents"),
        _to("matrix_openings", "pin_id", "pins"),
        _to("matrix_openings", "hypothesis_id", "hypotheses"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matrix_openings")),
    )
    op.create_index(op.f("ix_matrix_openings_incident_id"), "matrix_openings", ["incident_id"])
    for table in _TABLES:
        op.execute(f"""
            create trigger {table}_append_only before update or delete on {table}
            for each row execute function refuse_rewriting()
        """)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table)
