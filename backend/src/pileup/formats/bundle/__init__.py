"""What a capture tool writes about itself, and files that are kept without being read."""
