"""Teams, roles in an incident, and row-level security beneath every request.

Requests of the API take the role pileup_people for their transaction. Its policies let it see open
incidents, those of its user and those where the user or a team of theirs is a member, and change
what the rank in the incident allows. Existing incidents are open to everyone who signs in, as
before. Workers, the command line and migrations keep the role that owns the tables.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pileup.storage.row_security import PEOPLE, secure, secure_part

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_NOW = sa.text("now()")

_OF_ALL = (
    "users", "sign_in_links", "sessions", "devices", "tokens", "teams", "team_members",
    "incident_versions", "list_views", "table_mappings", "redaction_profiles", "webhooks", "workers",
)  # fmt: skip
_OF_INCIDENT = (
    "analyses", "annotations", "action_items", "artifacts", "comments", "evidence_weights",
    "experiments", "finding_verdicts", "hypotheses", "live_text_updates", "live_text_versions",
    "live_texts", "matrix_openings", "pins", "ratings", "releases", "report_choices",
    "search_entries", "series", "snapshots", "stack_verdicts", "stall_corrections", "symptoms",
    "uploads", "view_links", "webhook_deliveries",
)  # fmt: skip
_PARTS = (
    ("problems", "artifact_id", "artifacts"),
    ("confidence_steps", "hypothesis_id", "hypotheses"),
    ("evidence", "hypothesis_id", "hypotheses"),
    ("measurements", "experiment_id", "experiments"),
    ("experiment_artifacts", "experiment_id", "experiments"),
    ("experiment_pins", "experiment_id", "experiments"),
    ("run_analyses", "experiment_id", "experiments"),
    ("symptom_answers", "symptom_id", "symptoms"),
    ("release_approvals", "release_id", "releases"),
)
_OTHERS = ("incidents", "incident_members", "jobs", "mentions", "audit")


def upgrade() -> None:
    _tables()
    _role()
    op.execute(f"grant select, insert, update, delete on {', '.join(_OF_ALL)} to {PEOPLE}")
    op.execute(
        f"grant usage on all sequences in schema current_schema to {PEOPLE}".replace(
            "schema current_schema", f'schema "{_schema()}"'
        )
    )
    op.execute(f'grant usage on schema "{_schema()}" to {PEOPLE}')
    for statement in _FUNCTIONS:
        op.execute(statement)
    for table in _OF_INCIDENT:
        for statement in secure(table):
            op.execute(statement)
    for part in _PARTS:
        for statement in secure_part(*part):
            op.execute(statement)
    for statement in _POLICIES:
        op.execute(statement)


def downgrade() -> None:
    connection = op.get_bind()
    policies = connection.execute(
        sa.text("select tablename, policyname from pg_policies where :role = any(roles)"),
        {"role": PEOPLE},
    ).all()
    for table, policy in policies:
        op.execute(f"drop policy {policy} on {table}")
    for table in (*_OF_INCIDENT, *(part[0] for part in _PARTS), *_OTHERS):
        op.execute(f"alter table {table} disable row level security")
    op.execute("drop trigger incidents_access on incidents")
    for function in (
        "pileup_guard_access()", "pileup_must_lead(text)", "pileup_may_write(text)",
        "pileup_rank(text)", "pileup_member_of()", "pileup_analyses_with(tsquery)",
    ):  # fmt: skip
        op.execute(f"drop function {function}")
    op.execute(f'revoke all on all tables in schema "{_schema()}" from {PEOPLE}')
    op.execute(f'revoke all on all sequences in schema "{_schema()}" from {PEOPLE}')
    op.execute(f'revoke all on schema "{_schema()}" from {PEOPLE}')
    for table in ("incident_members", "team_members", "teams"):
        op.drop_table(table)
    op.drop_column("incidents", "visibility")


def _tables() -> None:
    op.add_column(
        "incidents",
        sa.Column("visibility", sa.Text(), server_default=sa.text("'open'"), nullable=False),
    )
    op.create_check_constraint("visibility", "incidents", "visibility in ('open', 'private')")
    op.create_table(
        "teams",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, server_default=_NOW, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_teams"),
        sa.UniqueConstraint("name", name="uq_teams_name"),
    )
    op.create_table(
        "team_members",
        sa.Column("team_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("lead", sa.Boolean(), nullable=False),
        sa.Column("added_at", _TIME, server_default=_NOW, nullable=False),
        _key("team_members", "team_id", "teams"),
        _key("team_members", "user_id", "users"),
        sa.PrimaryKeyConstraint("team_id", "user_id", name="pk_team_members"),
    )
    op.create_index("ix_team_members_user_id", "team_members", ["user_id"])
    op.create_table(
        "incident_members",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("team_id", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.CheckConstraint("role in ('viewer', 'contributor', 'lead')", name="role"),
        sa.CheckConstraint("num_nonnulls(user_id, team_id) = 1", name="one"),
        _key("incident_members", "incident_id", "incidents"),
        _key("incident_members", "user_id", "users"),
        _key("incident_members", "team_id", "teams"),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_incident_members_by_id_users", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_incident_members"),
        sa.UniqueConstraint("incident_id", "user_id", name="uq_incident_members_incident_id"),
        sa.UniqueConstraint("incident_id", "team_id", name="uq_incident_members_team"),
    )
    for column in ("user_id", "team_id"):
        op.create_index(f"ix_incident_members_{column}", "incident_members", [column])


def _key(table: str, column: str, owner: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{owner}.id"], name=f"fk_{table}_{column}_{owner}", ondelete="CASCADE"
    )


def _schema() -> str:
    return str(op.get_bind().scalar(sa.text("select current_schema()")))


def _role() -> None:
    """Create the role, which all databases of the server share, and let this user take it."""
    connection = op.get_bind()
    there = sa.text("select from pg_roles where rolname = :role")
    if connection.execute(there, {"role": PEOPLE}).first() is None:
        rights = sa.text(
            "select rolsuper or rolcreaterole from pg_roles where rolname = current_user"
        )
        if not connection.scalar(rights):
            raise RuntimeError(
                f"the database user may not create the role {PEOPLE}, which requests take; as an "
                f"administrator of the server: create role {PEOPLE} nologin; grant {PEOPLE} to "
                "<the user of PILEUP_DATABASE_URL>; then migrate again"
            )
        op.execute(
            f"do $$ begin create role {PEOPLE} nologin;"
            " exception when duplicate_object or unique_violation then null; end $$"
        )
    may = sa.text("select pg_has_role(current_user, :role, 'member')")
    if not connection.scalar(may, {"role": PEOPLE}):
        op.execute(f"grant {PEOPLE} to current_user")


_FUNCTIONS = (
    """
