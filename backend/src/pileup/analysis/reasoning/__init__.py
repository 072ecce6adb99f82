"""Arithmetic behind hypotheses, experiments, symptoms and similar incidents."""
