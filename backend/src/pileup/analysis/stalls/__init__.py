"""When the server was stalled, and what moved."""
