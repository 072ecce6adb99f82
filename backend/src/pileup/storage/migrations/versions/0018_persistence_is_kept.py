"""Who and what stays stuck is counted once, by the analysis, and kept beside its document.

Revision: 0018, after 0017. It was counted at the first look at a wait graph, in the API, while the
person waited. An analysis made before has none until it is made again.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("analyses", sa.Column("persistence", JSONB(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("analyses", "persistence")
