"""Build what the screens of an incident show of its evidence: timeline, waits, stacks, tables."""
