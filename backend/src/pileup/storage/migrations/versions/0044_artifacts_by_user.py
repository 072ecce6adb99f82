"""What a user keeps is found by index: each upload needs it where quotas are set."""

from __future__ import annotations

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_artifacts_uploaded_by", "artifacts", ["uploaded_by_id"])


def downgrade() -> None:
    op.drop_index("ix_artifacts_uploaded_by", "artifacts")
