"""Code that the metric formats share: cells, columns and names."""
