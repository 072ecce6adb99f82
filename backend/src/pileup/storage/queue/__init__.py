"""The job table, the workers that take from it, and the broker that wakes them."""
