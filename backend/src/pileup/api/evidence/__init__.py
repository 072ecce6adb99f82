"""Routes for what the evidence shows: timeline, waits, stacks, queries, logs, findings."""
