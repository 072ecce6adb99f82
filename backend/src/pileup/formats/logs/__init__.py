"""Logs of the server and the machine, and digests of them."""
