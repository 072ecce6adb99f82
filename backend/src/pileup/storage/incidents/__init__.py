"""Incidents and what belongs to the case as a whole."""
