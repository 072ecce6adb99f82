"""Symptoms can be mended: a revision, so that nobody writes over another's change.

Revision: 0017, after 0016. A run's stored outcome keeps the words of what it was asked at the
finish, so an edit changes what is asked from now on and nothing that was answered (see 0014).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "symptoms", sa.Column("revision", sa.Integer(), server_default=sa.text("1"), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("symptoms", "revision")
