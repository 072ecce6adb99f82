"""Layouts of tables: from lines to rows of cells with line numbers."""
