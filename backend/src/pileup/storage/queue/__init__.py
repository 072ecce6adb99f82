"""The job table, the worker heartbeats, and the broker that wakes workers."""
