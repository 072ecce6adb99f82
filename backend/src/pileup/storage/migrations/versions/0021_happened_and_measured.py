"""When things happened beside when they were recorded, and the measurements of a run.

A postmortem is written afterwards: the time of a step, a run or a symptom is what a person knows
(``happened_at``), and the time that the server records is another. Old rows have no such time, so
they happened when they were recorded. A run has any number of values with units, each with its
source, so that a typed value never reads as a computed one. An action carries the vendor's ticket
and the check that follows weeks later.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_NOW = sa.text("now()")
_PRECISE = {
    "confidence_steps": "happened_precision",
    "symptoms": "happened_precision",
    "experiments": "ran_precision",
    "annotations": "precision",
}
"""Table: the column that says how precisely a person knows the time."""
_ENVIRONMENT = ("host", "build", "cores", "dataset")
_ACTION_TEXTS = (
    "ticket_tracker",
    "ticket_number",
    "ticket_url",
    "ticket_state",
    "ticket_fixed_in",
    "check_what",
    "check_outcome",
    "check_result",
)


def upgrade() -> None:
    for table in ("confidence_steps", "symptoms"):
        op.add_column(table, sa.Column("happened_at", _TIME, nullable=True))
    op.add_column("experiments", sa.Column("predicted_at", _TIME, nullable=True))
    op.add_column("experiments", sa.Column("ran_from", _TIME, nullable=True))
    op.add_column("experiments", sa.Column("ran_to", _TIME, nullable=True))
    for name in _ENVIRONMENT:
        op.add_column("experiments", _text(name))
    op.add_column("annotations", _text("kind", "note"))
    op.create_check_constraint(
        op.f("ck_annotations_kind"), "annotations", "kind in ('note', 'decision')"
    )
    for table, column in _PRECISE.items():
        op.add_column(table, _text(column, "exact"))
        op.create_check_constraint(
            op.f(f"ck_{table}_{column}"), table, f"{column} in ('exact', 'about', 'day')"
        )
    _same_way("'yes', 'no', 'unclear', 'failed', 'not_failed'")
    for name in _ACTION_TEXTS:
        op.add_column("action_items", _text(name))
    op.add_column("action_items", sa.Column("check_due", sa.Date(), nullable=True))
    op.add_column("action_items", sa.Column("checked_on", sa.Date(), nullable=True))
    op.create_check_constraint(
        op.f("ck_action_items_ticket_url"),
        "action_items",
        "ticket_url = '' or ticket_url ~* '^https?://'",
    )
    op.create_check_constraint(
        op.f("ck_action_items_check_outcome"),
        "action_items",
        "check_outcome in ('', 'held', 'not_held')",
    )
    _measurements()
    _symptom_answers()


def downgrade() -> None:
    op.drop_table("symptom_answers")
    op.drop_table("measurements")
    for name in (*_ACTION_TEXTS, "check_due", "checked_on"):
        op.drop_column("action_items", name)
    op.execute("update experiments set failed_same_way = null where failed_same_way like '%failed'")
    _same_way("'yes', 'no', 'unclear'")
    for table, column in _PRECISE.items():
        op.drop_column(table, column)
    op.drop_column("annotations", "kind")
    for name in (*_ENVIRONMENT, "predicted_at", "ran_from", "ran_to"):
        op.drop_column("experiments", name)
    for table in ("confidence_steps", "symptoms"):
        op.drop_column(table, "happened_at")


def _text(name: str, default: str = "") -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default=sa.text(f"'{default}'"), nullable=False)


def _same_way(words: str) -> None:
    name = op.f("ck_experiments_failed_same_way")
    op.drop_constraint(name, "experiments", type_="check")
    op.create_check_constraint(name, "experiments", f"failed_same_way in ({words})")


def _by() -> list[sa.Column[Any]]:
    return [
        sa.Column("at", _TIME, server_default=_NOW, nullable=False),
        sa.Column("by_id", sa.Text(), nullable=True),
        sa.Column("by_name", sa.Text(), nullable=False),
    ]


def _measurements() -> None:
    op.create_table(
        "measurements",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        _text("unit"),
        sa.Column("source", sa.Text(), nullable=False),
        _text("basis"),
        *_by(),
        sa.CheckConstraint(
            "source in ('typed', 'imported', 'computed')", name=op.f("ck_measurements_source")
        ),
        sa.CheckConstraint(
            "value > '-Infinity'::float8 and value < 'Infinity'::float8",
            name=op.f("ck_measurements_finite"),
        ),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_measurements_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name="fk_measurements_experiment_id_experiments",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_measurements"),
    )
    op.create_index("ix_measurements_experiment_id", "measurements", ["experiment_id"])


def _symptom_answers() -> None:
    op.create_table(
        "symptom_answers",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("symptom_id", sa.Text(), nullable=False),
        sa.Column("experiment_id", sa.Text(), nullable=False),
        sa.Column("holds", sa.Boolean(), nullable=False),
        _text("note"),
        *_by(),
        sa.ForeignKeyConstraint(
            ["by_id"], ["users.id"], name="fk_symptom_answers_by_id_users", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["experiment_id"],
            ["experiments.id"],
            name="fk_symptom_answers_experiment_id_experiments",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["symptom_id"],
            ["symptoms.id"],
            name="fk_symptom_answers_symptom_id_symptoms",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_symptom_answers"),
        sa.UniqueConstraint("symptom_id", "experiment_id", name="uq_symptom_answers_symptom_id"),
    )
    op.create_index("ix_symptom_answers_experiment_id", "symptom_answers", ["experiment_id"])
