"""Hypotheses, evidence, experiments, and what people write about them."""
