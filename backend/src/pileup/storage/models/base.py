"""Base of every table: names of constraints, the id, and column types."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import DateTime, Index, MetaData, Text, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, mapped_column

from pileup.storage.ids import new_id

Id = Annotated[str, mapped_column(Text, primary_key=True, default=new_id)]
Made = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=func.now())]
Words = Annotated[str, mapped_column(Text, default="", server_default=text("''"))]
"""Text that may be empty."""
Precise = Annotated[str, mapped_column(Text, default="exact", server_default=text("'exact'"))]
"""How precisely a person knows a time: exact, about, or the day alone."""
PRECISIONS = "{} in ('exact', 'about', 'day')"
"""The check of a column of ``Precise``."""
ENCRYPTED = "encrypted"
"""In the ``info`` of columns that hold secrets."""
Encrypted = Annotated[str, mapped_column(Text, info={ENCRYPTED: True})]
"""A secret that is needed back: what ``Encryption.encrypt`` returned, never the secret itself."""
Json = Annotated[dict[str, Any], mapped_column(JSONB)]
JsonList = Annotated[list[Any], mapped_column(JSONB)]


class Base(DeclarativeBase):
    """Base of every table. Times are timestamptz; text is unbounded and checked by the API."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012  (SQLAlchemy reads it from the class)
        datetime: DateTime(timezone=True),
        str: Text(),
        dict[str, Any]: JSONB(none_as_null=True),
        list[Any]: JSONB(none_as_null=True),
        list[str]: JSONB(none_as_null=True),
        dict[str, int]: JSONB(none_as_null=True),
    }


def trigrams(table: str, column: str) -> Index:
    """Return the index that finds a part of a text; it needs PostgreSQL's extension pg_trgm."""
    return Index(
        f"ix_{table}_{column}_trigrams",
        column,
        postgresql_using="gin",
        postgresql_ops={column: "gin_trgm_ops"},
    )
