"""Generated incidents whose cause is known, and the benchmark over them.

`simulation.py` moves sessions through locks, latches, queues and disks; `load.py` is the work of an
application, `mechanisms/` injects one cause each, and `rendering/` prints what a server of one
version would print at chosen moments. `cases.py` puts a case together from a seed; `scoring.py`
and `__main__.py` analyse cases and count. `truths.yaml` says which findings name which mechanism.

The texts follow real servers: captures, source code and manuals. They never follow the patterns
that the analysis looks for, as the benchmark would then measure nothing.
"""
