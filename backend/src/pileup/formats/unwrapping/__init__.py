"""Remove what people and programs put around evidence: quotes, prefixes, logs, pasted layouts."""
