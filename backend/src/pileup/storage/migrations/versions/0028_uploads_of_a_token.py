"""The API token that began an upload: a push token may touch only its own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("uploads", sa.Column("token_id", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("uploads", "token_id")
