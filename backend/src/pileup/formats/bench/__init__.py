"""Load generators and what they print."""
