"""Code that the formats of the operating system share."""
