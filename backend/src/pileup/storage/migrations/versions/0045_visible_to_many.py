"""What many callers see is one question: a round of reads asks it for all of them at once."""

from __future__ import annotations

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

_VISIBLE = """
create function pileup_visible(callers jsonb) returns table (caller integer, incident text)
language plpgsql set search_path from current as $$
declare access jsonb;
begin
  perform set_config('role', 'pileup_people', true);
  caller := 0;
  for access in select value from jsonb_array_elements(callers) loop
    perform set_config('pileup.user_id', access ->> 'user_id', true),
      set_config('pileup.everything', access ->> 'everything', true),
      set_config('pileup.most', access ->> 'most', true),
      set_config('pileup.incident_id', access ->> 'incident_id', true),
      set_config('pileup.guest', access ->> 'guest', true);
    for incident in
      select i.id from incidents i
      where i.id = any(array(select jsonb_array_elements_text(access -> 'wanted')))
      and i.deleted_at is null
    loop
      return next;
    end loop;
    caller := caller + 1;
  end loop;
  perform set_config('pileup.user_id', '', true), set_config('pileup.everything', '', true),
    set_config('pileup.most', '0', true), set_config('pileup.incident_id', '', true),
    set_config('pileup.guest', '', true);
end $$"""


def upgrade() -> None:
    op.execute(_VISIBLE)


def downgrade() -> None:
    op.execute("drop function pileup_visible(jsonb)")
