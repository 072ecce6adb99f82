"""Artifacts and how they come in: uploads, mappings, samples."""
