"""The same bytes in another folder or pt-stalk capture are an artifact of their own.

Two captures of one server have the same settings, byte for byte. As one artifact they belonged to
the capture that came first, and a run that brought them took them out of the incident. Names in
one folder stay names of one artifact. What was joined before stays joined.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_NOT_DELETED = sa.text("deleted_at is null")
_STAMP = r"\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d(?=[-_.])"


def upgrade() -> None:
    op.add_column("artifacts", sa.Column("folder", sa.Text(), server_default="", nullable=False))
    # as storage.artifacts.folder_of: the folder, or the folder and the stamp of the name
    op.execute(
        sa.text(
            "update artifacts set folder = concat_ws('/',"
            " nullif(regexp_replace(path, '/?[^/]*$', ''), ''),"
            " substring(regexp_replace(path, '^.*/', '') from :stamp))"
        ).bindparams(stamp=f"^{_STAMP}")
    )
    op.drop_index("uq_artifacts_incident_sha256", table_name="artifacts")
    op.create_index(
        "uq_artifacts_incident_sha256_folder",
        "artifacts",
        ["incident_id", "sha256", "folder"],
        unique=True,
        postgresql_where=_NOT_DELETED,
    )


def downgrade() -> None:
    # the older version has room for one of them
    op.execute(
        "update artifacts set deleted_at = now() where deleted_at is null and exists (select 1"
        " from artifacts older where older.incident_id = artifacts.incident_id"
        " and older.sha256 = artifacts.sha256 and older.deleted_at is null"
        " and older.id < artifacts.id)"
    )
    op.drop_index("uq_artifacts_incident_sha256_folder", table_name="artifacts")
    op.create_index(
        "uq_artifacts_incident_sha256",
        "artifacts",
        ["incident_id", "sha256"],
        unique=True,
        postgresql_where=_NOT_DELETED,
    )
    op.drop_column("artifacts", "folder")
