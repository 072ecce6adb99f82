"""A search reads the entries of the few incidents that it names, never those of all.

For a word of many entries the planner read the whole table instead, a second and more among 1,000
incidents: it knows neither how rare a word is nor how many incidents the list holds.
"""

from __future__ import annotations

from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # "offset 0": the planner may not turn the look-up of each incident into a join of the tables
    op.execute(
        _find_entries(
            "unnest(among) as given (id), lateral (select * from search_entries s"
            " where s.incident_id = given.id and s.words ilike all (patterns) offset 0) e"
        )
    )


def downgrade() -> None:
    op.execute(
        _find_entries(
            "search_entries e"
            " where e.incident_id in (select unnest(among)) and e.words ilike all (patterns)"
        )
    )


def _find_entries(source: str) -> str:
    return f"""
create or replace function pileup_find_entries(patterns text[], among text[], most integer)
returns table (incident_id text, kind text, key text)
language sql stable security definer set search_path from current as $$
  select e.incident_id, e.kind, e.key from {source}
  order by e.weight desc, e.kind, e.key limit most
$$"""
