"""A search among a thousand incidents reads once what the caller sees, and stops when it has enough.

``= any`` of all incidents made the planner look for each of them in the statistics of each table,
and the policy of ``search_entries`` was evaluated for each entry, before its words. A word that
half of all paths have took the time to sort them: the index is in the order of the answer.
"""

from __future__ import annotations

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "create index ix_artifacts_short_paths on artifacts (length(path), path, id)"
        " where deleted_at is null"
    )
    # "is true": a hashed list beside the scan, as a join would lose the order of the index
    op.execute(_find("(incident_id in (select unnest($1))) is true"))
    op.execute(_FIND_ENTRIES)


def downgrade() -> None:
    op.execute("drop function pileup_find_entries(text[], text[], integer)")
    op.execute(_find("incident_id = any($1)"))
    op.execute("drop index ix_artifacts_short_paths")


_FIND_ENTRIES = """
create function pileup_find_entries(patterns text[], among text[], most integer)
returns table (incident_id text, kind text, key text)
language sql stable security definer set search_path from current as $$
  select e.incident_id, e.kind, e.key from search_entries e
  where e.incident_id in (select unnest(among)) and e.words ilike all (patterns)
  order by e.weight desc, e.kind, e.key limit most
$$"""


def _find(among: str) -> str:
    return f"""
create or replace function pileup_find(
  source text, name text, deletable boolean, patterns text[], among text[], most integer
) returns setof text
language plpgsql stable security definer set search_path from current as $$
begin
  return query execute format(
    'select id from %1$I where %3$s %4$s and {among}'
    ' order by length(%2$I), %2$I, id limit $2',
    source, name,
    (select string_agg(format('%I ilike %L', name, pattern), ' and ')
     from unnest(patterns) as each (pattern)),
    case when deletable then 'and deleted_at is null' else '' end
  ) using among, most;
end $$"""
