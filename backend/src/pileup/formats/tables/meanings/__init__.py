"""Meanings of tables: from rows to records, by the names of the columns."""
