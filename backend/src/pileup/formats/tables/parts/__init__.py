"""Shared by the table formats: layouts to rows, rows to records."""
