"""A value that only the right key decrypts; a wrong key is noticed before it encrypts anything.

Secrets that are there already are encrypted after the migration, by whoever has the key
(``storage.encryption.encrypt_stored``): no migration knows it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "key_check",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("encrypted", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_key_check_one")),
        sa.PrimaryKeyConstraint("id", name="pk_key_check"),
    )
    op.execute("alter table key_check enable row level security")  # no policy: not for requests


def downgrade() -> None:
    op.drop_table("key_check")
