"""Incidents, and what belongs to an incident as a whole."""
