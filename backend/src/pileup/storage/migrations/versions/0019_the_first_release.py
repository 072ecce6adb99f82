"""The schema of the first release: every table, the append-only rule and the frozen releases.

The migrations 0001 to 0018 of the time before the first release are part of this one. It keeps the
number of the last of them, so a database that they brought to 0019 needs nothing.

Rows of the audit trail, ratings and the like are only ever added: a trigger refuses UPDATE and
DELETE, so that not even a mistake in our own code can rewrite history. A release that was approved
stays as it is.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0019"
down_revision = None
branch_labels = None
depends_on = None

_NOW = sa.text("now()")
_TIME = sa.DateTime(timezone=True)

_APPEND_ONLY = {
    "audit": "update or delete",
    "confidence_steps": "update or delete",
    "evidence_weights": "update or delete",
    "matrix_openings": "update or delete",
    "ratings": "update or delete",
    "release_approvals": "update",
}
"""Table: the statements that its trigger refuses."""


def upgrade() -> None:
    for create in _TABLES:
        create()
    op.execute(_REFUSE_REWRITING)
    for table, statements in _APPEND_ONLY.items():
        op.execute(
            f"create trigger {table}_append_only before {statements} on {table} "
            "for each row execute function refuse_rewriting()"
        )
    op.execute(_REFUSE_THAWING)
    op.execute(
        "create trigger releases_frozen before update on releases "
        "for each row execute function refuse_thawing()"
    )


def downgrade() -> None:
    for create in reversed(_TABLES):
        op.drop_table(create.__name__.removeprefix("_"))
    op.execute("drop function refuse_thawing()")
    op.execute("drop function refuse_rewriting()")


_REFUSE_REWRITING = """
create function refuse_rewriting() returns trigger
    language plpgsql
    as $$
        begin
            if tg_op = 'DELETE' and tg_table_name <> 'audit'
               and current_setting('pileup.purge', true) = 'on' then
                return old;
            end if;
            raise exception 'table % is append-only: add a row instead', tg_table_name
                using errcode = 'integrity_constraint_violation';
        end $$;
"""

_REFUSE_THAWING = """
create function refuse_thawing() returns trigger
    language plpgsql
    as $$
    begin
        if new.document <> old.document or new.sha256 <> old.sha256 or new.work is distinct from old.work
           or new.number <> old.number or new.incident_id <> old.incident_id
           or (old.state = 'approved' and new.state <> 'approved') then
            raise exception 'release % is frozen: make another one', old.number
                using errcode = 'integrity_constraint_violation';
        end if;
        return new;
    end $$;
