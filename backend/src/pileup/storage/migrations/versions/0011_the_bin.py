"""What people delete goes into a bin for thirty days.

Revision: 0011, after 0010. Incidents, hypotheses, experiments and annotations get deleted_at, as
artifacts, pins, comments and actions have it. Then rows go for good: append-only tables
(never the audit trail) let go of them in that purge only, and what hangs on an incident or a
hypothesis goes with it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_TABLES = ("incidents", "hypotheses", "experiments", "annotations")

# table, column, target, what happens when the target goes
_REFERENCES = (
    ("ratings", "incident_id", "incidents", "CASCADE"),
    ("ratings", "pin_id", "pins", None),
    ("ratings", "hypothesis_id", "hypotheses", "CASCADE"),
    ("evidence_weights", "incident_id", "incidents", "CASCADE"),
    ("evidence_weights", "pin_id", "pins", None),
    ("matrix_openings", "incident_id", "incidents", "CASCADE"),
    ("matrix_openings", "pin_id", "pins", None),
    ("matrix_openings", "hypothesis_id", "hypotheses", "CASCADE"),
    ("confidence_steps", "hypothesis_id", "hypotheses", "CASCADE"),
    ("confidence_steps", "pin_id", "pins", None),
    ("evidence", "pin_id", "pins", None),
    ("experiment_pins", "pin_id", "pins", None),
)


def upgrade() -> None:
    for table in _TABLES:
        op.add_column(table, sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    for table, column, target, then in _REFERENCES:
        _refer(table, column, target, then)
    op.execute(
        _refuse("""
            if tg_op = 'DELETE' and tg_table_name <> 'audit'
               and current_setting('pileup.purge', true) = 'on' then
                return old;
            end if;""")
    )


def downgrade() -> None:
    op.execute(_refuse(""))
    for table, column, target, _ in _REFERENCES:
        _refer(table, column, target, "RESTRICT")
    for table in _TABLES:
        op.drop_column(table, "deleted_at")


def _refuse(unless: str) -> str:
    return f"""
        create or replace function refuse_rewriting() returns trigger language plpgsql as $$
        begin{unless}
            raise exception 'table % is append-only: add a row instead', tg_table_name
                using errcode = 'integrity_constraint_violation';
        end $$
    """


def _refer(table: str, column: str, target: str, then: str | None) -> None:
    name = f"fk_{table}_{column}_{target}"
    op.drop_constraint(name, table, type_="foreignkey")
    op.create_foreign_key(name, table, target, [column], ["id"], ondelete=then)
