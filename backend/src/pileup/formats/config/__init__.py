"""Configuration files: my.cnf, sysctl."""
