"""Texts that several people write at once."""