create function pileup_member_of() returns setof text
language sql stable security definer set search_path from current as $$
  select m.incident_id from incident_members m
  where m.user_id = current_setting('pileup.user_id', true)
     or m.team_id in (
       select t.team_id from team_members t
       where t.user_id = current_setting('pileup.user_id', true))
$$""",
    """
create function pileup_rank(incident text) returns integer
language sql stable security definer set search_path from current as $$
  select coalesce((
    select case
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
$$""",
    """
create function pileup_may_write(incident text) returns boolean
language plpgsql stable set search_path from current as $$
declare rank integer := pileup_rank(incident);
begin
  if rank = 1 then
    raise exception 'you may read this incident, and not change it'
      using errcode = 'insufficient_privilege', hint = 'contributor';
  end if;
  return rank > 1;
end $$""",
    """
create function pileup_must_lead(incident text) returns boolean
language plpgsql stable set search_path from current as $$
declare rank integer := pileup_rank(incident);
begin
  if rank in (1, 2) then
    raise exception 'only a lead of this incident decides who may see and change it'
      using errcode = 'insufficient_privilege', hint = 'lead';
  end if;
  return rank = 3;
end $$""",
    """
create function pileup_guard_access() returns trigger
language plpgsql set search_path from current as $$
begin
  if current_user = 'pileup_people' and (
    new.visibility <> old.visibility
    or (new.owner_id is distinct from old.owner_id and new.visibility = 'private')
  ) and not pileup_must_lead(new.id) then
    raise exception 'no such incident' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$""",
    "create trigger incidents_access before update on incidents"
    " for each row execute function pileup_guard_access()",
    """
create function pileup_analyses_with(words_of tsquery) returns setof text
language sql stable security definer set search_path from current as $$
  select incident_id from analyses where words @@ words_of
$$""",
)
"""The last one uses the index over all words, which a policy would switch off; who asks for its
result joins it with what they may see."""

_SEES = """
  coalesce(nullif((select current_setting('pileup.incident_id', true)), ''), id) = id
  and (
    (select current_setting('pileup.everything', true)) = 'on'
    or (visibility = 'open'
        and (select coalesce(nullif(current_setting('pileup.most', true), ''), '0')::integer) > 0)
    or owner_id = (select nullif(current_setting('pileup.user_id', true), ''))
    or id in (select pileup_member_of()))
"""

_POLICIES = (
    f"grant select, insert, update, delete on incidents, incident_members, jobs, mentions to {PEOPLE}",
    f"grant select, insert on audit to {PEOPLE}",
    *(f"alter table {table} enable row level security" for table in _OTHERS),
    f"create policy incidents_read on incidents for select to {PEOPLE} using ({_SEES})",
    f"create policy incidents_insert on incidents for insert to {PEOPLE} with check ("
    " (select coalesce(nullif(current_setting('pileup.most', true), ''), '0')::integer) > 1"
    " and coalesce((select current_setting('pileup.incident_id', true)), '') = '')",
    f"create policy incidents_update on incidents for update to {PEOPLE}"
    " using (pileup_may_write(id))",
    f"create policy incidents_delete on incidents for delete to {PEOPLE}"
    " using (pileup_may_write(id))",
    f"create policy incident_members_read on incident_members for select to {PEOPLE}"
    " using (exists (select from incidents i where i.id = incident_members.incident_id))",
    *(
        f"create policy incident_members_{verb} on incident_members for {verb} to {PEOPLE}"
        f" {clause} (pileup_must_lead(incident_id))"
        for verb, clause in (("insert", "with check"), ("update", "using"), ("delete", "using"))
    ),
    # the length of the queue and the place in it are the same for everybody
    f"create policy jobs_read on jobs for select to {PEOPLE} using (true)",
    *(
        f"create policy jobs_{verb} on jobs for {verb} to {PEOPLE}"
        f" {clause} (pileup_may_write(incident_id))"
        for verb, clause in (("insert", "with check"), ("update", "using"), ("delete", "using"))
    ),
    # the first redacted export makes the incident's key, also when its reader changes nothing else
    "drop policy report_choices_insert on report_choices",
    f"create policy report_choices_insert on report_choices for insert to {PEOPLE} with check"
    " (exists (select from incidents i where i.id = report_choices.incident_id))",
    # a mention is its user's, who marks it as seen also where they cannot write
    f"create policy mentions_read on mentions for select to {PEOPLE}"
    " using (exists (select from comments c where c.id = mentions.comment_id))",
    f"create policy mentions_insert on mentions for insert to {PEOPLE} with check"
    " (pileup_may_write((select c.incident_id from comments c where c.id = mentions.comment_id)))",
    f"create policy mentions_update on mentions for update to {PEOPLE}"
    " using (user_id = (select current_setting('pileup.user_id', true)))",
    f"create policy mentions_delete on mentions for delete to {PEOPLE} using"
    " (pileup_may_write((select c.incident_id from comments c where c.id = mentions.comment_id)))",
    f"create policy audit_read on audit for select to {PEOPLE} using"
    " ((select current_setting('pileup.everything', true)) = 'on'"
    "  and coalesce((select current_setting('pileup.incident_id', true)), '') = ''"
    "  or exists (select from incidents i where i.id = audit.incident_id))",
    f"create policy audit_insert on audit for insert to {PEOPLE} with check (true)",
)
