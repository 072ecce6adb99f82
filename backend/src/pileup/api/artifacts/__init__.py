"""Routes for artifacts: upload, receipt, records, tables, column mappings."""
