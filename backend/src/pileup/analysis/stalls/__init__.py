"""Detection of stalls, their baselines, and the series that moved."""
