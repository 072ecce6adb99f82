"""What the metric formats share: cells, columns and names."""
