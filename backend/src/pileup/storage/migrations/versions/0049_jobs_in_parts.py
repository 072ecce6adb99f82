"""Jobs in parts: a long expansion of an archive lets others have their turn, and goes on later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("resume_from", JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("jobs", "resume_from")
