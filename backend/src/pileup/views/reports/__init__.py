"""Build the report of an incident: its case, its screen, its releases and its exported files."""
