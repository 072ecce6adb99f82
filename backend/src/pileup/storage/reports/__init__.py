"""The report: live texts, releases, action items, redaction profiles."""
