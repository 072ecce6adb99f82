"""Series of numbers: CSV, Prometheus, CloudWatch, JSON."""
