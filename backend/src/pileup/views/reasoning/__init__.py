"""Combine what people concluded with evidence: the matrix, symptoms, outcomes of experiments."""
