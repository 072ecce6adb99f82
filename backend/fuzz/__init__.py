"""Coverage-guided search for defects of the parsers: `make fuzz FORMAT=gdb SECONDS=60`."""
