"""Wrong passwords and codes of the last minutes, counted once for all processes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pileup.storage.row_security import PEOPLE

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "guesses",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("client", sa.Text(), nullable=False),
        sa.Column("account_hash", sa.Text(), nullable=False),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("id", name="pk_guesses"),
    )
    for column in ("client", "account_hash", "at"):
        op.create_index(f"ix_guesses_{column}", "guesses", [column])
    op.execute(f"grant select, insert, update, delete on guesses to {PEOPLE}")


def downgrade() -> None:
    op.drop_table("guesses")
