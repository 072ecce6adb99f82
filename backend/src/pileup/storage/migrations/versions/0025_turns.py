"""The job table decides what runs next: whose turn it is, and in which order.

A broker that carried the ids of jobs decided it before: first come, first served, so that one large
archive kept everybody waiting. Each waiting job now has a requester and a place in the order, and
each job counts the attempts that it ended itself. The broker only wakes processes, so when a job
was sent does not matter any more.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column(
        "jobs", sa.Column("requester", sa.Text(), server_default=sa.text("''"), nullable=False)
    )
    op.add_column(
        "jobs", sa.Column("turn_at", _TIME, server_default=sa.text("now()"), nullable=False)
    )
    op.add_column(
        "jobs", sa.Column("crashes", sa.Integer(), server_default=sa.text("0"), nullable=False)
    )
    op.drop_column("jobs", "sent_at")
    op.execute(
        "update jobs set turn_at = case when kind = 'artifact' then created_at"
        " else to_timestamp(0) end"
    )
    op.execute(
        "update jobs set requester = coalesce(artifacts.uploaded_by_id, '') from artifacts"
        " where jobs.kind = 'artifact' and jobs.target = artifacts.id"
    )
    op.create_index(
        "ix_jobs_turn",
        "jobs",
        ["incident_id", "requester", "turn_at", "id"],
        postgresql_where=sa.text("state = 'queued'"),
    )
    op.create_index("ix_jobs_incident_started", "jobs", ["incident_id", "started_at"])
    op.create_index("ix_jobs_requester_started", "jobs", ["requester", "started_at"])
    op.create_index("ix_jobs_finished", "jobs", ["finished_at"])


def downgrade() -> None:
    op.drop_index("ix_jobs_finished", table_name="jobs")
    op.drop_index("ix_jobs_requester_started", table_name="jobs")
    op.drop_index("ix_jobs_incident_started", table_name="jobs")
    op.drop_index("ix_jobs_turn", table_name="jobs")
    op.add_column("jobs", sa.Column("sent_at", _TIME, nullable=True))
    for name in ("crashes", "turn_at", "requester"):
        op.drop_column("jobs", name)
