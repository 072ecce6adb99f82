"""What the table formats share: layouts to rows, rows to records."""