"""


def _audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("user_name", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("detail", JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_index("ix_audit_incident_id", "audit", ["incident_id"])
    op.create_index("ix_audit_user_id", "audit", ["user_id"])


def _redaction_profiles() -> None:
    op.create_table(
        "redaction_profiles",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kinds", JSONB(), nullable=False),
        sa.Column("made_at", _TIME, server_default=_NOW, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_redaction_profiles"),
    )


def _users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint(
            "role in ('viewer', 'contributor', 'admin')", name=op.f("ck_users_role")
        ),
        sa.CheckConstraint("email = lower(email)", name=op.f("ck_users_email_lower")),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("email", name="uq_users_email"),
    )


def _workers() -> None:
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("concurrency", sa.Integer(), nullable=False),
        sa.Column("started_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("last_seen", _TIME, server_default=_NOW, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_workers"),
    )


def _incidents() -> None:
    op.create_table(
        "incidents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=True),
        sa.Column("service", sa.Text(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Text(), nullable=True),
        sa.Column("sample_id", sa.Text(), nullable=True),
        sa.Column("digest", JSONB(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("updated_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("archived_at", _TIME, nullable=True),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.Column("last_pin", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_hypothesis", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_experiment", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint(
            "severity in ('sev1', 'sev2', 'sev3', 'sev4')", name=op.f("ck_incidents_severity")
        ),
        sa.CheckConstraint(
            "status in ('open', 'analysing', 'review', 'published')",
            name=op.f("ck_incidents_status"),
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["users.id"], name="fk_incidents_owner_id_users", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_incidents"),
    )
    op.create_index(
        "uq_incidents_sample_id",
        "incidents",
        ["sample_id"],
        unique=True,
        postgresql_where=sa.text("archived_at IS NULL"),
    )


def _sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_sessions_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_sessions_token_hash"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])


def _sign_in_links() -> None:
    op.create_table(
        "sign_in_links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.Column("used_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_sign_in_links_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in_links"),
        sa.UniqueConstraint("token_hash", name="uq_sign_in_links_token_hash"),
    )


def _table_mappings() -> None:
    op.create_table(
        "table_mappings",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("header", sa.Text(), nullable=True),
        sa.Column("mapping", JSONB(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_table_mappings_by_id_users", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("key", name="pk_table_mappings"),
    )


def _tokens() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("expires_at", _TIME, nullable=True),
        sa.Column("last_used_at", _TIME, nullable=True),
        sa.Column("revoked_at", _TIME, nullable=True),
        sa.CheckConstraint("scope in ('push', 'read', 'full')", name=op.f("ck_tokens_scope")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_tokens_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_tokens_token_hash"),
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])


def _webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", JSONB(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["users.id"],
            name="fk_webhooks_created_by_id_users",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhooks"),
    )


def _analyses() -> None:
    op.create_table(
        "analyses",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("document", JSONB(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("finished_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("elapsed_s", sa.Float(), nullable=False),
        sa.Column("persistence", JSONB(), nullable=True),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_analyses_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", name="pk_analyses"),
    )


def _annotations() -> None:
    op.create_table(
        "annotations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("start", _TIME, nullable=False),
        sa.Column("end", _TIME, nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Text(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("updated_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["author_id"], ["users.id"], name="fk_annotations_author_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_annotations_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_annotations"),
    )
    op.create_index("ix_annotations_incident_id", "annotations", ["incident_id"])


def _artifacts() -> None:
    op.create_table(
        "artifacts",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("also_at", JSONB(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("progress", sa.Float(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("format", sa.Text(), nullable=True),
        sa.Column("format_given", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("candidates", JSONB(), nullable=False),
        sa.Column("parser_version", sa.Integer(), nullable=True),
        sa.Column("zone", sa.Text(), nullable=True),
        sa.Column("offset_s", sa.Float(), nullable=True),
        sa.Column("bundle", sa.Text(), nullable=True),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("first", _TIME, nullable=True),
        sa.Column("last", _TIME, nullable=True),
        sa.Column("clock", JSONB(), nullable=True),
        sa.Column("records", JSONB(), nullable=False),
        sa.Column("problems", sa.Integer(), nullable=False),
        sa.Column("coverage", sa.Float(), nullable=True),
        sa.Column("receipt", JSONB(), nullable=True),
        sa.Column("sections", JSONB(), nullable=False),
        sa.Column("line_index", JSONB(), nullable=True),
        sa.Column("lines", sa.BigInteger(), nullable=True),
        sa.Column("uploaded_by_id", sa.Text(), nullable=True),
        sa.Column("uploaded_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.Column("table_key", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "state in ('queued', 'identifying', 'parsing', 'done', 'done_with_problems', 'unknown_format', 'failed', 'expanded')",
            name=op.f("ck_artifacts_state"),
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_artifacts_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["artifacts.id"],
            name="fk_artifacts_parent_id_artifacts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["uploaded_by_id"],
            ["users.id"],
            name="fk_artifacts_uploaded_by_id_users",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_artifacts"),
    )
    op.create_index("ix_artifacts_parent", "artifacts", ["parent_id"])
    op.create_index(
        "ix_artifacts_table_key",
        "artifacts",
        ["table_key"],
        postgresql_where=sa.text("table_key IS NOT NULL"),
    )
    op.create_index(
        "uq_artifacts_incident_sha256",
        "artifacts",
        ["incident_id", "sha256"],
        unique=True,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )


def _comments() -> None:
    op.create_table(
        "comments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("edited_at", _TIME, nullable=True),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_comments_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_comments_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_comments"),
    )
    op.create_index("ix_comments_incident_id", "comments", ["incident_id", "subject"])


def _finding_verdicts() -> None:
    op.create_table(
        "finding_verdicts",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("finding_id", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint(
            "verdict in ('open', 'accepted', 'dismissed')", name=op.f("ck_finding_verdicts_verdict")
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_finding_verdicts_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_finding_verdicts_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "finding_id", name="pk_finding_verdicts"),
    )


def _hypotheses() -> None:
    op.create_table(
        "hypotheses",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("falsifier", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Integer(), nullable=True),
        sa.Column("finding_id", sa.Text(), nullable=True),
        sa.Column("owner_id", sa.Text(), nullable=True),
        sa.Column("needs_review", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("updated_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("mechanisms", JSONB(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("superseded_by_id", sa.Text(), nullable=True),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "status in ('proposed', 'active', 'supported', 'refuted', 'inconclusive', 'superseded')",
            name=op.f("ck_hypotheses_status"),
        ),
        sa.CheckConstraint(
            "confidence >= 0 AND confidence <= 100", name=op.f("ck_hypotheses_confidence")
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["users.id"],
            name="fk_hypotheses_created_by_id_users",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_hypotheses_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["users.id"], name="fk_hypotheses_owner_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["superseded_by_id"],
            ["hypotheses.id"],
            name="fk_hypotheses_superseded_by_id_hypotheses",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_hypotheses"),
        sa.UniqueConstraint("incident_id", "number", name="uq_hypotheses_incident_id"),
    )
    op.create_index("ix_hypotheses_incident_id", "hypotheses", ["incident_id"])


def _jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("lease_until", _TIME, nullable=True),
        sa.Column("heartbeat_at", _TIME, nullable=True),
        sa.Column("not_before", _TIME, server_default=_NOW, nullable=False),
        sa.Column("sent_at", _TIME, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("started_at", _TIME, nullable=True),
        sa.Column("finished_at", _TIME, nullable=True),
        sa.CheckConstraint("kind in ('artifact', 'analyse', 'webhook')", name=op.f("ck_jobs_kind")),
        sa.CheckConstraint(
            "state in ('queued', 'running', 'done', 'failed')", name=op.f("ck_jobs_state")
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_jobs_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_incident", "jobs", ["incident_id", "kind", "created_at"])
    op.create_index(
        "ix_jobs_open",
        "jobs",
        ["state"],
        postgresql_where=sa.text("state in ('queued', 'running')"),
    )
    op.create_index(
        "uq_jobs_waiting",
        "jobs",
        ["kind", "target"],
        unique=True,
        postgresql_where=sa.text("state = 'queued'"),
    )


def _live_texts() -> None:
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
        sa.Column("updated_at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint("base_seq <= seq", name=op.f("ck_live_texts_base_seq")),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_live_texts_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["updated_by_id"],
            ["users.id"],
            name="fk_live_texts_updated_by_id_users",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("incident_id", "key", name="pk_live_texts"),
    )


def _pins() -> None:
    op.create_table(
        "pins",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("locator", JSONB(), nullable=False),
        sa.Column("view", sa.Text(), nullable=False),
        sa.Column("excerpt", sa.Text(), nullable=True),
        sa.Column("value_hash", sa.Text(), nullable=True),
        sa.Column("stale", sa.Boolean(), nullable=False),
        sa.Column("created_by_id", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.Column(
            "evidence_kind", sa.Text(), server_default=sa.text("'observation'"), nullable=False
        ),
        sa.Column("picture", sa.Text(), nullable=True),
        sa.Column("value", sa.Text(), nullable=True),
        sa.Column("now_value", sa.Text(), nullable=True),
        sa.Column("now_hash", sa.Text(), nullable=True),
        sa.Column("kept_hash", sa.Text(), nullable=True),
        sa.Column("stale_since", _TIME, nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "evidence_kind in ('observation', 'experiment', 'absence', 'testimony')",
            name=op.f("ck_pins_evidence_kind"),
        ),
        sa.CheckConstraint(
            "kind in ('lines', 'series', 'wait_node', 'wait_edge', 'stack', 'span', 'row', 'finding', 'statement')",
            name=op.f("ck_pins_kind"),
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"], ["users.id"], name="fk_pins_created_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_pins_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_pins"),
        sa.UniqueConstraint("incident_id", "number", name="uq_pins_incident_id"),
    )
    op.create_index("ix_pins_incident_id", "pins", ["incident_id"])


def _releases() -> None:
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
        sa.Column("made_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("decided_at", _TIME, nullable=True),
        sa.Column("work", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "state in ('in_review', 'approved', 'withdrawn')", name=op.f("ck_releases_state")
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_releases_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["made_by_id"], ["users.id"], name="fk_releases_made_by_id_users", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_releases"),
        sa.UniqueConstraint("incident_id", "number", name="uq_releases_incident_id"),
    )
    op.create_index(
        "uq_releases_in_review",
        "releases",
        ["incident_id"],
        unique=True,
        postgresql_where=sa.text("state = 'in_review'"),
    )


def _report_choices() -> None:
    op.create_table(
        "report_choices",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("template", sa.Text(), nullable=True),
        sa.Column("redaction_key", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_report_choices_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", name="pk_report_choices"),
    )


def _series() -> None:
    op.create_table(
        "series",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("labels", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=True),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("first", _TIME, nullable=True),
        sa.Column("last", _TIME, nullable=True),
        sa.Column("min", sa.Float(), nullable=True),
        sa.Column("max", sa.Float(), nullable=True),
        sa.Column("artifact", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_series_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "id", name="pk_series"),
    )


def _snapshots() -> None:
    op.create_table(
        "snapshots",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("artifact", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("time", _TIME, nullable=True),
        sa.Column("time_quality", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("line_first", sa.Integer(), nullable=False),
        sa.Column("waiters", sa.Integer(), nullable=True),
        sa.Column("lock_waits", sa.Integer(), nullable=True),
        sa.Column("sessions", sa.Integer(), nullable=True),
        sa.Column("server_version", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_snapshots_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "artifact", "kind", "index", name="pk_snapshots"),
    )


def _stack_verdicts() -> None:
    op.create_table(
        "stack_verdicts",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("stack_key", sa.Text(), nullable=False),
        sa.Column("pile", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint("pile in ('benign', 'suspicious')", name=op.f("ck_stack_verdicts_pile")),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_stack_verdicts_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_stack_verdicts_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "stack_key", name="pk_stack_verdicts"),
    )


def _stall_corrections() -> None:
    op.create_table(
        "stall_corrections",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("computed_onset", _TIME, nullable=False),
        sa.Column("onset", _TIME, nullable=True),
        sa.Column("end", _TIME, nullable=True),
        sa.Column("baseline_start", _TIME, nullable=True),
        sa.Column("baseline_end", _TIME, nullable=True),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_stall_corrections_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_stall_corrections_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_stall_corrections"),
        sa.UniqueConstraint(
            "incident_id",
            "host",
            "computed_onset",
            name="uq_stall_corrections_incident_id",
            postgresql_nulls_not_distinct=True,
        ),
    )


def _symptoms() -> None:
    op.create_table(
        "symptoms",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("predicate", JSONB(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.Column("revision", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_symptoms_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_symptoms_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_symptoms"),
    )
    op.create_index("ix_symptoms_incident_id", "symptoms", ["incident_id"])


def _view_links() -> None:
    op.create_table(
        "view_links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("view", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_view_links_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_view_links_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_view_links"),
    )
    op.create_index("ix_view_links_incident_id", "view_links", ["incident_id"])
    op.create_index(
        "uq_view_links_unnamed",
        "view_links",
        ["incident_id", sa.literal_column("md5(view)")],
        unique=True,
        postgresql_where=sa.text("name IS NULL"),
    )


def _webhook_deliveries() -> None:
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("payload", JSONB(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("status_code", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("last_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "state in ('waiting', 'delivered', 'failed')", name=op.f("ck_webhook_deliveries_state")
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_webhook_deliveries_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name="fk_webhook_deliveries_webhook_id_webhooks",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
    )
    op.create_index("ix_webhook_deliveries_webhook_id", "webhook_deliveries", ["webhook_id", "id"])


def _confidence_steps() -> None:
    op.create_table(
        "confidence_steps",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Integer(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("pin_id", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "confidence >= 0 AND confidence <= 100", name=op.f("ck_confidence_steps_confidence")
        ),
        sa.ForeignKeyConstraint(
            ["hypothesis_id"],
            ["hypotheses.id"],
            name="fk_confidence_steps_hypothesis_id_hypotheses",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["pin_id"], ["pins.id"], name="fk_confidence_steps_pin_id_pins"),
        sa.PrimaryKeyConstraint("id", name="pk_confidence_steps"),
    )
    op.create_index("ix_confidence_steps_hypothesis_id", "confidence_steps", ["hypothesis_id"])


def _evidence() -> None:
    op.create_table(
        "evidence",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=False),
        sa.Column("pin_id", sa.Text(), nullable=False),
        sa.Column("side", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint("side in ('for', 'against', 'neutral')", name=op.f("ck_evidence_side")),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_evidence_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["hypothesis_id"],
            ["hypotheses.id"],
            name="fk_evidence_hypothesis_id_hypotheses",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["pin_id"], ["pins.id"], name="fk_evidence_pin_id_pins"),
        sa.PrimaryKeyConstraint("id", name="pk_evidence"),
        sa.UniqueConstraint("hypothesis_id", "pin_id", name="uq_evidence_hypothesis_id"),
    )
    op.create_index("ix_evidence_hypothesis_id", "evidence", ["hypothesis_id"])


def _evidence_weights() -> None:
    op.create_table(
        "evidence_weights",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("pin_id", sa.Text(), nullable=False),
        sa.Column("credibility", sa.Text(), nullable=False),
        sa.Column("relevance", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint(
            "credibility in ('low', 'normal', 'high')", name=op.f("ck_evidence_weights_credibility")
        ),
        sa.CheckConstraint(
            "relevance in ('low', 'normal', 'high')", name=op.f("ck_evidence_weights_relevance")
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_evidence_weights_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["pin_id"], ["pins.id"], name="fk_evidence_weights_pin_id_pins"),
        sa.PrimaryKeyConstraint("id", name="pk_evidence_weights"),
    )
    op.create_index("ix_evidence_weights_incident_id", "evidence_weights", ["incident_id"])


def _experiments() -> None:
    op.create_table(
        "experiments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=True),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("prediction", JSONB(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("locked_at", _TIME, nullable=True),
        sa.Column("observation", JSONB(), nullable=True),
        sa.Column("failed_same_way", sa.Text(), nullable=True),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("conclusion", sa.Text(), nullable=False),
        sa.Column("risk", sa.Text(), nullable=False),
        sa.Column("started_at", _TIME, nullable=True),
        sa.Column("finished_at", _TIME, nullable=True),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("updated_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.Column("sweep", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("parameters", JSONB(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("computed", JSONB(), nullable=True),
        sa.Column("overruled_because", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.CheckConstraint(
            "failed_same_way in ('yes', 'no', 'unclear')",
            name=op.f("ck_experiments_failed_same_way"),
        ),
        sa.CheckConstraint(
            "state in ('planned', 'started', 'finished')", name=op.f("ck_experiments_state")
        ),
        sa.CheckConstraint(
            "verdict in ('match', 'partial', 'miss', 'not_measurable')",
            name=op.f("ck_experiments_verdict"),
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_experiments_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["hypothesis_id"],
            ["hypotheses.id"],
            name="fk_experiments_hypothesis_id_hypotheses",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_experiments_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_experiments"),
        sa.UniqueConstraint("incident_id", "number", name="uq_experiments_incident_id"),
    )
    op.create_index("ix_experiments_hypothesis_id", "experiments", ["hypothesis_id"])


def _live_text_updates() -> None:
    op.create_table(
        "live_text_updates",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("update", sa.LargeBinary(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id", "key"],
            ["live_texts.incident_id", "live_texts.key"],
            name="fk_live_text_updates_live_texts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "key", "seq", name="pk_live_text_updates"),
    )


def _live_text_versions() -> None:
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
        sa.Column("started_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id", "key"],
            ["live_texts.incident_id", "live_texts.key"],
            name="fk_live_text_versions_live_texts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_live_text_versions"),
    )
    op.create_index(
        "ix_live_text_versions_text", "live_text_versions", ["incident_id", "key", "id"]
    )


def _matrix_openings() -> None:
    op.create_table(
        "matrix_openings",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("pin_id", sa.Text(), nullable=True),
        sa.Column("hypothesis_id", sa.Text(), nullable=True),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["hypothesis_id"],
            ["hypotheses.id"],
            name="fk_matrix_openings_hypothesis_id_hypotheses",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_matrix_openings_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["pin_id"], ["pins.id"], name="fk_matrix_openings_pin_id_pins"),
        sa.PrimaryKeyConstraint("id", name="pk_matrix_openings"),
    )
    op.create_index("ix_matrix_openings_incident_id", "matrix_openings", ["incident_id"])


def _mentions() -> None:
    op.create_table(
        "mentions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("comment_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("seen_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["comment_id"],
            ["comments.id"],
            name="fk_mentions_comment_id_comments",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_mentions_user_id_users", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_mentions"),
        sa.UniqueConstraint("comment_id", "user_id", name="uq_mentions_comment_id"),
    )
    op.create_index("ix_mentions_user_id", "mentions", ["user_id"])


def _problems() -> None:
    op.create_table(
        "problems",
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("expected", sa.Text(), nullable=True),
        sa.Column("found", sa.Text(), nullable=True),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["artifact_id"],
            ["artifacts.id"],
            name="fk_problems_artifact_id_artifacts",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("artifact_id", "ordinal", name="pk_problems"),
    )


def _ratings() -> None:
    op.create_table(
        "ratings",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("pin_id", sa.Text(), nullable=False),
        sa.Column("hypothesis_id", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=False),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("rating", sa.Text(), nullable=True),
        sa.Column("proposed_by", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint(
            "rating in ('CC', 'C', 'N', 'I', 'II', 'NA')", name=op.f("ck_ratings_rating")
        ),
        sa.ForeignKeyConstraint(
            ["hypothesis_id"],
            ["hypotheses.id"],
            name="fk_ratings_hypothesis_id_hypotheses",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_ratings_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["pin_id"], ["pins.id"], name="fk_ratings_pin_id_pins"),
        sa.PrimaryKeyConstraint("id", name="pk_ratings"),
    )
    op.create_index("ix_ratings_incident_id", "ratings", ["incident_id", "at"])


def _release_approvals() -> None:
    op.create_table(
        "release_approvals",
        sa.Column("release_id", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=False),
        sa.Column("by_name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["release_id"],
            ["releases.id"],
            name="fk_release_approvals_release_id_releases",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("release_id", "by_id", name="pk_release_approvals"),
    )


def _uploads() -> None:
    op.create_table(
        "uploads",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("received", sa.BigInteger(), nullable=False),
        sa.Column("excluded", sa.Boolean(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("artifact_id", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("updated_at", _TIME, server_default=_NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["artifact_id"],
            ["artifacts.id"],
            name="fk_uploads_artifact_id_artifacts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_uploads_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name="fk_uploads_user_id_users", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_uploads"),
    )
    op.create_index("ix_uploads_incident_id", "uploads", ["incident_id"])


def _action_items() -> None:
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
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("updated_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("deleted_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "status in ('open', 'started', 'done', 'dropped')", name=op.f("ck_action_items_status")
        ),
        sa.ForeignKeyConstraint(
            ["created_by_id"],
            ["users.id"],
            name="fk_action_items_created_by_id_users",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name="fk_action_items_experiment_id_experiments",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_action_items_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_action_items"),
    )
    op.create_index("ix_action_items_experiment_id", "action_items", ["experiment_id"])
    op.create_index("ix_action_items_incident_id", "action_items", ["incident_id"])


def _experiment_artifacts() -> None:
    op.create_table(
        "experiment_artifacts",
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("artifact_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["artifact_id"],
            ["artifacts.id"],
            name="fk_experiment_artifacts_artifact_id_artifacts",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name="fk_experiment_artifacts_experiment_id_experiments",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("experiment_id", "artifact_id", name="pk_experiment_artifacts"),
    )


def _experiment_pins() -> None:
    op.create_table(
        "experiment_pins",
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("pin_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name="fk_experiment_pins_experiment_id_experiments",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["pin_id"], ["pins.id"], name="fk_experiment_pins_pin_id_pins"),
        sa.PrimaryKeyConstraint("experiment_id", "pin_id", name="pk_experiment_pins"),
    )


_TABLES = (
    _audit,
    _redaction_profiles,
    _users,
    _workers,
    _incidents,
    _sessions,
    _sign_in_links,
    _table_mappings,
    _tokens,
    _webhooks,
    _analyses,
    _annotations,
    _artifacts,
    _comments,
    _finding_verdicts,
    _hypotheses,
    _jobs,
    _live_texts,
    _pins,
    _releases,
    _report_choices,
    _series,
    _snapshots,
    _stack_verdicts,
    _stall_corrections,
    _symptoms,
    _view_links,
    _webhook_deliveries,
    _confidence_steps,
    _evidence,
    _evidence_weights,
    _experiments,
    _live_text_updates,
    _live_text_versions,
    _matrix_openings,
    _mentions,
    _problems,
    _ratings,
    _release_approvals,
    _uploads,
    _action_items,
    _experiment_artifacts,
    _experiment_pins,
)
