"""Hypotheses, evidence, experiments and what people say about them."""
