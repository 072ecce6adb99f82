"""Action items, frozen releases of the report with their approvals, and its choices.

Revision: 0010, after 0009. A trigger refuses to change a release's document or an approval: what
was approved is what is exported, whatever our own code does later.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_NOW = sa.text("now()")


def upgrade() -> None:
    op.create_table(
        "action_items",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("due", sa.Date(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.Text(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status in ('open', 'started', 'done', 'dropped')",
            name=op.f("ck_action_items_status"),
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_action_items_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name=op.f("fk_action_items_experiment_id_experiments"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["users.id"],
            name=op.f("fk_action_items_created_by_id_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_action_items")),
    )
    op.create_index("ix_action_items_incident_id", "action_items", ["incident_id"])
    op.create_index("ix_action_items_experiment_id", "action_items", ["experiment_id"])
    op.create_table(
        "releases",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("made_by_id", sa.Text(), nullable=True),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state in ('in_review', 'approved', 'withdrawn')", name=op.f("ck_releases_state")
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_releases_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["made_by_id"],
            ["users.id"],
            name=op.f("fk_releases_made_by_id_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_releases")),
        sa.UniqueConstraint("incident_id", "number", name=op.f("uq_releases_incident_id")),
    )
    op.create_index(
        "uq_releases_in_review",
        "releases",
        ["incident_id"],
        unique=True,
        postgresql_where=sa.text("state = 'in_review'"),
    )
    op.create_table(
        "release_approvals",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=False),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["release_id"],
            ["releases.id"],
            name=op.f("fk_release_approvals_release_id_releases"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("release_id", "by_id", name=op.f("pk_release_approvals")),
    )
    op.create_table(
        "report_choices",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=True),
        sa.Column("redaction_key", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_report_choices_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", name=op.f("pk_report_choices")),
    )
    op.execute("""
        create function refuse_thawing() returns trigger language plpgsql as $$
        begin
            if new.document <> old.document or new.sha256 <> old.sha256
               or new.number <> old.number or new.incident_id <> old.incident_id
               or (old.state = 'approved' and new.state <> 'approved') then
                raise exception 'release % is frozen: make another one', old.number
                    using errcode = 'integrity_constraint_violation';
            end if;
            return new;
        end $$
    """)
    op.execute("""
        create trigger releases_frozen before update on releases
        for each row execute function refuse_thawing()
    """)
    op.execute("""
        create trigger release_approvals_append_only before update on release_approvals
        for each row execute function refuse_rewriting()
    """)


def downgrade() -> None:
    op.drop_table("report_choices")
    op.drop_table("release_approvals")
    op.drop_table("releases")
    op.drop_table("action_items")
    op.execute("drop function refuse_thawing()")
