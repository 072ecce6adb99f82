"""What the operating system formats share."""
