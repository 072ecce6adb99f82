"""The ground of every analysis: the evidence on one clock, its series, and small readings of it."""
