"""Output of the operating system's tools: vmstat, iostat, top, procfs, strace and others."""
