"""What the log formats share, and the readers of their entries."""
