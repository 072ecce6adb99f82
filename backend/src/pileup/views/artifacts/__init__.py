"""Build what the screens of an artifact display: raw lines, records, tables, mapping."""
