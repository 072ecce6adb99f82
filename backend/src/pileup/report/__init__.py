"""case -> documents. Reads no database: it is handed a Case."""
