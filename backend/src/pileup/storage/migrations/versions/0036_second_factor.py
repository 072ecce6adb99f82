"""A second factor: codes of an authenticator app (TOTP), and recovery codes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pileup.storage.row_security import PEOPLE

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "second_factors",
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("confirmed_at", _TIME, nullable=True),
        sa.Column("last_step", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_second_factors_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", name="pk_second_factors"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("code_hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"],
            ["second_factors.user_id"],
            name="fk_recovery_codes_user_id_second_factors",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_recovery_codes"),
    )
    op.create_index("ix_recovery_codes_user_id", "recovery_codes", ["user_id"])
    op.execute(
        f"grant select, insert, update, delete on second_factors, recovery_codes to {PEOPLE}"
    )


def downgrade() -> None:
    op.drop_table("recovery_codes")
    op.drop_table("second_factors")
