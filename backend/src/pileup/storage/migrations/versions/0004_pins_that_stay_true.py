"""Keep what a pin was worth when it was made, and what it is worth now.

Revision: 0004, after 0003. A pin must turn stale, never silently different, when a re-parse changes
what it points at: so the value stands beside its hash, and the new one beside it until a person
takes it. Hypotheses gain mechanism tags and what superseded them; pins say what they are in the
argument (observation, experiment, absence, testimony) and keep a picture.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_KINDS = "kind in ('lines', 'series', 'wait_node', 'stack', 'span', 'finding')"
_MORE_KINDS = (
    "kind in ('lines', 'series', 'wait_node', 'wait_edge', 'stack', 'span', 'row', "
    "'finding', 'statement')"
)
_TEXTS = ("picture", "value", "now_value", "now_hash", "kept_hash")


def upgrade() -> None:
    op.drop_constraint(op.f("ck_pins_kind"), "pins")
    op.create_check_constraint(op.f("ck_pins_kind"), "pins", _MORE_KINDS)
    op.add_column(
        "pins",
        sa.Column("evidence_kind", sa.Text(), server_default="observation", nullable=False),
    )
    op.create_check_constraint(
        op.f("ck_pins_evidence_kind"),
        "pins",
        "evidence_kind in ('observation', 'experiment', 'absence', 'testimony')",
    )
    for name in _TEXTS:
        op.add_column("pins", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("pins", sa.Column("stale_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column(
        "hypotheses",
        sa.Column(
            "mechanisms",
            postgresql.JSONB(none_as_null=True, astext_type=sa.Text()),
            server_default=sa.text("'[]'"),
            nullable=False,
        ),
    )
    op.add_column("hypotheses", sa.Column("superseded_by_id", sa.Text(), nullable=True))
    op.create_foreign_key(
        op.f("fk_hypotheses_superseded_by_id_hypotheses"),
        "hypotheses",
        "hypotheses",
        ["superseded_by_id"],
        ["id"],
        ondelete="SET NULL",
    )


def downgrade() -> None:
    op.drop_column("hypotheses", "superseded_by_id")
    op.drop_column("hypotheses", "mechanisms")
    op.drop_column("pins", "stale_since")
    for name in reversed(_TEXTS):
        op.drop_column("pins", name)
    op.drop_column("pins", "evidence_kind")
    op.execute("update pins set kind = 'lines' where kind in ('wait_edge', 'row', 'statement')")
    op.drop_constraint(op.f("ck_pins_kind"), "pins")
    op.create_check_constraint(op.f("ck_pins_kind"), "pins", _KINDS)
