"""A run has a copy of a file that the incident brought too; a member knows all archives around it.

An archive in the archive of a run belongs to the run with all its members.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("artifacts", sa.Column("sent_again_at", sa.DateTime(timezone=True)))
    op.add_column(
        "artifacts",
        sa.Column("within", sa.ARRAY(sa.Text()), server_default="{}", nullable=False),
    )
    op.execute(
        "with recursive member as ("
        " select id, array[]::text[] as within from artifacts where parent_id is null"
        " union all select artifacts.id, member.within || member.id"
        " from artifacts join member on artifacts.parent_id = member.id)"
        " update artifacts set within = member.within from member"
        " where artifacts.id = member.id and artifacts.parent_id is not null"
    )


def downgrade() -> None:
    # the older version has no copies of runs
    op.execute("update artifacts set deleted_at = now() where folder like E'%\\n%'")
    op.drop_column("artifacts", "within")
    op.drop_column("artifacts", "sent_again_at")
