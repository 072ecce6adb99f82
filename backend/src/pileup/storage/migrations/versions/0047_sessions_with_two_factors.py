"""Whether a session was opened with two factors: an installation may demand it of everybody.

Sessions from before count as opened with one, so their users sign in again where it is demanded.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "sessions",
        sa.Column("two_factors", sa.Boolean(), server_default=sa.false(), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("sessions", "two_factors")
