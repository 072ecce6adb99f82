"""Captures of an incident, the evidence of each, and their stalls as episodes."""
