"""Inject faults into a whole installation, and check that nothing acknowledged is lost."""
