"""The analysis of a run is stored, as that of its incident is, and made by a job of its own.

Every request computed it from the run's files, so that one file could stop the server.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "run_analyses",
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("input_hash", sa.Text(), nullable=False),
        sa.Column("document", postgresql.JSONB(none_as_null=True), nullable=False),
        sa.Column(
            "finished_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name="fk_run_analyses_experiment_id_experiments",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("experiment_id", name="pk_run_analyses"),
    )
    _kinds("'artifact', 'analyse', 'run', 'webhook'")


def downgrade() -> None:
    op.execute("delete from jobs where kind = 'run'")
    _kinds("'artifact', 'analyse', 'webhook'")
    op.drop_table("run_analyses")


def _kinds(words: str) -> None:
    op.drop_constraint(op.f("ck_jobs_kind"), "jobs", type_="check")
    op.create_check_constraint(op.f("ck_jobs_kind"), "jobs", f"kind in ({words})")
