"""Code that the log formats share, and readers of single log entries."""
