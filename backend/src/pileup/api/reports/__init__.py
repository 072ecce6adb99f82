"""Routes for the report: sections, live texts, releases, exports."""
