"""A release keeps what people had said when it was frozen, beside the document made from it.

Revision: 0019, after 0018. With it and the artifacts `pileup verify` computes the figures inside a
release again; until now it could only hold the document against its hash. It is frozen as well.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_FROZEN = """
    create or replace function refuse_thawing() returns trigger language plpgsql as $$
    begin
        if new.document <> old.document or new.sha256 <> old.sha256{work}
           or new.number <> old.number or new.incident_id <> old.incident_id
           or (old.state = 'approved' and new.state <> 'approved') then
            raise exception 'release % is frozen: make another one', old.number
                using errcode = 'integrity_constraint_violation';
        end if;
        return new;
    end $$
"""


def upgrade() -> None:
    op.add_column("releases", sa.Column("work", sa.Text(), nullable=True))
    op.execute(_FROZEN.format(work=" or new.work is distinct from old.work"))


def downgrade() -> None:
    op.execute(_FROZEN.format(work=""))
    op.drop_column("releases", "work")
