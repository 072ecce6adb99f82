"""Compare two or more captures, runs, tables or hosts."""
