"""A search reads rows where it finds them, and compares letters that are small already.

For each thing found the statement looked its row up again, under the policy of its table, which
only asks whether the caller sees the incident: the incidents are given, and their titles are read
under the caller's policies. Planning eight such joins took as long as the search. ILIKE folds each
letter of each entry; the words of entries are now stored in lower case.
"""

from __future__ import annotations

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

_OLD_FIND = """
create function pileup_find(
  source text, name text, deletable boolean, patterns text[], among text[], most integer
) returns setof text
language plpgsql stable security definer set search_path from current as $$
begin
  return query execute format(
    'select id from %1$I where %3$s %4$s and (incident_id in (select unnest($1))) is true'
    ' order by length(%2$I), %2$I, id limit $2',
    source, name,
    (select string_agg(format('%I ilike %L', name, pattern), ' and ')
     from unnest(patterns) as each (pattern)),
    case when deletable then 'and deleted_at is null' else '' end
  ) using among, most;
end $$"""
_OLD_FIND_ENTRIES = """
create function pileup_find_entries(patterns text[], among text[], most integer)
returns table (incident_id text, kind text, key text)
language sql stable security definer set search_path from current as $$
  select e.incident_id, e.kind, e.key from unnest(among) as given (id), lateral (
    select * from search_entries s
    where s.incident_id = given.id and s.words ilike all (patterns) offset 0
  ) e
  order by e.weight desc, e.kind, e.key limit most
$$"""

# Literals, as an index of trigrams knows no array of patterns. "is true": a hashed list beside the
# scan, as a join would lose the order of the index over the lengths of paths.
_FIND_WRITTEN = """
create function pileup_find_written(
  sources jsonb, patterns text[], among text[], most integer
) returns table (kind text, incident_id text, id text, title text, hint text)
language plpgsql stable security definer set search_path from current as $$
begin
  return query execute (
    select string_agg(format(
      '(select %L, incident_id, id, t.%2$I, %3$s from %4$I t where %5$s%6$s'
      ' and (incident_id in (select unnest($1))) is true'
      ' order by length(t.%2$I), t.%2$I, id limit $2)',
      source.kind, source.name, coalesce(quote_ident(source.hint), 'null::text'), source.of,
      (select string_agg(format('t.%I ilike %L', source.name, pattern), ' and ')
       from unnest(patterns) as each (pattern)),
      case when source.deletable then ' and deleted_at is null' else '' end
    ), ' union all ')
    from jsonb_to_recordset(sources)
      as source (kind text, "of" text, name text, hint text, deletable boolean)
  ) using among, most;
end $$"""
# "offset 0": the planner may not turn the look-up of each incident into a join of the tables
_FIND_ENTRIES = """
create function pileup_find_entries(patterns text[], among text[], most integer)
returns table (
  kind text, incident_id text, key text, title text, hint text, at timestamptz, weight float
)
language sql stable security definer set search_path from current as $$
  select e.kind, e.incident_id, e.key, e.title, e.hint, e.at, e.weight
  from unnest(among) as given (id), lateral (
    select * from search_entries s
    where s.incident_id = given.id and s.words like all (patterns) offset 0
  ) e
  order by e.weight desc, e.kind, e.key limit most
$$"""


def upgrade() -> None:
    op.execute("update search_entries set words = lower(words) where words <> lower(words)")
    op.execute("drop function pileup_find(text, text, boolean, text[], text[], integer)")
    op.execute("drop function pileup_find_entries(text[], text[], integer)")
    op.execute(_FIND_WRITTEN)
    op.execute(_FIND_ENTRIES)


def downgrade() -> None:
    op.execute("drop function pileup_find_written(jsonb, text[], text[], integer)")
    op.execute("drop function pileup_find_entries(text[], text[], integer)")
    op.execute(_OLD_FIND)
    op.execute(_OLD_FIND_ENTRIES)
