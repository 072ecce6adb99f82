"""Stacks of threads: gdb, eu-stack, pt-pmp and other collapsed forms, perf."""
