"""Turn a case into documents. Reads no database: the caller passes a ``Case``."""
