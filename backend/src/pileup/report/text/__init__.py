"""Texts of the report: section bodies, live blocks, source notes and wording."""
