"""Approvals with a signature of their own: who approved which document, and when.

The signature of a release says that an installation froze the document; this one, that it let the
named user approve it. Earlier approvals have none. Rows of this table never change (a trigger).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

_COLUMNS = ("statement", "signature", "signed_by")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("release_approvals", sa.Column(name, sa.Text(), nullable=True))


def downgrade() -> None:
    for name in reversed(_COLUMNS):
        op.drop_column("release_approvals", name)
