"""Texts for collaborative editing."""
