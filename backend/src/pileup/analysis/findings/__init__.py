"""Known problems, the seven checks, and the headline."""
