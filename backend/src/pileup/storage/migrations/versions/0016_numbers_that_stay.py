"""E7 and H2 stay what they are: pins and hypotheses keep their number, incidents the last given.

Revision: 0016, after 0015. They were counted anew at every look, so a purge shifted all that came
after. What stands today is kept as it is shown today.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_LAST = {"pins": "last_pin", "hypotheses": "last_hypothesis", "experiments": "last_experiment"}


def upgrade() -> None:
    for table in ("pins", "hypotheses"):
        op.add_column(table, sa.Column("number", sa.Integer(), nullable=True))
        op.execute(
            f"update {table} set number = counted.number from (select id, row_number() over "  # noqa: S608  (names above)
            f"(partition by incident_id order by id) as number from {table}) as counted "
            f"where counted.id = {table}.id"
        )
        op.alter_column(table, "number", nullable=False)
        op.create_unique_constraint(
            op.f(f"uq_{table}_incident_id"), table, ["incident_id", "number"]
        )
    for table, last in _LAST.items():
        op.add_column(
            "incidents",
            sa.Column(last, sa.Integer(), server_default=sa.text("0"), nullable=False),
        )
        op.execute(
            f"update incidents set {last} = coalesce((select max(number) from {table} "  # noqa: S608  (names above)
            f"where {table}.incident_id = incidents.id), 0)"
        )


def downgrade() -> None:
    for last in _LAST.values():
        op.drop_column("incidents", last)
    for table in ("pins", "hypotheses"):
        op.drop_column(table, "number")
