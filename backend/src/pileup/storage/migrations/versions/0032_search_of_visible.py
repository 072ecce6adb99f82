"""Search what people wrote with the trigram indexes, among the incidents that the caller sees.

A policy is evaluated before any condition that is not leakproof, such as ILIKE, so row-level
security alone would read every row of every incident. The function takes the visible incidents as
an array and returns ids only; the caller reads their rows under its own policies.
"""

from __future__ import annotations

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(_FIND)
    op.execute("alter function pileup_analyses_with(tsquery) set enable_seqscan = off")


def downgrade() -> None:
    op.execute("drop function pileup_find(text, text, boolean, text[], text[], integer)")
    op.execute("alter function pileup_analyses_with(tsquery) reset enable_seqscan")


_FIND = """
create function pileup_find(
  source text, name text, deletable boolean, patterns text[], among text[], most integer
) returns setof text
language plpgsql stable security definer set search_path from current as $$
begin
  return query execute format(
    'select id from %1$I where %3$s %4$s and incident_id = any($1)'
    ' order by length(%2$I), %2$I, id limit $2',
    source, name,
    (select string_agg(format('%I ilike %L', name, pattern), ' and ')
     from unnest(patterns) as each (pattern)),
    case when deletable then 'and deleted_at is null' else '' end
  ) using among, most;
end $$"""
