"""Tables that a database client prints: processlist, status, variables, locks, any result."""
