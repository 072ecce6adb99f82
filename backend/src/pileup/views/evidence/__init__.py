"""What the screens of an incident show of its evidence: the timeline, waits, stacks, tables."""
