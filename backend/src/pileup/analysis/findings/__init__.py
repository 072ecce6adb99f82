"""Findings: known problems that match, the seven checks, and the headline."""
