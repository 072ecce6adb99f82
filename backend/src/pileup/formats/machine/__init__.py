"""What the operating system prints: vmstat, iostat, top, procfs, strace and others."""
