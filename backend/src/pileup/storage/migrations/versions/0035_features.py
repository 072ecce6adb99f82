"""Find similar incidents by an index of their symptoms, not by reading those of every incident.

Row-level security would look at the incident of each row, so a function returns ids and scores, and
the caller reads the incidents under its own policies. It finds exactly those whose score reaches the
bound: what an incident shares beyond the features that are looked up first is bounded.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pileup.storage.row_security import secure

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "incident_features",
        sa.Column("incident_id", sa.Text(), nullable=False),
        sa.Column("feature", sa.Text(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("total", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["incident_id"],
            ["incidents.id"],
            name="fk_incident_features_incident_id_incidents",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("incident_id", "feature", name="pk_incident_features"),
    )
    op.create_index(
        "ix_incident_features_feature",
        "incident_features",
        ["feature"],
        postgresql_include=["incident_id", "weight", "total"],
    )
    for statement in secure("incident_features"):
        op.execute(statement)
    op.execute(_FILL)
    op.execute(_SIMILAR)


def downgrade() -> None:
    op.execute("drop function pileup_similar(text[], float8[], float8, integer)")
    op.drop_table("incident_features")


_FILL = """
insert into incident_features (incident_id, feature, weight, total)
select id, feature, weight, sum(weight) over (partition by id) from (
  select id, feature, case split_part(feature, ':', 1)
      when 'finding' then 5 when 'latch' then 4 when 'own' then 4 when 'blocker' then 3
      when 'place' then 2 when 'stack' then 2 when 'check' then 1 else 0.5 end as weight
  from incidents, jsonb_object_keys(digest -> 'signature') as feature
  where jsonb_typeof(digest -> 'signature') = 'object'
) as weighed
"""

_SIMILAR = """
create function pileup_similar(mine text[], weights float8[], bound float8, most integer)
returns table (id text, score float8)
language sql stable security definer set search_path from current as $$
  with own as (
    select feature, weight, sum(weight) over () as total, (
      select count(*) from (
        select from incident_features f where f.feature = each.feature limit 500
      ) as counted
    ) as often
    from unnest(mine, weights) as each (feature, weight)
  ),
  -- the commonest features, which together are too little for the bound, are left out at first
  ranked as (
    select *, sum(weight) over (order by often / weight desc, feature) < bound * total as common
    from own
  ),
  facts as (
    select max(total) as total, coalesce(sum(weight) filter (where common), 0) as common
    from ranked
  ),
  near as (
    select f.incident_id, max(f.total) as total
    from ranked join incident_features f using (feature), facts
    where not ranked.common group by f.incident_id, facts.total, facts.common
    having sum(f.weight) + facts.common
      >= bound * (facts.total + max(f.total) - sum(f.weight) - facts.common)
  ),
  scored as (
    select incident_id, sum(own.weight) / (max(own.total) + max(near.total) - sum(own.weight))
      as score
    from near join incident_features f using (incident_id) join own using (feature)
    group by incident_id
  )
  select incident_id, score from scored where score >= bound
  order by score desc, incident_id limit most
$$
"""
