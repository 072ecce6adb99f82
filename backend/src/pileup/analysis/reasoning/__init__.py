"""Arithmetic for hypotheses, experiments, symptoms and similar incidents."""
