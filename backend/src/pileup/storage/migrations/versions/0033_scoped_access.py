"""Tokens with verbs, for one incident if wanted; guest links to one incident.

A token's scope becomes the verbs that it allows, so that further ones can be chosen alone. A guest
is nobody's account: a session without a user, which reads the incident of its link and nothing
else. PostgreSQL decides this too, by the setting pileup.guest.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from pileup.storage.row_security import PEOPLE

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_NOW = sa.text("now()")


def upgrade() -> None:
    _tokens()
    _guest_links()
    for statement in (_RANK.format(guest=_GUEST_RANK), _read_policy(_GUEST_SEES)):
        op.execute(statement)


def downgrade() -> None:
    for statement in (_RANK.format(guest=""), _read_policy("")):
        op.execute(statement)
    op.execute("delete from sessions where user_id is null")
    op.drop_constraint("one", "sessions", type_="check")
    op.drop_column("sessions", "guest_link_id")
    op.alter_column("sessions", "user_id", nullable=False)
    op.drop_table("guest_links")
    op.add_column("tokens", sa.Column("scope", sa.Text(), nullable=True))
    op.execute(
        "update tokens set scope = case when verbs ? 'manage' then 'full'"
        " when verbs = '[\"read\"]' then 'read' else 'push' end"
    )
    op.execute("delete from tokens where incident_id is not null")
    op.alter_column("tokens", "scope", nullable=False)
    op.create_check_constraint("scope", "tokens", "scope in ('push', 'read', 'full')")
    op.drop_column("tokens", "verbs")
    op.drop_column("tokens", "incident_id")


def _tokens() -> None:
    op.add_column("tokens", sa.Column("verbs", JSONB(), nullable=True))
    op.add_column("tokens", sa.Column("incident_id", sa.Text(), nullable=True))
    op.execute(
        "update tokens set verbs = case scope when 'push' then '[\"upload\"]'::jsonb"
        " when 'read' then '[\"read\"]'::jsonb"
        ' else \'["read", "upload", "comment", "edit", "manage"]\'::jsonb end'
    )
    op.alter_column("tokens", "verbs", nullable=False)
    op.drop_column("tokens", "scope")
    op.create_foreign_key(
        "fk_tokens_incident_id_incidents",
        "tokens",
        "incidents",
        ["incident_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index("ix_tokens_incident_id", "tokens", ["incident_id"])


def _guest_links() -> None:
    op.create_table(
        "guest_links",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.Column("revoked_at", _TIME, nullable=True),
        sa.Column("opened", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("last_opened_at", _TIME, nullable=True),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_guest_links_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_guest_links_by_id_users", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_guest_links"),
        sa.UniqueConstraint("token_hash", name="uq_guest_links_token_hash"),
    )
    op.create_index("ix_guest_links_incident_id", "guest_links", ["incident_id"])
    op.execute(f"grant select, insert, update, delete on guest_links to {PEOPLE}")
    op.execute("alter table guest_links enable row level security")
    # a stranger opens one by its secret, before anybody knows who they are
    op.execute(f"create policy guest_links_read on guest_links for select to {PEOPLE} using (true)")
    for verb, clause in (("insert", "with check"), ("delete", "using")):
        op.execute(
            f"create policy guest_links_{verb} on guest_links for {verb} to {PEOPLE}"
            f" {clause} (pileup_must_lead(incident_id))"
        )
    # who opens one is counted by the column's own grant, who revokes it leads the incident
    op.execute(
        f"create policy guest_links_update on guest_links for update to {PEOPLE} using (true)"
        " with check (revoked_at is null or pileup_must_lead(incident_id))"
    )
    op.execute(f"revoke update on guest_links from {PEOPLE}")
    op.execute(f"grant update (revoked_at, opened, last_opened_at) on guest_links to {PEOPLE}")
    op.alter_column("sessions", "user_id", nullable=True)
    op.add_column("sessions", sa.Column("guest_link_id", sa.Text(), nullable=True))
    op.create_foreign_key(
        "fk_sessions_guest_link_id_guest_links",
        "sessions",
        "guest_links",
        ["guest_link_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index("ix_sessions_guest_link_id", "sessions", ["guest_link_id"])
    op.create_check_constraint("one", "sessions", "num_nonnulls(user_id, guest_link_id) = 1")


_GUEST_RANK = """
      when current_setting('pileup.guest', true) = 'on' then
        case when i.id = nullif(current_setting('pileup.incident_id', true), '') then 1 else 0 end"""

_GUEST_SEES = """
  (select current_setting('pileup.guest', true)) = 'on'
    and id = (select nullif(current_setting('pileup.incident_id', true), ''))
  or (select coalesce(current_setting('pileup.guest', true), '')) <> 'on' and"""

_RANK = """
create or replace function pileup_rank(incident text) returns integer
language sql stable security definer set search_path from current as $$
  select coalesce((
    select case{guest}
      when coalesce(nullif(current_setting('pileup.incident_id', true), ''), i.id) <> i.id then 0
      else least(
        coalesce(nullif(current_setting('pileup.most', true), ''), '0')::integer,
        case
          when current_setting('pileup.everything', true) = 'on' then 3
          when i.owner_id = nullif(current_setting('pileup.user_id', true), '') then 3
          else greatest(
            case i.visibility when 'open' then 2 else 0 end,
            (select max(case m.role when 'lead' then 3 when 'contributor' then 2 else 1 end)
             from incident_members m
             where m.incident_id = i.id
               and (m.user_id = current_setting('pileup.user_id', true)
                    or m.team_id in (
                      select t.team_id from team_members t
                      where t.user_id = current_setting('pileup.user_id', true)))))
        end)
    end
    from incidents i where i.id = incident), 0)
$$"""


def _read_policy(guest: str) -> str:
    return f"""
alter policy incidents_read on incidents using ({guest} (
  coalesce(nullif((select current_setting('pileup.incident_id', true)), ''), id) = id
  and (
    (select current_setting('pileup.everything', true)) = 'on'
    or (visibility = 'open'
        and (select coalesce(nullif(current_setting('pileup.most', true), ''), '0')::integer) > 0)
    or owner_id = (select nullif(current_setting('pileup.user_id', true), ''))
    or id in (select pileup_member_of()))))"""
