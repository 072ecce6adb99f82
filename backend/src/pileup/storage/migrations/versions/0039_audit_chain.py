"""The audit trail as a chain of hashes: what is changed, removed, inserted or moved is found.

A link holds the hash of its entry and of the link before. A deferred trigger writes it, in the
COMMIT of whoever adds the entry: the lock of the chain's end is taken last, after every other
lock, and released at once. The trigger has the rights of the owner: requests cannot touch the chain.
Entries that are there already are linked in the order of their ids.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_links",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("entry_id", sa.Text(), nullable=False),
        sa.Column("previous", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_audit_links"),
        sa.UniqueConstraint("entry_id", name="uq_audit_links_entry_id"),
    )
    op.execute("alter table audit_links enable row level security")  # no policy: not for requests
    op.execute(
        "create trigger audit_links_append_only before update or delete on audit_links "
        "for each row execute function refuse_rewriting()"
    )
    for statement in (_HASH, _LINK, _TRIGGER, _CHAIN):
        op.execute(statement)


def downgrade() -> None:
    op.execute("drop trigger audit_chain on audit")
    op.execute("drop function pileup_link_audit()")
    op.execute("drop function pileup_audit_hash(bigint, text, audit)")
    op.drop_table("audit_links")


_HASH = """
create function pileup_audit_hash(seq bigint, previous text, a audit) returns text
language sql stable set search_path from current as $$
  select encode(sha256(convert_to(jsonb_build_array(
    seq, previous, a.id, to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
    a.user_id, a.user_name, a.incident_id, a.action, a.target, a.detail
  )::text, 'UTF8')), 'hex')
$$
"""
"""``audit_chain`` spells the same out for verification, which trusts no function."""

_LINK = """
create function pileup_link_audit() returns trigger
language plpgsql security definer set search_path from current as $$
declare
  last audit_links;
begin
  perform pg_advisory_xact_lock(7145203);
  select * into last from audit_links order by seq desc limit 1;
  if not found then
    last.seq := 0;
    last.hash := repeat('0', 64);
  end if;
  insert into audit_links (seq, entry_id, previous, hash) values
    (last.seq + 1, new.id, last.hash, pileup_audit_hash(last.seq + 1, last.hash, new));
  return null;
end $$
"""

_TRIGGER = """
create constraint trigger audit_chain after insert on audit
deferrable initially deferred for each row execute function pileup_link_audit()
"""
"""From here to the end of the migration nobody else adds an entry."""

_CHAIN = """
do $$
declare
  entry audit;
  number bigint := 0;
  before text := repeat('0', 64);
  link text;
begin
  for entry in select * from audit order by id loop
    number := number + 1;
    link := pileup_audit_hash(number, before, entry);
    insert into audit_links (seq, entry_id, previous, hash) values (number, entry.id, before, link);
    before := link;
  end loop;
end $$
"""
