"""Bytes to text, lines and time stamps, and the collectors that formats fill."""
