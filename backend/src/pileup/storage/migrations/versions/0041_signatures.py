"""The key of the installation, and releases with the signature of whoever froze them.

The private key is encrypted like every secret (migration 0040). A release has its signature and the
public key that made it, both in base64; earlier releases have none: a signature says that this
installation froze the document at that time. Like the document, it never changes.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "signing_key",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("private", sa.Text(), nullable=False),
        sa.Column(
            "made_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.CheckConstraint("id = 1", name=op.f("ck_signing_key_one")),
        sa.PrimaryKeyConstraint("id", name="pk_signing_key"),
    )
    op.execute("alter table signing_key enable row level security")  # no policy: not for requests
    op.add_column("releases", sa.Column("signature", sa.Text(), nullable=True))
    op.add_column("releases", sa.Column("signed_by", sa.Text(), nullable=True))
    op.execute(_refuse_thawing(f"old.work {_SIGNATURE}"))


def downgrade() -> None:
    op.execute(_refuse_thawing("old.work"))
    op.drop_column("releases", "signed_by")
    op.drop_column("releases", "signature")
    op.drop_table("signing_key")


_SIGNATURE = "or new.signature is distinct from old.signature or new.signed_by is distinct from old.signed_by"


def _refuse_thawing(last: str) -> str:
    return f"""
create or replace function refuse_thawing() returns trigger
    language plpgsql
    as $$
    begin
        if new.document <> old.document or new.sha256 <> old.sha256 or new.work is distinct from {last}
           or new.number <> old.number or new.incident_id <> old.incident_id
           or (old.state = 'approved' and new.state <> 'approved') then
            raise exception 'release % is frozen: make another one', old.number
                using errcode = 'integrity_constraint_violation';
        end if;
        return new;
    end $$;
"""
