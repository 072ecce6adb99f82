"""Keep views under a short link, with a name where somebody gave one.

Revision: 0003, after 0002. A view with many lanes has an address that chats and tickets cut.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "view_links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("view", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column(
            "at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name=op.f("fk_view_links_by_id_users"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_view_links_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_view_links")),
    )
    op.create_index("ix_view_links_incident_id", "view_links", ["incident_id"])
    op.create_index(
        "uq_view_links_unnamed",
        "view_links",
        ["incident_id", sa.text("md5(view)")],
        unique=True,
        postgresql_where=sa.text("name is null"),
    )


def downgrade() -> None:
    op.drop_table("view_links")
