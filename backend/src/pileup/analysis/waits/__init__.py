"""The wait graph: who waits for what, who holds it, and how that changes."""
