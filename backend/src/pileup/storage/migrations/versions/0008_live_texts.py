"""Long texts are CRDT documents, so that two people type in one at once and lose nothing.

Revision: 0008, after 0007. The sections of reports move there with every text that they had.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pileup.storage.ids import new_id
from pileup.storage.texts.crdt import seeded

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    now = sa.text("now()")
    op.create_table(
        "live_texts",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("base_seq", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("edited", sa.Boolean(), nullable=False),
        sa.Column("updated_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.CheckConstraint("base_seq <= seq", name=op.f("ck_live_texts_base_seq")),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name=op.f("fk_live_texts_incident_id_incidents"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["updated_by_id"],
            ["users.id"],
            name=op.f("fk_live_texts_updated_by_id_users"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("incident_id", "key", name=op.f("pk_live_texts")),
    )
    op.create_table(
        "live_text_updates",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("update", sa.LargeBinary(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id", "key"],
            ["live_texts.incident_id", "live_texts.key"],
            name=op.f("fk_live_text_updates_live_texts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "key", "seq", name=op.f("pk_live_text_updates")),
    )
    op.create_table(
        "live_text_versions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("closed", sa.Boolean(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id", "key"],
            ["live_texts.incident_id", "live_texts.key"],
            name=op.f("fk_live_text_versions_live_texts"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_live_text_versions")),
    )
    op.create_index(
        "ix_live_text_versions_text", "live_text_versions", ["incident_id", "key", "id"]
    )
    _carry()
    op.drop_table("report_section_revisions")
    op.drop_table("report_sections")


def _carry() -> None:
    connection = op.get_bind()
    sections = connection.execute(
        sa.text(
            "select incident_id, 'report/' || key as key, body_md as text, revision as seq,"
            " not prefilled as edited, updated_by_id, updated_at from report_sections"
        )
    ).mappings()
    for section in sections.all():
        connection.execute(
            sa.text(
                "insert into live_texts (incident_id, key, text, state, base_seq, seq, edited,"
                " updated_by_id, updated_at) values (:incident_id, :key, :text, :state, :seq,"
                " :seq, :edited, :updated_by_id, :updated_at)"
            ),
            {**section, "state": seeded(section["text"])},
        )
    versions = connection.execute(
        sa.text(
            "select r.incident_id, 'report/' || r.key as key, r.revision as seq,"
            " r.body_md as text, r.by_id, coalesce(u.name, 'somebody') as by_name, r.at"
            " from report_section_revisions r"
            " join report_sections s on s.incident_id = r.incident_id and s.key = r.key"
            " left join users u on u.id = r.by_id order by r.at"
        )
    ).mappings()
    for version in versions.all():
        connection.execute(
            sa.text(
                "insert into live_text_versions (id, incident_id, key, seq, text, closed, by_id,"
                " by_name, started_at, at) values (:id, :incident_id, :key, :seq, :text, true,"
                " :by_id, :by_name, :at, :at)"
            ),
            {**version, "id": new_id()},
        )


def downgrade() -> None:
    now = sa.text("now()")
    op.create_table(
        "report_sections",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("body_md", sa.Text(), nullable=False),
        sa.Column("prefilled", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("updated_by_id", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.ForeignKeyConstraint(["incident_id"], ["incidents.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["updated_by_id"], ["users.id"], ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("incident_id", "key", name=op.f("pk_report_sections")),
    )
    op.create_table(
        "report_section_revisions",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("body_md", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.ForeignKeyConstraint(["incident_id"], ["incidents.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint(
            "incident_id", "key", "revision", name=op.f("pk_report_section_revisions")
        ),
    )
    op.execute(
        "insert into report_sections"
        " select incident_id, substr(key, 8), text, not edited, seq, updated_by_id, updated_at"
        " from live_texts where key like 'report/%'"
    )
    op.execute(
        "insert into report_section_revisions"
        " select distinct on (incident_id, key, seq) incident_id, substr(key, 8), seq, text,"
        " by_id, at from live_text_versions where key like 'report/%'"
    )
    op.drop_table("live_text_versions")
    op.drop_table("live_text_updates")
    op.drop_table("live_texts")
