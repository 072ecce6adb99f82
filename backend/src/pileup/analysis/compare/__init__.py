"""Two or more captures, runs, tables or hosts beside each other."""
