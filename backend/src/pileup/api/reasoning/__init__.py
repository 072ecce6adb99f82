"""Routes for hypotheses, experiments, the matrix, pins and comments."""
